"""Whole numbers among the settings."""

from collections.abc import Mapping

from gateway.errors import Misconfigured


def whole(env: Mapping[str, str], name: str, default: int, least: int = 0) -> int:
    """The number that a setting names; raises `Misconfigured`.

    >>> whole({"GATEWAY_X": "30"}, "GATEWAY_X", 7), whole({}, "GATEWAY_X", 7)
    (30, 7)
    >>> whole({"GATEWAY_X": "0"}, "GATEWAY_X", 7, least=1)
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_X is 1 at least
    >>> whole({"GATEWAY_X": "a year"}, "GATEWAY_X", 7)
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_X must be a whole number
    """
    text = env.get(name, str(default))
    if not (text.isascii() and text.isdigit()):
        raise Misconfigured(f"{name} must be a whole number")
    if int(text) < least:
        raise Misconfigured(f"{name} is {least} at least")
    return int(text)
