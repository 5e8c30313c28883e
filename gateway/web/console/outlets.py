"""The console's pages of outlets: what they are owed, their tills, and counts to be accepted."""

from collections.abc import Callable
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response, g
from sqlalchemy import Connection

from gateway.audit.searched import store as audit
from gateway.audit.searched.store import Wanted
from gateway.errors import BadInput
from gateway.formats import money
from gateway.ledger import store as ledger
from gateway.ledger.listing import store as listing
from gateway.ledger.operate import Deed
from gateway.ledger.store import OUTLET, Account
from gateway.outlets import manage, store
from gateway.outlets.reports import store as reports
from gateway.outlets.reports.store import RedeemedLater
from gateway.outlets.shifts import store as shifts
from gateway.outlets.shifts.drawer import cash
from gateway.outlets.shifts.store import Shift, State
from gateway.outlets.store import Outlet, Status, Till
from gateway.people.staff.store import Role
from gateway.reconciliation.waiting import asked_for
from gateway.web.console.doing import By, Mistake, done, has_done, seen_of, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.reading import Page, number, page_of, read
from gateway.web.pages.answers import problem
from gateway.web.pages.door import AT_CONSOLE, allowed
from gateway.withdrawals.settlements import is_intent, new_intent

ROOT: Final = "/console/outlets"
ACCOUNTS_MAX: Final = 1_000
SHIFTS_MAX: Final = 100
LINES_MAX: Final = 100
LOOKED_BACK: Final = timedelta(days=30)
CASH_LOOKED_BACK: Final = timedelta(days=7)  # as what needs somebody does
RUNNING: Final = (State.OPEN, State.COUNTED)


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/outlets` and what is below it; tills have a module of their own."""

    @pages.get("/outlets")
    @allowed(*AT_CONSOLE)
    def outlets() -> Response:
        """All of them, and the counts that wait."""
        return _list(parts)

    @pages.post("/outlets")
    @allowed(Role.ADMIN)
    def create_outlet() -> Response:
        """Set one up."""

        def work(connection: Connection, by: By) -> str:
            facts = (typed("code"), typed("name"), typed("settle_to"), parts.currency)
            made = manage.create_outlet(connection, *facts, by.actor, by.now, by.reason)
            return way(made.code, "outlet-made")

        def was_done(connection: Connection, by: By) -> str | None:
            code = typed("code").upper()
            made = store.by_code(connection, code)
            facts = tuple(" ".join(typed(name).split()) for name in ("name", "settle_to"))
            if made is None or (made.name, made.settle_to) != facts:
                return None
            again = has_done(connection, by, manage.CREATE_OUTLET, code, fact=True)
            return way(code, "outlet-made") if again else None

        return done(parts, "create", work, lambda mistake: _list(parts, mistake), was_done)

    @pages.get("/outlets/<code>")
    @allowed(*AT_CONSOLE)
    def outlet(code: str) -> Response:
        """One of them."""
        return one(parts, code)

    _money(pages, parts)
    _counts(pages, parts)
    _stopping(pages, parts)


def _money(pages: Blueprint, parts: ConsoleParts) -> None:
    @pages.post("/outlets/<code>/settle")
    @allowed(*AT_CONSOLE)
    def settle_outlet(code: str) -> Response:
        """Hold what is owed, to be paid to the bank once the day is clean."""

        def work(connection: Connection, by: By) -> str:
            amount, intent = money.parse(typed("amount")), typed("intent")
            if not is_intent(intent):
                raise BadInput("this is no settlement: begin anew")
            deed = (intent, by.actor, by.reason, by.now)
            held = parts.outlets.settle(connection, code, amount, *deed)
            return f"/console/withdrawals/{held}?done=held"

        return done(parts, "settle", work, lambda mistake: one(parts, code, mistake), keyed=True)


def _counts(pages: Blueprint, parts: ConsoleParts) -> None:
    @pages.post("/outlets/<code>/shifts/<int:shift>/accept")
    @allowed(*AT_CONSOLE)
    def accept_count(code: str, shift: int) -> Response:
        """Accept the count that they saw, where no manager of the outlet can."""

        def work(connection: Connection, by: By) -> str:
            deed = Deed(by.actor, by.reason, by.now)
            closed = parts.counter.accept_from_office(connection, shift, _seen(), deed)
            if closed.accepted_by != by.actor:
                raise BadInput(f"this shift was accepted by {closed.accepted_by or 'nobody'}")
            return way(closed.outlet, "count-accepted")

        return done(parts, f"accept-{shift}", work, lambda mistake: one(parts, code, mistake))

    @pages.post("/outlets/<code>/shifts/<int:shift>/count")
    @allowed(*AT_CONSOLE)
    def count_shift(code: str, shift: int) -> Response:
        """Count the drawer, where neither its cashier nor a manager can."""

        def work(connection: Connection, by: By) -> str:
            deed = Deed(by.actor, by.reason, by.now)
            found, counter = cash(typed("counted")), parts.counter
            counted = counter.count_from_office(connection, shift, found, _seen(), deed)
            is_closed = counted.state == State.CLOSED
            return way(counted.outlet, "count-closed" if is_closed else "count-made")

        return done(parts, f"count-{shift}", work, lambda mistake: one(parts, code, mistake))


def _seen() -> int:
    """Which count was decided about; what is none is none that anybody has seen."""
    found = number(typed("counts"))
    return -1 if found is None else found


def _stopping(pages: Blueprint, parts: ConsoleParts) -> None:
    @pages.post("/outlets/<code>/freeze")
    @allowed(*AT_CONSOLE)
    def freeze_outlet(code: str) -> Response:
        """Let nothing be paid there."""
        return _stop(parts, code, "freeze", manage.freeze_outlet, manage.FREEZE_OUTLET)

    @pages.post("/outlets/<code>/unfreeze")
    @allowed(*AT_CONSOLE)
    def unfreeze_outlet(code: str) -> Response:
        """Let it work again."""
        return _stop(parts, code, "unfreeze", manage.unfreeze_outlet, manage.UNFREEZE_OUTLET)

    @pages.post("/outlets/<code>/close")
    @allowed(Role.ADMIN)
    def close_outlet(code: str) -> Response:
        """Close it for good."""
        return _stop(parts, code, "close", manage.close_outlet, manage.CLOSE_OUTLET)


def _stop(
    parts: ConsoleParts,
    code: str,
    form: str,
    act: Callable[[Connection, str, Deed], Outlet],
    action: str,
) -> Response:
    def work(connection: Connection, by: By) -> str:
        found = act(connection, code, Deed(by.actor, by.reason, by.now))
        return way(found.code, f"outlet-{form}")

    def was_done(connection: Connection, by: By) -> str | None:
        again = has_done(connection, by, action, code.upper())
        return way(code.upper(), f"outlet-{form}") if again else None

    def again(mistake: Mistake) -> Response:
        return one(parts, code, mistake)

    return done(parts, form, work, again, was_done, about=code.upper())


def way(code: str, word: str) -> str:
    """The page of an outlet, saying what was done."""
    return f"{ROOT}/{code}?done={word}"


def may_set_up() -> bool:
    """Whether whoever looks at the page may add outlets and tills, limit and close them."""
    return bool(g.member.role == Role.ADMIN)


def one(parts: ConsoleParts, code: str, mistake: Mistake | None = None) -> Response:
    """An outlet's page, with a form that was refused."""
    now = parts.clock.now()
    with parts.database.snapshot() as connection:
        found = store.by_code(connection, code.upper())
        if found is None:
            return problem(HTTPStatus.NOT_FOUND, "There is no outlet with this code.")
        tills = store.tills_of(connection, found.id)
        values: dict[str, Any] = {
            "one": found,
            "account": ledger.by_id(connection, found.account_id),
            "tills": _with_accounts(connection, tills),
            "running": shifts.listed(connection, len(tills), RUNNING, found.id),
            "later": _later(connection, now - LOOKED_BACK, found.id),
            "seen": seen_of(connection, found.code),
            "trail": [
                line.record
                for line in audit.page(connection, Wanted(subjects=[found.code]), None, LINES_MAX)
            ],
        }
    values |= {"mistake": mistake, "may": _may(found), "may_set_up": may_set_up()}
    values |= {"intent": new_intent(), "days": LOOKED_BACK.days, "currency": parts.currency}
    values |= {"run": asked_for(parts.reconciler, now, now).words}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    return read(parts, "console/outlet.html", status, **values)


def _later(connection: Connection, since: datetime, outlet_id: int) -> Page[RedeemedLater]:
    return page_of(
        lambda before, most: reports.redeemed_later(connection, since, most, outlet_id, before),
        lambda row: row.id,
    )


def _in_state(connection: Connection, state: State) -> Page[Shift]:
    return page_of(
        lambda before, most: shifts.listed(connection, most, (state,), None, before),
        lambda shift: shift.id,
        state.value,
    )


def _with_accounts(connection: Connection, tills: list[Till]) -> list[tuple[Till, Account]]:
    return [(till, ledger.by_id(connection, till.account_id)) for till in tills]


def _may(outlet: Outlet) -> frozenset[str]:
    """Which forms an outlet's page has; what else stands against one, it says when it is sent."""
    forms = {
        Status.OPEN: {"settle", "freeze", "close", "till"},
        Status.FROZEN: {"unfreeze", "close", "till"},
        Status.CLOSED: set[str](),
    }[outlet.stand]
    return frozenset(forms if may_set_up() else forms - {"close", "till"})


def _list(parts: ConsoleParts, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        every = sorted(store.every(connection), key=lambda outlet: outlet.id, reverse=True)
        held = listing.of_kind(connection, OUTLET, parts.currency, ACCOUNTS_MAX)
        counted = _in_state(connection, State.COUNTED)
        opened = _in_state(connection, State.OPEN)
        since = parts.clock.now() - CASH_LOOKED_BACK
        off = shifts.begun_otherwise(connection, since, SHIFTS_MAX)
    rows = page_of(
        lambda before, most: [one for one in every if before is None or one.id < before][:most],
        lambda one: one.id,
    )
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    values: dict[str, Any] = {"page": rows, "held": held, "counted": counted, "opened": opened}
    values |= {"mistake": mistake, "may_set_up": may_set_up(), "currency": parts.currency}
    values |= {"off": off}
    return read(parts, "console/outlets.html", status, **values)
