"""The partner API's routes: proved, checked, executed once, answered in JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import structlog
from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database, Deadline
from gateway.errors import GatewayError, TryAgain
from gateway.formats import csv_lines
from gateway.partners import profiles
from gateway.partners.access import keys
from gateway.partners.access.keys import Access
from gateway.partners.repeats.once import Answer, Asked, Once, key_in
from gateway.web.access import callers
from gateway.web.api import bodies, openapi, page, problems
from gateway.web.api.base import Call, Operation, Services, Sheet
from gateway.web.api.operations import OPERATIONS

log = structlog.get_logger()

ROOT = "/api/v1"
REQUEST_SECONDS = 10.0


@dataclass(frozen=True)
class ApiParts:
    """What the API is wired to."""

    database: Database
    clock: Clock
    services: Services
    once: Once
    title: str
    version: str
    digits: Callable[[Connection, str], str]  # of a serial, for those who may be shown them
    seconds_max: float = REQUEST_SECONDS  # that a POST may take, waiting included

    @cached_property
    def description(self) -> str:
        """The OpenAPI document as text."""
        return json.dumps(openapi.document(self.title, self.version))

    @cached_property
    def shown(self) -> Mapping[str, Sequence[page.Shown]]:
        """What the page for people shows."""
        return page.groups()


@dataclass(slots=True)
class _Waiting:
    """Whether a request stood behind a racing copy of itself when its time ran out."""

    is_behind: bool = field(default=False)

    def tell(self, is_behind: bool) -> None:
        self.is_behind = is_behind


def blueprint(parts: ApiParts) -> Blueprint:
    """Every operation of the table, and the description of them."""
    api = Blueprint("api", __name__, url_prefix=ROOT)
    for operation in OPERATIONS:
        api.add_url_rule(
            operation.path,
            operation.name,
            _view(parts, operation),
            methods=[operation.method],
        )

    @api.get("/openapi.json")
    @callers("partner")
    def description() -> Response:
        """What the API can do, for programs; nothing in it is secret."""
        return Response(parts.description, content_type=bodies.JSON)

    @api.get("/docs")
    @callers("partner")
    def docs() -> Response:
        """The same for people, who may try it with a test key."""
        return page.page(parts.shown, ROOT, parts.title, parts.version)

    return api


def _view(parts: ApiParts, operation: Operation) -> Callable[..., Response]:
    @callers("partner")
    def view(**path: str) -> Response:
        """One operation of the table."""
        waiting = _Waiting()
        try:
            if operation.method == "GET":
                return _read(parts, operation, path)
            return _executed(parts, operation, path, waiting)
        except TryAgain as error:
            if waiting.is_behind:
                why = "the same request is being executed"
                return problems.problem(problems.IN_PROGRESS, why, 1)
            return problems.of(error, parts.clock.now())
        except GatewayError as error:
            answer = problems.of(error, parts.clock.now())
            if answer.status_code >= 500:
                log.warning("api_unavailable", operation=operation.name, error=type(error).__name__)
            return answer

    return view


def _read(parts: ApiParts, operation: Operation, path: Mapping[str, str]) -> Response:
    def called(connection: Connection) -> Call:
        now = parts.clock.now()
        access = _proved(connection, operation, now)
        query = bodies.query(operation.asks, request)
        return Call(connection, parts.services, access, path, None, query, now)

    prepare = operation.prepare
    if prepare is not None:
        deadline = Deadline(parts.seconds_max)
        parts.database.run(lambda connection: prepare(called(connection)), deadline=deadline)
    with parts.database.snapshot() as connection:
        call = called(connection)
        return _said(parts, connection, call.access, operation.run(call))


def _executed(
    parts: ApiParts, operation: Operation, path: Mapping[str, str], waiting: _Waiting
) -> Response:
    if operation.body_bytes_max is not None:
        request.max_content_length = operation.body_bytes_max
    raw = bodies.sent(request)

    def work(connection: Connection) -> Response:
        now = parts.clock.now()
        access = _proved(connection, operation, now)
        bodies.query(None, request)
        key, given = key_in(request.headers.get("Idempotency-Key", "")), bodies.document(raw)
        body = None if operation.takes is None else bodies.checked(operation.takes, given)
        named = f"{operation.method} {request.path}"
        asked = Asked(access.owner, key, named, bodies.canonical(given))
        call = Call(connection, parts.services, access, path, body, None, now)

        def run() -> Answer:
            return _kept(operation.run(call))

        answer = parts.once.answer(connection, asked, run, now, waiting.tell)
        keys.note_use(connection, access, now)  # also that it was not revoked meanwhile
        return _said(parts, connection, access, answer)

    return parts.database.run(work, deadline=Deadline(parts.seconds_max), keyed=True)


def _proved(connection: Connection, operation: Operation, now: datetime) -> Access:
    access = keys.prove(connection, request.headers.get("Authorization", ""), now)
    access.insist(operation.scope)
    if operation.method != "GET":  # reading stays open: it must see what became of its tokens
        profiles.refuse_suspended(access.partner)
    return access


def _said(
    parts: ApiParts, connection: Connection, access: Access, answer: Answer | Sheet
) -> Response:
    if isinstance(answer, Sheet):
        return _sheet(answer)
    body: dict[str, Any] = dict(answer.body)
    # Asked anew: another key of the partner may repeat what this one was shown.
    if answer.reveals is not None and keys.REVEAL in access.scopes:
        body["token"] = parts.digits(connection, answer.reveals)
    kind = problems.CONTENT_TYPE if answer.status >= 400 else bodies.JSON
    said = Response(json.dumps(body), answer.status, content_type=kind)
    said.headers["Cache-Control"] = "no-store"
    if answer.repeated:
        said.headers["Idempotent-Replayed"] = "true"
    return said


def _kept(answer: Answer | Sheet) -> Answer:
    """What a POST answers: something that can be kept for its repeats."""
    if isinstance(answer, Sheet):
        raise TypeError("a POST has no sheet")
    return answer


def _sheet(sheet: Sheet) -> Response:
    """The lines as a file; read whole, for the connection is given back before it is sent."""
    text = "".join(csv_lines.lines(sheet.columns, sheet.rows))
    said = Response(text, content_type="text/csv; charset=utf-8")
    said.headers["Content-Disposition"] = f'attachment; filename="{sheet.name}.csv"'
    said.headers["Cache-Control"] = "no-store"
    return said
