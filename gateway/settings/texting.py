"""Settings of what people may ask for by SMS."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.errors import Misconfigured

STATES = {"on": True, "off": False}


@dataclass(frozen=True, slots=True)
class Texting:
    """What an SMS may ask for."""

    balance: bool = True  # a PIN that is sent stays in the phone, and passes the aggregator


def read(env: Mapping[str, str]) -> Texting:
    """What `GATEWAY_SMS_BALANCE` says; raises `Misconfigured` for another word than on or off.

    >>> read({}).balance, read({"GATEWAY_SMS_BALANCE": "off"}).balance
    (True, False)
    >>> read({"GATEWAY_SMS_BALANCE": "no"})
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_SMS_BALANCE is on or off
    """
    state = env.get("GATEWAY_SMS_BALANCE", "on").strip()
    if state not in STATES:
        raise Misconfigured("GATEWAY_SMS_BALANCE is on or off")
    return Texting(STATES[state])
