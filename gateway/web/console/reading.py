"""How the console writes what it shows: local times, money, people, and pages of a list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from http import HTTPStatus
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from flask import Response, request

from gateway.clock import day_that_ends
from gateway.formats import money, msisdn
from gateway.people.staff.hands import PREFIX
from gateway.web.console import actions
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.show import shown

T = TypeVar("T")
ROWS_MAX: Final = 50  # of one page
# What a page says after a form was taken, by the word in its address.
DONE: Final = {
    "asked": "Asked: it is done once a second operator approves it.",
    "paid": "Recorded as paid.",
    "rejected": "Rejected: the money is with its owner again.",
    "sent": "Given to the worker again.",
    "seen": "Taken off the list of what needs an operator.",
    "held": "Held: it is paid once its day is reconciled and clean.",
    "opened": "Opened. The customer is told by SMS.",
    "ended": "Resolved. The customer is told by SMS.",
    "confirmed": "Confirmed: the customer has the money.",
    "approved": "Approved, and done.",
    "refused": "Refused: nothing is done.",
    "wallet-freeze": "Frozen: nothing goes in or out. The owner is told by SMS.",
    "wallet-unfreeze": "Working again. The owner is told by SMS.",
    "wallet-verify": "Verified: the owner can set a PIN and spend.",
    "wallet-tier": "The wallet has the caps of its new tier.",
    "token-suspend": "Suspended: it can neither be redeemed nor expire.",
    "token-resume": "Resumed: it can be redeemed until it expires.",
    "token-cancel": "Cancelled: its value is with whoever paid for it again.",
    "token-reprint": "Its SMS goes to the recorded recipient once more.",
    "partner-made": "Made. It can issue once its float is funded.",
    "partner-suspend": "Suspended: nothing is issued for it. Its tokens stay good.",
    "partner-resume": "Resumed: it can issue again.",
    "staff-hire": "Taken on: they can log in with their phone and the PIN.",
    "staff-disable": "Disabled: out of every page at once.",
    "staff-enable": "They can work again.",
    "staff-move": "Moved: they open their tills there from now on.",
    "staff-unlock": "Unlocked: they may try their PIN again.",
    "outlet-made": "Set up. Add its tills next, then its staff.",
    "outlet-freeze": "Frozen: nothing is paid there, and its bank is paid nothing.",
    "outlet-unfreeze": "Working again.",
    "outlet-close": "Closed for good.",
    "till-made": "Added: a cashier can open it.",
    "till-limit": "Every shift at it has the new limit, the open one too.",
    "till-freeze": "Frozen: it pays nothing. Its shift can still be closed.",
    "till-unfreeze": "It pays again.",
    "till-close": "Closed for good.",
    "count-accepted": "Accepted: the shift is closed, and the outlet is owed what its till was.",
    "count-closed": "Counted as expected: the shift is closed, and the outlet is owed its money.",
    "count-made": "Counted. Somebody else accepts the count now.",
    "switch-pause": "Paused, in every process within a second.",
    "switch-resume": "Resumed: what waited goes on by itself.",
}
NUMBER_MAX: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Reader:
    """How a page writes what it holds."""

    zone: ZoneInfo
    now: datetime

    def minute(self, instant: datetime) -> str:
        """A local time to the minute.

        >>> from datetime import UTC
        >>> now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        >>> Reader(ZoneInfo("Africa/Lagos"), now).minute(now)
        '2 Mar 2026, 10:00'
        """
        local = instant.astimezone(self.zone)
        return f"{self.day(local.date())}, {local:%H:%M}"

    def day(self, day: date) -> str:
        """A day.

        >>> Reader(ZoneInfo("Africa/Lagos"), datetime(2026, 3, 2)).day(date(2026, 3, 2))
        '2 Mar 2026'
        """
        return f"{day.day} {day:%b %Y}"

    def deadline(self, instant: datetime) -> str:
        """A deadline: the last day that counts, where it is the end of a local day.

        >>> from datetime import UTC
        >>> reader = Reader(ZoneInfo("Africa/Lagos"), datetime(2026, 3, 2))
        >>> reader.deadline(datetime(2026, 12, 30, 23, 0, tzinfo=UTC))
        '30 Dec 2026'
        >>> reader.deadline(datetime(2026, 12, 30, 22, 30, tzinfo=UTC))
        '30 Dec 2026, 23:30'
        """
        day = day_that_ends(instant, self.zone)
        return self.day(day) if day else self.minute(instant)

    def until(self, instant: datetime) -> str:
        """How far off a deadline is, in whole days or hours.

        >>> from datetime import UTC
        >>> reader = Reader(ZoneInfo("UTC"), datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
        >>> reader.until(datetime(2026, 3, 4, 9, 0, tzinfo=UTC))
        'in 2 days'
        >>> reader.until(datetime(2026, 3, 2, 10, 30, tzinfo=UTC))
        'in 1 hour'
        >>> reader.until(datetime(2026, 3, 1, 8, 0, tzinfo=UTC))
        'overdue by 1 day'
        """
        off = abs(instant - self.now)
        hours = off.days * 24 + off.seconds // 3600
        count, unit = (hours // 24, "day") if hours >= 24 else (hours, "hour")
        span = f"{count} {unit}{'' if count == 1 else 's'}" if count else "less than an hour"
        return f"in {span}" if instant > self.now else f"overdue by {span}"

    def money(self, amount: Decimal, currency: str) -> str:
        """An amount with its currency."""
        return f"{currency} {money.grouped(amount)}"

    def amount(self, amount: Decimal) -> str:
        """An amount of which everybody knows the currency."""
        return money.grouped(amount)

    def kept_amount(self, text: str) -> str:
        """An amount that was kept as text; any other text as it is."""
        return money.regrouped(text)

    def plain(self, amount: Decimal) -> str:
        """An amount as a field takes it."""
        return money.plain(amount)

    def masked(self, place: str) -> str:
        """Where money goes, in a list: a phone is not shown in full there."""
        return msisdn.masked(place) if place.startswith("+") else place

    def did(self, action: str) -> str:
        """What an action of the trail is called."""
        return actions.called(action)

    def who(self, actor: str) -> str:
        """Who an actor's name means, to people.

        >>> reader = Reader(ZoneInfo("UTC"), datetime(2026, 3, 2))
        >>> reader.who("staff:7:Ada Obi"), reader.who("cli:root"), reader.who("+2348030000001")
        ('Ada Obi', 'root, by command', '+2348030000001')
        """
        kind, _, rest = actor.partition(":")
        if kind == PREFIX:
            return rest.partition(":")[2] or actor
        return f"{rest}, by command" if kind == "cli" and rest else actor


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some rows of a list, and the ways to the others."""

    rows: Sequence[T]
    first: str = ""  # the way to the first page; empty on it
    further: str = ""  # the way to the next one; empty on the last


def read(
    parts: ConsoleParts, template: str, status: HTTPStatus = HTTPStatus.OK, **values: Any
) -> Response:
    """A page of the console that can write times and money."""
    reader = Reader(parts.zone, parts.clock.now())
    done = DONE.get(request.args.get("done", ""), "") if request.method == "GET" else ""
    return shown(template, status, read=reader, minute=reader.minute, done=done, **values)


def page_of(
    query: Callable[[int | None, int], Sequence[T]], mark_of: Callable[[T], int], name: str = "from"
) -> Page[T]:
    """The page of a list that the address asks for; a mark that is none means the first one."""
    mark = number(request.args.get(name, ""))
    found = query(mark, ROWS_MAX + 1)
    rows = found[:ROWS_MAX]
    further = _way(name, mark_of(rows[-1])) if len(found) > ROWS_MAX else ""
    return Page(rows, _way(name, None) if mark is not None else "", further)


def number(text: str) -> int | None:
    """A row's number as an address has it; None for anything else.

    >>> number("12"), number("-1"), number("٣"), number("9" * 30), number("")
    (12, None, None, None, None)
    """
    if not (text.isascii() and text.isdigit() and len(text) < len(str(NUMBER_MAX))):
        return None
    return int(text)


def _way(name: str, mark: int | None) -> str:
    kept = {key: value for key, value in request.args.items() if key not in (name, "done")}
    asked = kept if mark is None else {**kept, name: str(mark)}
    return f"{request.path}?{urlencode(asked)}" if asked else request.path
