"""The console's front page: what needs somebody now, and two pictures of the day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from flask import Blueprint, Response
from sqlalchemy import Connection

from gateway.audit.overview import store as audit
from gateway.ledger.overview import store as ledger
from gateway.outbox.overview import store as outbox
from gateway.tokens.keys import readiness
from gateway.tokens.overview import store as tokens
from gateway.web.console.attention import attention
from gateway.web.console.item import Item
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.pictures import Picture, side_by_side, up_and_down
from gateway.web.console.reading import read
from gateway.web.pages.door import AT_CONSOLE, allowed

HOURS: Final = 24
LABEL_EVERY: Final = 6
# How long something has been due.
AGES: Final = (
    (timedelta(minutes=1), "< 1 min"),
    (timedelta(minutes=5), "< 5 min"),
    (timedelta(minutes=15), "< 15 min"),
    (timedelta(hours=1), "< 1 h"),
    (timedelta(hours=6), "< 6 h"),
    (timedelta(days=36_500), "longer"),
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture with the numbers that it was drawn from."""

    picture: Picture
    rows: Sequence[tuple[str, Sequence[int]]]
    totals: Sequence[int]


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console`."""

    @pages.get("")
    @allowed(*AT_CONSOLE)
    def front() -> Response:
        """What waits for an operator."""
        now = parts.clock.now()
        obstacles = readiness.obstacles(parts.database, parts.rings)
        with parts.database.snapshot() as connection:
            items = [*map(_obstacle, obstacles), *attention(parts, connection, now)]
            by_hour = redemptions(connection, now, parts.zone)
            ages = outbox_ages(connection, now)
        return read(parts, "console/front.html", items=items, by_hour=by_hour, ages=ages)


def _obstacle(words: str) -> Item:
    return Item(None, "This process is not ready for callers", more=words, urgent=True)


def redemptions(connection: Connection, now: datetime, zone: ZoneInfo) -> Drawn:
    """Redemptions and what was refused in each of the last `HOURS` hours, this one the last."""
    bounds = hours_until(now, zone)
    redeemed = ledger.moved(connection, "redeem", bounds)
    refused = audit.recorded(connection, "token.refused", bounds)
    wrong = tokens.wrong_entries(connection, bounds)
    # What was refused counts as a wrong entry too, of which a source keeps its latest hour alone.
    failed = [max(pair) for pair in zip(refused, wrong, strict=True)]
    names = [f"{bound.astimezone(zone):%H:%M}" for bound in bounds[:-1]]
    labels = [name if n % LABEL_EVERY == 0 else "" for n, name in enumerate(names)]
    columns = (redeemed, failed)
    return Drawn(
        up_and_down(redeemed, failed, labels, ("good", "bad")),
        list(zip(names, zip(*columns, strict=True), strict=True)),
        [sum(column) for column in columns],
    )


def hours_until(now: datetime, zone: ZoneInfo) -> Sequence[datetime]:
    """The bounds of the last hours by the clock of a zone, as instants; this hour is the last.

    >>> bounds = hours_until(datetime(2026, 3, 2, 9, 40, tzinfo=UTC), ZoneInfo("Asia/Kolkata"))
    >>> len(bounds), bounds[0].isoformat(), bounds[-1].isoformat()
    (25, '2026-03-01T10:30:00+00:00', '2026-03-02T10:30:00+00:00')
    """
    local = now.astimezone(zone)
    past = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
    end = now.astimezone(UTC) - past + timedelta(hours=1)
    return [end - timedelta(hours=n) for n in range(HOURS, -1, -1)]


def outbox_ages(connection: Connection, now: datetime) -> Drawn:
    """What is due and not yet sent or done, by how long it has been due."""
    soon = now + timedelta(microseconds=1)
    bounds = [*(now - age for age, _ in reversed(AGES)), soon]
    columns = [
        list(reversed(counts))
        for counts in (outbox.due_sms(connection, bounds), outbox.due_tasks(connection, bounds))
    ]
    groups = list(zip(*columns, strict=True))
    labels = [label for _, label in AGES]
    return Drawn(
        side_by_side(groups, labels, ("wait", "good")),
        list(zip(labels, groups, strict=True)),
        [sum(column) for column in columns],
    )
