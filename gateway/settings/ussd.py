"""Settings of USSD: how much a network shows, and which codes are ours."""

import re
from collections.abc import Mapping

from gateway.errors import Misconfigured

SCREEN_SEPTETS_MIN, SCREEN_SEPTETS_MAX = 60, 182
CODE = re.compile(r"\*[0-9]+(\*[0-9]+)*#", re.ASCII)


def codes(text: str) -> Mapping[str, str]:
    """`hubtel:*711*2#,nalo:*920*44#` as service codes by channel.

    >>> codes("hubtel:*711*2#, nalo:*920*44#")
    {'hubtel': '*711*2#', 'nalo': '*920*44#'}
    >>> codes("hubtel:711")
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_USSD_CODES is written like hubtel:*711*2#,nalo:*920*44#
    """
    found = {}
    for word in words(text):
        channel, _, code = word.partition(":")
        if not CODE.fullmatch(code):
            raise Misconfigured("GATEWAY_USSD_CODES is written like hubtel:*711*2#,nalo:*920*44#")
        found[channel] = code
    return found


def budgets(text: str) -> dict[str, int]:
    """`63902:160,63903:184` as septets by network code; a USSD string holds 182 at most."""
    found = {}
    for word in words(text):
        network, _, septets = word.partition(":")
        if not (septets.isascii() and septets.isdigit()):
            raise Misconfigured("GATEWAY_USSD_BUDGETS is written like 63902:160,63903:182")
        if not SCREEN_SEPTETS_MIN <= int(septets) <= SCREEN_SEPTETS_MAX:
            raise Misconfigured(
                f"GATEWAY_USSD_BUDGETS: {SCREEN_SEPTETS_MIN} to {SCREEN_SEPTETS_MAX} septets"
            )
        found[network] = int(septets)
    return found


def words(text: str) -> list[str]:
    """What commas part, without what is empty."""
    return [word.strip() for word in text.split(",") if word.strip()]
