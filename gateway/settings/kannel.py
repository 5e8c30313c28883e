"""Settings of Kannel: where its sendsms is, who we are to it, and where it reaches us."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Kannel:
    """A Kannel of our own; all of it is empty where there is none."""

    sendsms_url: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    sender: str = ""  # who a message is from when its issuer gave no name
    callback_url: str = ""  # our address as Kannel sees it; "": no delivery reports


def read(env: Mapping[str, str], bind: str) -> Kannel:
    """The settings in `env`; without a `KANNEL_CALLBACK_URL` it reaches us as providers do.

    >>> read({}, "127.0.0.1:8000").callback_url, read({}, "unix:run/gateway").callback_url
    ('http://127.0.0.1:8000', '')
    >>> read({"GATEWAY_PUBLIC_URL": "https://pay.example.com/"}, "[::1]:8000").callback_url
    'https://pay.example.com'
    """
    at_home = "" if bind.startswith("unix:") else f"http://{bind}"
    reached = env.get("KANNEL_CALLBACK_URL") or env.get("GATEWAY_PUBLIC_URL") or at_home
    return Kannel(
        sendsms_url=env.get("KANNEL_SENDSMS_URL", ""),
        username=env.get("KANNEL_USERNAME", ""),
        password=env.get("KANNEL_PASSWORD", ""),
        sender=env.get("KANNEL_SENDER", ""),
        callback_url=reached.rstrip("/"),
    )
