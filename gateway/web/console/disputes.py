"""The console's pages of disputes: what must be answered by when, and how each may end."""

from dataclasses import replace
from decimal import Decimal
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.audit import store as audit
from gateway.audit.decisions.store import Approval
from gateway.audit.listing import store as asked
from gateway.clock import end_of_local_day
from gateway.disputes import store
from gateway.disputes.listing import store as listing
from gateway.disputes.open import DAYS_MAX, DEFAULT_DAYS, Complaint, is_stopped, known
from gateway.disputes.refund import OWNER
from gateway.disputes.resolve import APPROVAL, WORDS
from gateway.disputes.states import RULES, Kind, State
from gateway.disputes.store import Dispute
from gateway.errors import BadInput
from gateway.formats import money, msisdn
from gateway.ledger.books import ZERO
from gateway.ledger.store import HOUSE
from gateway.tokens import serials
from gateway.web.console.doing import By, Mistake, Stale, done, has_asked, has_done, seen_of, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.people import named, repeatable
from gateway.web.console.reading import number, page_of, read
from gateway.web.pages.answers import problem, sent_on
from gateway.web.pages.door import AT_CONSOLE, allowed

ROOT: Final = "/console/disputes"
OPEN, RESOLVED = "open", "resolved"
TABS: Final = (
    (OPEN, "Open", "No dispute is open. What customers complain about appears here."),
    (RESOLVED, "Resolved", "No dispute has been resolved yet."),
)
LINES_MAX: Final = 100  # of one dispute's history
ENDS: Final = {"release": State.RELEASED, "reject": State.REJECTED, "refund": State.REFUNDED}
# Who pays a refund, as the form says it.
SOURCES: Final = ((OWNER, "whoever redeemed it"), (HOUSE, "the house"))


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/disputes` and what is below it."""

    @pages.get("/disputes")
    @allowed(*AT_CONSOLE)
    def disputes() -> Response:
        """The open ones by their deadline, or those that have ended."""
        return _list(parts)

    @pages.post("/disputes")
    @allowed(*AT_CONSOLE)
    def find_dispute() -> Response:
        """Where the search leads: posted, so that no address keeps what was typed."""
        return _list(parts, typed("find"))

    @pages.get("/disputes/open")
    @allowed(*AT_CONSOLE)
    def new_dispute() -> Response:
        """The form to open one."""
        return _form(parts)

    @pages.post("/disputes/open")
    @allowed(*AT_CONSOLE)
    def open_dispute() -> Response:
        """Open one; what can be stopped of its subject is stopped."""
        return _open(parts)

    @pages.get("/disputes/<reference>")
    @allowed(*AT_CONSOLE)
    def dispute(reference: str) -> Response:
        """One dispute, what was done about it, and how it may end."""
        return _one(parts, reference)

    @pages.post("/disputes/<reference>/<any(release, reject):how>")
    @allowed(*AT_CONSOLE)
    def end_dispute(reference: str, how: str) -> Response:
        """Let the subject go on, or turn the complaint down."""
        return _end(parts, reference, how)

    @pages.post("/disputes/<reference>/refund")
    @allowed(*AT_CONSOLE)
    def refund_dispute(reference: str) -> Response:
        """Ask a second operator for a refund."""
        return _refund(parts, reference)


def _open(parts: ConsoleParts) -> Response:
    def work(connection: Connection, by: By) -> str:
        days = number(typed("days"))
        if days is None or not 1 <= days <= DAYS_MAX:
            raise BadInput(f"the deadline lies 1 to {DAYS_MAX} days ahead")
        phone = msisdn.parse(typed("phone"), parts.country)
        complaint = Complaint(typed("subject"), phone, by.actor, by.reason, days)
        _insist_none_since(connection, by, _subject(typed("subject")))
        opened = parts.disputes.open(connection, complaint, by.now)
        _insist_none_since(connection, by, opened.subject, opened)  # its subject is locked now
        return _way(opened, "opened")

    def was_done(connection: Connection, by: By) -> str | None:
        found = store.open_about(connection, _subject(typed("subject")))
        if found is None or not _is_as_typed(parts, found):
            return None
        by_itself = replace(by, seen=None)  # the page knew of disputes, not of this one's trail
        is_done = has_done(connection, by_itself, "dispute.open", found.reference)
        return _way(found, "opened") if is_done else None

    return done(parts, "open", work, lambda mistake: _form(parts, mistake), was_done)


def _insist_none_since(
    connection: Connection, by: By, subject: str, own: Dispute | None = None
) -> None:
    """Raise `Stale` if a dispute about it was opened since the page was made, but for its `own`."""
    others = [d for d in listing.about(connection, subject, 2) if d != own]
    if by.seen is None or any(dispute.id > by.seen for dispute in others):
        raise Stale


def _is_as_typed(parts: ConsoleParts, dispute: Dispute) -> bool:
    """Whether it is for whom the form says, until when it says."""
    days = number(typed("days")) or 0
    try:
        phone = msisdn.parse(typed("phone"), parts.country)
    except msisdn.InvalidMsisdn:
        return False
    if not 1 <= days <= DAYS_MAX:
        return False
    deadline = end_of_local_day(dispute.opened_at, days, parts.zone)
    return (dispute.on_behalf, dispute.deadline) == (phone, deadline)


def _end(parts: ConsoleParts, reference: str, how: str) -> Response:
    do = parts.resolver.release if how == "release" else parts.resolver.reject

    def work(connection: Connection, by: By) -> str:
        return _way(do(connection, reference, by.actor, by.reason, by.now), "ended")

    def was_done(connection: Connection, by: By) -> str | None:
        found = _found(connection, reference)
        action = f"dispute.{ENDS[how].value}"
        if found is None or not has_done(connection, by, action, found.reference):
            return None
        return _way(found, "ended")

    def again(mistake: Mistake) -> Response:
        return _one(parts, reference, mistake)

    return done(parts, how, work, again, was_done, about=_tidy(reference))


def _refund(parts: ConsoleParts, reference: str) -> Response:
    def work(connection: Connection, by: By) -> str:
        amount = money.parse(typed("amount")) if typed("amount") else None
        source = typed("source") or OWNER
        args = (reference, amount, source, by.actor, by.reason, by.now)
        parts.resolver.ask(connection, *args)
        return _way(known(connection, reference), "asked")

    def was_done(connection: Connection, by: By) -> str | None:
        found = _found(connection, reference)
        waits = has_asked(connection, by, APPROVAL, found.reference) if found else None
        if found is None or waits is None or not _is_same(connection, found, waits):
            return None
        return _way(found, "asked")

    def again(mistake: Mistake) -> Response:
        return _one(parts, reference, mistake)

    return done(parts, "refund", work, again, was_done, about=_tidy(reference))


def _is_same(connection: Connection, dispute: Dispute, waits: Approval) -> bool:
    """Whether what waits is over the amount that was typed, or what is left, from that payer."""
    source = HOUSE if dispute.kind == Kind.PAID else typed("source") or OWNER
    try:
        amount = money.parse(typed("amount")) if typed("amount") else _left(connection, dispute)
    except BadInput:
        return False
    return (waits.details["amount"], waits.details["from"]) == (money.plain(amount), source)


def _left(connection: Connection, dispute: Dispute) -> Decimal:
    """What of the subject was not refunded yet."""
    return dispute.amount - sum(store.refunds(connection, dispute.kind, dispute.subject), ZERO)


def _way(dispute: Dispute, word: str) -> str:
    return f"{ROOT}/{dispute.reference}?done={word}"


def _found(connection: Connection, reference: str) -> Dispute | None:
    written = _tidy(reference)
    return store.by_reference(connection, written) if written else None


def _tidy(reference: str) -> str:
    """A dispute's name as it is kept; empty for what is none."""
    return serials.normalise(reference) or ""


def _list(parts: ConsoleParts, wanted: str = "") -> Response:
    now = parts.clock.now()
    tab = TABS[1] if request.args.get("show") == RESOLVED else TABS[0]
    query = listing.nearest if tab[0] == OPEN else listing.resolved
    with parts.database.snapshot() as connection:
        found = _sought(connection, wanted)
        opened, overdue = listing.count(connection, now)
        page = page_of(lambda mark, rows_max: query(connection, mark, rows_max), lambda one: one.id)
    if found is not None:
        return sent_on(f"{ROOT}/{found.reference}")
    missed = f"There is no dispute {named(wanted)}, and none about it." if wanted else ""
    status = HTTPStatus.NOT_FOUND if missed else HTTPStatus.OK
    values = {"tabs": TABS, "tab": tab, "counts": {OPEN: opened}, "overdue": overdue}
    more = {"page": page, "wanted": repeatable(wanted), "missed": missed, "kinds": WORDS}
    return read(parts, "console/disputes.html", status, **values, **more)


def _sought(connection: Connection, wanted: str) -> Dispute | None:
    """A dispute by its own name, or the latest about a token or a withdrawal."""
    if not wanted:
        return None
    return _found(connection, wanted) or next(
        iter(listing.about(connection, _subject(wanted), 1)), None
    )


def _form(parts: ConsoleParts, mistake: Mistake | None = None) -> Response:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    values = {"subject": repeatable(request.args.get("subject", "")), "days": DEFAULT_DAYS}
    if mistake:  # also when somebody typed a token's digits instead of its serial
        subject = repeatable(mistake.typed.get("subject", ""))
        mistake = replace(mistake, typed={**mistake.typed, "subject": subject})
    with parts.database.snapshot() as connection:
        values["seen"] = listing.newest(connection)
    return read(parts, "console/dispute_open.html", status, mistake=mistake, **values)


def _one(parts: ConsoleParts, reference: str, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        found = _found(connection, reference)
        if found is None:
            return problem(HTTPStatus.NOT_FOUND, "There is no dispute with this reference.")
        values = {
            "one": found,
            "left": _left(connection, found),
            "seen": seen_of(connection, found.reference),
            "trail": audit.latest(connection, LINES_MAX, subject=found.reference),
            "waits": asked.waiting_about(connection, (APPROVAL,), found.reference),
        }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    more = {
        "kinds": WORDS,
        "is_stopped": is_stopped(found),
        "ends": _ends(found),
        "partial": RULES[Kind(found.kind)].partial,
        "sources": SOURCES if found.kind == Kind.REDEMPTION else (),
        "mistake": mistake,
    }
    return read(parts, "console/dispute.html", status, **values, **more)


def _ends(dispute: Dispute) -> frozenset[str]:
    """How it may end from here."""
    ends = RULES[Kind(dispute.kind)].ends if dispute.state == State.OPEN else ()
    return frozenset(how for how, end in ENDS.items() if end in ends)


def _subject(text: str) -> str:
    """A token's serial or a withdrawal's reference, as they are kept."""
    return "".join(letter for letter in text.upper() if letter not in " -.")
