"""The console's pages of approvals: what waits for a second operator, and what was decided."""

from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.audit import store as audit
from gateway.audit.approvals import EXPIRES_AFTER, person
from gateway.audit.decisions import store as decisions
from gateway.audit.decisions.store import State
from gateway.errors import BadInput
from gateway.web.console import approvals_words as words
from gateway.web.console.doing import By, Mistake, Work, actor, done
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.reading import page_of, read
from gateway.web.pages.answers import problem, sentence
from gateway.web.pages.door import AT_CONSOLE, allowed

ROOT: Final = "/console/approvals"
WAITING, DECIDED = "waiting", "decided"
TABS: Final = (
    (WAITING, "Waiting", "Nothing waits for a second operator."),
    (DECIDED, "Decided", "Nothing has been decided yet."),
)
LINES_MAX: Final = 50  # of the trail


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/approvals` and what is below it."""

    @pages.get("/approvals")
    @allowed(*AT_CONSOLE)
    def approvals() -> Response:
        """What waits, or what was decided."""
        return _list(parts)

    @pages.get("/approvals/<int:number>")
    @allowed(*AT_CONSOLE)
    def approval(number: int) -> Response:
        """One request, and what exactly would be done."""
        return _one(parts, number)

    @pages.post("/approvals/<int:number>/approve")
    @allowed(*AT_CONSOLE)
    def approve_request(number: int) -> Response:
        """Approve it, and do it."""

        def work(connection: Connection, by: By) -> str:
            parts.approvals.approve(connection, number, by.actor, by.now, by.reason)
            return f"{ROOT}/{number}?done=approved"

        return _decided(parts, number, "approve", State.APPROVED, work)

    @pages.post("/approvals/<int:number>/refuse")
    @allowed(*AT_CONSOLE)
    def refuse_request(number: int) -> Response:
        """Refuse it for good, or take back one's own."""

        def work(connection: Connection, by: By) -> str:
            parts.approvals.refuse(connection, number, by.actor, by.reason, by.now)
            return f"{ROOT}/{number}?done=refused"

        return _decided(parts, number, "refuse", State.REFUSED, work)


def _decided(parts: ConsoleParts, number: int, form: str, after: State, work: Work) -> Response:
    def was_done(connection: Connection, by: By) -> str | None:
        found = decisions.by_id(connection, number)
        mine = found is not None and found.state == after and found.decided_by == by.actor
        return f"{ROOT}/{number}?done={after.value}" if mine else None

    return done(parts, form, work, lambda mistake: _one(parts, number, mistake), was_done)


def _list(parts: ConsoleParts) -> Response:
    tab = TABS[1] if request.args.get("show") == DECIDED else TABS[0]
    query, now = parts.approvals.decided, parts.clock.now()
    if tab[0] == WAITING:
        query = parts.approvals.waiting
    with parts.database.snapshot() as connection:
        counts = {WAITING: parts.approvals.count(connection, now)}
        page = page_of(
            lambda before, rows_max: query(connection, now, before, rows_max), lambda one: one.id
        )
    mine = {one.id for one in page.rows if person(one.asked_by) == person(actor())}
    values = {"tabs": TABS, "tab": tab, "counts": counts, "page": page, "mine": mine}
    return read(parts, "console/approvals.html", HTTPStatus.OK, words=words, **values)


def _one(parts: ConsoleParts, number: int, mistake: Mistake | None = None) -> Response:
    now = parts.clock.now()
    with parts.database.snapshot() as connection:
        try:
            found = parts.approvals.one(connection, number, now)
        except BadInput:
            return problem(HTTPStatus.NOT_FOUND, "There is no approval with this number.")
        objection = parts.approvals.objection(connection, found, actor(), now)
        trail = audit.latest(connection, LINES_MAX, subject=found.subject)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    values = {
        "one": found,
        "words": words,
        "objection": sentence(objection),
        "is_mine": person(found.asked_by) == person(actor()),
        "until": found.asked_at + EXPIRES_AFTER,
        "trail": trail,
        "mistake": mistake,
    }
    return read(parts, "console/approval.html", status, **values)
