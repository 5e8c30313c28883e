"""What a cashier has paid today, at whatever till, and in a shift that began before midnight."""

from datetime import datetime, time

from flask import Blueprint, Response, g, request

from gateway.outlets.listing import store as listing
from gateway.web.counter import typed
from gateway.web.counter.parts import CounterParts
from gateway.web.counter.show import shown
from gateway.web.pages.door import AT_COUNTER, allowed

ROWS = 50


def routes(pages: Blueprint, parts: CounterParts) -> None:
    """`/counter/today`."""

    @pages.get("/today")
    @allowed(*AT_COUNTER)
    def today() -> Response:
        """The list, newest first, with its totals."""
        before = typed.number(request.args.get("before", ""))
        midnight = _midnight(parts)
        with parts.database.snapshot() as connection:
            shift = parts.counter.shift_of(connection, g.member.id)
            since = min(midnight, shift.opened_at) if shift else midnight
            totals = listing.totals(connection, g.member.id, since)
            rows = listing.of_cashier(connection, g.member.id, since, before, ROWS + 1)
        older = rows[ROWS - 1].id if len(rows) > ROWS else None
        return shown(
            *(parts, "counter/today.html"),
            shift=shift,
            since=since,
            totals=totals,
            older=older,
            rows=rows[:ROWS],
        )


def _midnight(parts: CounterParts) -> datetime:
    local = parts.clock.now().astimezone(parts.zone)
    return datetime.combine(local.date(), time(), parts.zone)
