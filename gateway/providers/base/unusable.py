"""Settings that cannot work, found when the process starts and named in the error."""

import ipaddress
import re
from collections.abc import Sequence

from gateway.errors import Misconfigured

SECONDS_MAX = 300
_URL = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]+)?(/[A-Za-z0-9._/-]*)?\Z")


def insist_on(setting: str, value: str | Sequence[str]) -> None:
    """Raise `Misconfigured` for an empty value, or one that no header could carry.

    >>> insist_on("GATEWAY_SELCOM_API_KEY", "k1"), insist_on("GATEWAY_SELCOM_API_SECRET", ["new"])
    (None, None)
    >>> insist_on("GATEWAY_SELCOM_API_KEY", "")
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_SELCOM_API_KEY is not set
    >>> insist_on("GATEWAY_SELCOM_API_KEY", "k\\n1")
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_SELCOM_API_KEY must be ASCII on one line
    """
    words = [value] if isinstance(value, str) else value
    if not words or not all(words):
        raise Misconfigured(f"{setting} is not set")
    if not all(word.isascii() and word.isprintable() for word in words):
        raise Misconfigured(f"{setting} must be ASCII on one line")


def insist_on_url(setting: str, value: str) -> None:
    """Raise `Misconfigured` for anything but http(s)://host[:port][/path].

    >>> insist_on_url("GATEWAY_SELCOM_BASE_URL", "https://api.example.com/v1")
    >>> insist_on_url("GATEWAY_SELCOM_BASE_URL", "api.example.com")
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_SELCOM_BASE_URL must be http(s)://host[:port][/path]
    """
    if not _URL.match(value):
        raise Misconfigured(f"{setting} must be http(s)://host[:port][/path]")


def insist_on_networks(setting: str, values: Sequence[str]) -> None:
    """Raise `Misconfigured` unless there are addresses or networks, and nothing else.

    >>> insist_on_networks("GATEWAY_TIGOPESA_ALLOWED_ADDRESSES", ["192.0.2.1", "2001:db8::/32"])
    >>> insist_on_networks("GATEWAY_TIGOPESA_ALLOWED_ADDRESSES", ["any"])
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_TIGOPESA_ALLOWED_ADDRESSES: 'any' is no network
    """
    insist_on(setting, values)
    for value in values:
        try:
            ipaddress.ip_network(value)
        except ValueError:
            raise Misconfigured(f"{setting}: {value!r} is no network") from None


def seconds(setting: str, value: str) -> int:
    """A wait that was set; raises `Misconfigured` for anything but 0 to 300 whole seconds.

    >>> seconds("GATEWAY_VODACOM_SESSION_WAIT", "30")
    30
    >>> seconds("GATEWAY_VODACOM_SESSION_WAIT", "soon")
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_VODACOM_SESSION_WAIT must be 0 to 300 whole seconds
    """
    is_short = value.isascii() and value.isdigit() and len(value) <= len(str(SECONDS_MAX))
    if not is_short or int(value) > SECONDS_MAX:
        raise Misconfigured(f"{setting} must be 0 to {SECONDS_MAX} whole seconds")
    return int(value)
