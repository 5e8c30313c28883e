"""The console's page of limits: the breaker, who is limited now, and the caps and fees as set."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from flask import Blueprint, Response

from gateway.outbox import store as outbox
from gateway.people.staff import store as staff
from gateway.people.staff.hands import PREFIX
from gateway.settings.limits import AGENT_CAPS, CAPS, Money
from gateway.tokens.guesses import limits, standing
from gateway.tokens.guesses.standing import Kind
from gateway.tokens.tills import pay
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.reading import read
from gateway.web.pages.door import AT_CONSOLE, allowed
from menus.settings import TARGET

LISTED_MAX: Final = 100
# Whose wrong entries are counted, and what they are.
KINDS: Final[Mapping[Kind, str]] = {
    Kind("phone:", limits.PHONE): "Tokens, by phone",
    Kind("cashier:", pay.CASHIER): "Tokens, at a counter",
    Kind("typing:", limits.TYPING): "Mistyped entries",
    Kind("block:", limits.PHONE): "PINs of others, to block",
    Kind("blocked:", TARGET): "Its PIN, to block it",
}
BILL_PERIOD: Final = timedelta(days=1)
CAP_NAMES: Final = {
    "debit": "One payment",
    "debits_a_day": "Spent in a day",
    "credits_a_day": "Taken in a day",
    "balance": "Balance",
    "a_day": "All of an agent’s payments in a day",
    "per_customer": "Payments to one customer in a day",
}
SERVICE_NAMES: Final = {
    "send": "Sending a token",
    "withdraw_mobile": "Withdrawing to mobile money",
    "withdraw_cash": "Withdrawing cash",
    "top_up": "Topping up",
}


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/limits`."""

    @pages.get("/limits")
    @allowed(*AT_CONSOLE)
    def limits_now() -> Response:
        """As they stand now."""
        now = parts.clock.now()
        with parts.database.snapshot() as connection:
            values: dict[str, Any] = {
                "breaker": standing.breaker(connection, now),
                "channels": standing.channels(connection, now, LISTED_MAX),
                "limited": standing.limited(connection, list(KINDS), now, LISTED_MAX),
                "billed": outbox.handed_over_since(connection, now - BILL_PERIOD),
                "names": {
                    f"{PREFIX}:{member.id}": member.name for member in staff.every(connection)
                },
            }
        values |= {"kinds": KINDS, "bill": parts.bill, "caps": parts.caps}
        values |= {"tiers": _tiers(parts.caps), "agent": _agent(parts.caps)}
        values |= {"fees": _fees(parts.caps), "heads": _heads(), "currency": parts.currency}
        return read(parts, "console/limits.html", **values)


def _heads() -> Sequence[str]:
    return ["Tier", *(f"*{CAP_NAMES[cap]}" for cap in CAPS)]


def _tiers(caps: Money) -> Sequence[tuple[str, Sequence[Decimal | None]]]:
    """Each tier with its caps, in the order of CAPS; None: none."""
    return [(name, [given.get(cap) for cap in CAPS]) for name, given in caps.tiers.items()]


def _agent(caps: Money) -> Sequence[tuple[str, Decimal | None]]:
    return [(CAP_NAMES[cap], caps.agent.get(cap)) for cap in AGENT_CAPS]


def _fees(caps: Money) -> Sequence[tuple[str, Sequence[tuple[Decimal, Decimal]]]]:
    return [(words, caps.fees.get(service, ())) for service, words in SERVICE_NAMES.items()]
