"""The console's pages of withdrawals: what is on its way out, and what is done about it."""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.audit import store as audit
from gateway.audit.listing import store as asked
from gateway.disputes.listing import store as disputes
from gateway.errors import BadInput
from gateway.ledger import store as ledger_store
from gateway.reconciliation.waiting import awaited
from gateway.web.console.doing import By, Mistake, done, has_asked, has_done, seen_of, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.people import named, repeatable
from gateway.web.console.reading import page_of, read
from gateway.web.pages.answers import problem, sent_on
from gateway.web.pages.door import AT_CONSOLE, allowed
from gateway.withdrawals import store
from gateway.withdrawals.events import store as events
from gateway.withdrawals.listing import store as listing
from gateway.withdrawals.listing.store import Shown
from gateway.withdrawals.operate import (
    BANK,
    FORCED,
    PAY_BY_HAND,
    PAYOUT,
    REJECT,
    Deed,
    known,
)
from gateway.withdrawals.store import MOBILE, SETTLEMENT, Payout, State, Withdrawal

ROOT: Final = "/console/withdrawals"
TABS: Final = (
    (Shown.MANUAL, "By hand", "Nothing needs an operator now."),
    (Shown.UNKNOWN, "Unknown", "No payout is without its provider's answer."),
    (Shown.STUCK, "Stuck", "Nothing is stuck: each has somebody or something that moves it on."),
    (Shown.HELD, "Held", "No money is held for a withdrawal."),
    (Shown.PAID, "Paid", "No withdrawal has been paid yet."),
    (Shown.REJECTED, "Rejected", "No withdrawal has been rejected yet."),
)
LINES_MAX: Final = 100  # of one withdrawal's history
KINDS: Final = (PAYOUT, PAY_BY_HAND, REJECT)
# How the trail calls what a form does, and what kind of approval it may ask for.
ACTIONS: Final = {
    "pay": "withdrawal.pay",
    "reject": "withdrawal.reject",
    "send": "withdrawal.send",
    "seen": "withdrawal.acknowledge",
}
ASKS: Final = {"pay": PAY_BY_HAND, "reject": REJECT, "send": PAYOUT}
# Does it; whether it was done at once.
Act = Callable[[Connection, Withdrawal, Deed, By], bool]


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/withdrawals` and what is below it."""

    @pages.get("/withdrawals")
    @allowed(*AT_CONSOLE)
    def withdrawals() -> Response:
        """One of the lists."""
        return _list(parts)

    @pages.post("/withdrawals")
    @allowed(*AT_CONSOLE)
    def find_withdrawal() -> Response:
        """Where the search leads: posted, so that no address keeps what was typed."""
        return _list(parts, typed("find"))

    @pages.get("/withdrawals/<reference>")
    @allowed(*AT_CONSOLE)
    def withdrawal(reference: str) -> Response:
        """One withdrawal, all that was said about it, and what can be done."""
        return _one(parts, reference)

    _deeds(pages, parts)


def _deeds(pages: Blueprint, parts: ConsoleParts) -> None:
    operators = parts.withdrawals

    @pages.post("/withdrawals/<reference>/pay")
    @allowed(*AT_CONSOLE)
    def pay_withdrawal(reference: str) -> Response:
        """Record that it was paid."""

        def act(connection: Connection, found: Withdrawal, deed: Deed, by: By) -> bool:
            through = typed("through")
            if through and through not in (*parts.statement_providers, found.provider):
                raise BadInput("say through which provider, or the bank")
            name, txn_id = found.reference, typed("txn_id")
            return operators.pay(connection, name, txn_id, through, deed, by.now)

        return _do(parts, reference, "pay", "paid", act)

    @pages.post("/withdrawals/<reference>/reject")
    @allowed(*AT_CONSOLE)
    def reject_withdrawal(reference: str) -> Response:
        """Give the money back."""

        def act(connection: Connection, found: Withdrawal, deed: Deed, by: By) -> bool:
            return operators.reject(connection, found.reference, deed, by.now)

        return _do(parts, reference, "reject", "rejected", act)

    @pages.post("/withdrawals/<reference>/send")
    @allowed(*AT_CONSOLE)
    def send_withdrawal(reference: str) -> Response:
        """Give it to the worker again."""

        def act(connection: Connection, found: Withdrawal, deed: Deed, by: By) -> bool:
            return operators.resend(connection, found.reference, deed, by.now)

        return _do(parts, reference, "send", "sent", act)

    @pages.post("/withdrawals/<reference>/seen")
    @allowed(*AT_CONSOLE)
    def see_withdrawal(reference: str) -> Response:
        """Take it off the list."""

        def act(connection: Connection, found: Withdrawal, deed: Deed, by: By) -> bool:
            operators.acknowledge(connection, found.reference, deed, by.now)
            return True

        return _do(parts, reference, "seen", "seen", act)


def _do(parts: ConsoleParts, reference: str, form: str, word: str, act: Act) -> Response:
    forced = bool(typed("force"))

    def work(connection: Connection, by: By) -> str:
        found = known(connection, _tidy(reference))
        deed = Deed(by.actor, by.reason, forced=forced)
        at_once = act(connection, found, deed, by)
        return _way(found, word if at_once else "asked")

    def was_done(connection: Connection, by: By) -> str | None:
        found = store.by_reference(connection, _tidy(reference))
        if found is None:
            return None
        if _is_done(connection, found, form, by):
            return _way(found, word)
        return _way(found, "asked") if _is_asked(connection, found, form, by) else None

    def again(mistake: Mistake) -> Response:
        return _one(parts, reference, mistake)

    return done(parts, form, work, again, was_done, about=_tidy(reference))


def _is_done(connection: Connection, found: Withdrawal, form: str, by: By) -> bool:
    """Whether this very person has just done this very thing."""
    if typed("force"):  # it would have asked somebody, and done nothing at once
        return False
    if form == "pay" and (found.provider_txn_id, found.paid_through) != _payment(found):
        return False
    return has_done(connection, by, ACTIONS[form], found.reference)


def _is_asked(connection: Connection, found: Withdrawal, form: str, by: By) -> bool:
    """Whether this very person has just asked a second one for this very thing."""
    kind = ASKS.get(form)
    waits = has_asked(connection, by, kind, found.reference) if kind else None
    if waits is None or bool(waits.details.get(FORCED)) != bool(typed("force")):
        return False
    paid = (waits.details.get("txn_id"), waits.details.get("through"))
    return form != "pay" or paid == _payment(found)


def _payment(found: Withdrawal) -> tuple[str, str]:
    """The payment that the form is about: under which id, and through whom."""
    return typed("txn_id"), typed("through") or found.provider or BANK


def _way(found: Withdrawal, word: str) -> str:
    return f"{ROOT}/{found.reference}?done={word}"


def _tidy(reference: str) -> str:
    return "".join(letter for letter in reference.upper() if letter not in " -.")


def _list(parts: ConsoleParts, wanted: str = "") -> Response:
    tab = next((tab for tab in TABS if tab[0] == request.args.get("show")), TABS[0])
    with parts.database.snapshot() as connection:
        found = store.by_reference(connection, _tidy(wanted)) if wanted else None
        counts = listing.counts(connection)
        rows = page_of(
            lambda before, rows_max: listing.page(connection, tab[0], before, rows_max),
            lambda one: one.id,
        )
        runs = {one.reference: _awaited(parts, connection, one) for one in rows.rows}
    if found is not None:
        return sent_on(f"{ROOT}/{found.reference}")
    missed = f"There is no withdrawal {named(wanted)}." if wanted else ""
    status = HTTPStatus.NOT_FOUND if missed else HTTPStatus.OK
    values = {"tabs": TABS, "tab": tab, "counts": counts, "page": rows, "missed": missed}
    values |= {"runs": runs, "wanted": repeatable(wanted)}
    return read(parts, "console/withdrawals.html", status, **values)


def _one(parts: ConsoleParts, reference: str, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        found = store.by_reference(connection, _tidy(reference))
        if found is None:
            return problem(HTTPStatus.NOT_FOUND, "There is no withdrawal with this reference.")
        values = {
            "one": found,
            "owner": ledger_store.by_id(connection, found.account_id),
            "said": events.about(connection, found.reference),
            "trail": audit.latest(connection, LINES_MAX, subject=found.reference),
            "disputes": disputes.about(connection, found.reference, LINES_MAX),
            "run": _awaited(parts, connection, found),
            "seen": seen_of(connection, found.reference),
            "waits": asked.waiting_about(connection, KINDS, found.reference),
        }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    through = _through(found, parts.statement_providers)
    more = {"may": _may(found), "through": through, "mistake": mistake}
    return read(parts, "console/withdrawal.html", status, **values, **more)


def _awaited(parts: ConsoleParts, connection: Connection, one: Withdrawal) -> str:
    """The run that a settlement waits for; empty for what waits for none."""
    if one.method != SETTLEMENT or one.state != State.HELD:
        return ""
    run = awaited(parts.reconciler, connection, one.requested_at, parts.clock.now())
    return run.words if run else ""


def _through(found: Withdrawal, providers: Sequence[str]) -> list[tuple[str, str]]:
    """Who may have paid it: whoever was to first."""
    usual = found.provider or BANK
    return [("", usual), *((name, name) for name in providers if name != usual)]


def _may(found: Withdrawal) -> frozenset[str]:
    """Which forms a withdrawal has; what else stands against one, it says when it is sent."""
    if found.state != State.HELD:
        return frozenset({"seen"} if found.payout == Payout.MANUAL else ())
    if found.payout == Payout.SENDING:
        return frozenset()
    goes_on = found.handed_over_at is None and found.provider and found.method == MOBILE
    return frozenset({"pay", "reject", "send"} if goes_on else {"pay", "reject"})
