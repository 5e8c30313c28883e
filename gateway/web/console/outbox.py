"""The console's pages of the outbox: what waits, what failed and why; never a text or digits."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.outbox.listed import store
from gateway.outbox.overview import store as overview
from gateway.outbox.store import SMS, Message, State
from gateway.switches import board
from gateway.switches import store as switches
from gateway.tokens import store as tokens
from gateway.tokens.issue import DELIVERY
from gateway.web.console.doing import By, Mistake, done, has_done, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.people import repeatable
from gateway.web.console.reading import page_of, read
from gateway.web.console.tokens import seen_reprints
from gateway.web.pages.answers import problem, sent_on
from gateway.web.pages.door import AT_CONSOLE, allowed

ROOT: Final = "/console/outbox"
WAITING: Final = (State.QUEUED, State.SENDING)
# The lists: key, label, what an empty one says, and the states in it.
TABS: Final = (
    ("waiting", "Waiting", "Nothing waits: every message and task has been seen to.", WAITING),
    ("failed", "Failed", "Nothing has failed.", (State.FAILED,)),
    ("unknown", "Unknown", "Of everything that was handed over an answer came.", (State.UNKNOWN,)),
    ("dropped", "Not wanted", "Nothing lost its purpose before its turn.", (State.DROPPED,)),
    (
        "all",
        "Everything",
        "Nothing was ever sent. Each text and each task appears here.",
        (*State,),
    ),
)
COUNTED: Final = ("waiting", "failed", "unknown")
COUNT_MAX: Final = 1_000
REPORTS_MAX: Final = 50
RESENT: Final = "token.resend"  # as the trail calls it
KINDS: Final[Mapping[str, str]] = {DELIVERY: "Token", "note": "Reply", "payout": "Payout"}
BADGES: Final[Mapping[str, str]] = {
    State.DELIVERED: "good",
    State.SENT: "good",
    State.FAILED: "bad",
    State.UNKNOWN: "wait",
}


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/outbox` and what is below it."""

    @pages.get("/outbox")
    @allowed(*AT_CONSOLE)
    def outbox() -> Response:
        """One of the lists."""
        return _list(parts, "", "")

    @pages.post("/outbox")
    @allowed(*AT_CONSOLE)
    def find_messages() -> Response:
        """Where the search leads: posted, so that no address keeps what was typed."""
        wanted = typed("find")
        try:
            asked = {"show": "all", "to": msisdn.parse(wanted, parts.country)}
        except msisdn.InvalidMsisdn:
            if not wanted or wanted != repeatable(wanted):
                missed = "That is neither a phone nor a serial nor a reference."
                return _list(parts, repeatable(wanted), missed)
            asked = {"show": "all", "about": wanted.upper()}
        return sent_on(f"{ROOT}?{urlencode(asked)}")

    @pages.get("/outbox/<int:row>")
    @allowed(*AT_CONSOLE)
    def message(row: int) -> Response:
        """One message or task."""
        return _one(parts, row)

    @pages.post("/outbox/<int:row>/resend")
    @allowed(*AT_CONSOLE)
    def resend_message(row: int) -> Response:
        """Send a token's SMS once more, to its recorded recipient."""
        return _resend(parts, row)


def _resend(parts: ConsoleParts, row: int) -> Response:
    def work(connection: Connection, by: By) -> str:
        found = store.by_id(connection, row)
        if found is None or not may_resend(found):
            raise BadInput("only a token's text that failed is sent again here")
        token = tokens.by_serial(connection, found.subject)
        if token is None:
            raise BadInput("its token is not there")
        args = (token, by.actor, by.now, by.reason, seen_reprints())
        parts.reprinter.resend(connection, *args)
        return _sent(row)

    def was_done(connection: Connection, by: By) -> str | None:
        found = store.by_id(connection, row)
        again = found is not None and has_done(connection, by, RESENT, found.subject)
        return _sent(row) if again else None

    return done(parts, "resend", work, lambda mistake: _one(parts, row, mistake), was_done)


def _sent(row: int) -> str:
    return f"{ROOT}/{row}?done=token-reprint"


def may_resend(message: Message) -> bool:
    """Whether it is a text that can be made again; all others follow from what happens."""
    return message.template == DELIVERY and message.state == State.FAILED


def _list(parts: ConsoleParts, wanted: str, missed: str) -> Response:
    tab = next((tab for tab in TABS if tab[0] == request.args.get("show")), TABS[0])
    to, about = request.args.get("to") or None, request.args.get("about") or None
    now = parts.clock.now()
    with parts.database.snapshot() as connection:
        values: dict[str, Any] = {
            "page": page_of(
                lambda before, most: store.page(
                    connection, tab[3], before, most, to=to, subject=about
                ),
                lambda one: one.id,
            ),
            "counts": {
                key: store.count(connection, states, COUNT_MAX)
                for key, _, __, states in TABS
                if key in COUNTED
            },
            "oldest": {
                "Texts": overview.oldest_due_sms(connection, now),
                "Tasks": overview.oldest_due_task(connection, now),
            },
            "paused": board.SMS in switches.paused(connection),
        }
    values |= {"tabs": [one[:3] for one in TABS], "tab": tab, "to": to, "about": about}
    values |= {"wanted": wanted or to or about or "", "missed": missed, "most": COUNT_MAX}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if missed else HTTPStatus.OK
    return read(parts, "console/outbox.html", status, **values, **_words())


def _one(parts: ConsoleParts, row: int, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        found = store.by_id(connection, row)
        if found is None:
            return problem(HTTPStatus.NOT_FOUND, "There is no message with this number.")
        reports = store.reports(connection, found, REPORTS_MAX)
        token = tokens.by_serial(connection, found.subject) if found.line == SMS else None
    values: dict[str, Any] = {"one": found, "reports": reports, "token": token}
    values |= {"may_resend": may_resend(found), "mistake": mistake}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    return read(parts, "console/message.html", status, **values, **_words())


def _words() -> dict[str, Any]:
    return {"kinds": KINDS, "badges": BADGES, "sms": SMS}
