"""The console's page of the audit trail: who did what, when, and why they said they did."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.audit.searched import store
from gateway.audit.searched.store import Wanted
from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.people.staff import store as staff
from gateway.people.staff.hands import actor_of
from gateway.web.console.doing import ACTOR_MAX, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.people import repeatable
from gateway.web.console.reading import page_of, read
from gateway.web.pages.answers import sent_on, sentence
from gateway.web.pages.door import AT_CONSOLE, allowed

ROOT: Final = "/console/audit"
NOT_SEARCHED: Final = "Digits of a token are not searched: use its serial."
FIELDS: Final = ("subject", "actor", "day")
TEXT_MAX: Final = 64  # as the trail keeps subjects and actors


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed into the search."""

    subject: str
    actor: str
    day: str


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/audit`."""

    @pages.get("/audit")
    @allowed(*AT_CONSOLE)
    def audit() -> Response:
        """The lines that were asked for; all of them without a question."""
        return _page(parts, Asked(*(request.args.get(name, "")[:TEXT_MAX] for name in FIELDS)))

    @pages.post("/audit")
    @allowed(*AT_CONSOLE)
    def search_audit() -> Response:
        """Where the search leads: if somebody enters a token's digits, no address keeps them."""
        entries = {name: typed(name)[:TEXT_MAX] for name in FIELDS}
        for name in FIELDS[:2]:
            entries[name] = _phone(parts, entries[name]) or repeatable(entries[name])
            if typed(name) and not entries[name]:
                return _page(parts, Asked(**entries), NOT_SEARCHED)
        asked = {name: entry for name, entry in entries.items() if entry}
        return sent_on(f"{ROOT}?{urlencode(asked)}" if asked else ROOT)


def _page(parts: ConsoleParts, asked: Asked, missed: str = "") -> Response:
    with parts.database.snapshot() as connection:
        try:
            wanted = Wanted(subjects=()) if missed else _wanted(parts, connection, asked)
        except BadInput as error:
            wanted, missed = Wanted(subjects=()), sentence(str(error))
        rows = page_of(
            lambda before, rows_max: store.page(connection, wanted, before, rows_max),
            lambda line: line.id,
        )
    status = HTTPStatus.UNPROCESSABLE_ENTITY if missed else HTTPStatus.OK
    values = {"asked": asked, "page": rows, "missed": missed}
    return read(parts, "console/audit.html", status, **values)


def _wanted(parts: ConsoleParts, connection: Connection, asked: Asked) -> Wanted:
    since, until = _span(parts, asked.day) if asked.day else (None, None)
    return Wanted(
        subjects=_subjects(parts, asked.subject) if asked.subject else None,
        actor=_actor(parts, connection, asked.actor) if asked.actor else None,
        since=since,
        until=until,
    )


def _span(parts: ConsoleParts, day: str) -> tuple[datetime, datetime]:
    """A local day. Raises `BadInput`."""
    try:
        first = date.fromisoformat(day)
        bounds = [first, first + timedelta(days=1)]
        since, until = (datetime.combine(d, time(), parts.zone).astimezone(UTC) for d in bounds)
    except (ValueError, OverflowError):
        raise BadInput("a day is written like 2026-03-02") from None
    return since, until


def _subjects(parts: ConsoleParts, text: str) -> list[str]:
    """As it may stand in the trail: a phone in full, a serial in capitals."""
    return sorted({text, text.upper(), _phone(parts, text) or text})


def _actor(parts: ConsoleParts, connection: Connection, text: str) -> str:
    """As it stands in the trail: of the staff by their number and name, whichever was typed."""
    phone = _phone(parts, text)
    for member in staff.every(connection):
        if member.msisdn == phone or member.name.casefold() == text.casefold():
            return actor_of(member)[:ACTOR_MAX]
    return phone or text


def _phone(parts: ConsoleParts, text: str) -> str | None:
    try:
        return msisdn.parse(text, parts.country)
    except msisdn.InvalidMsisdn:
        return None
