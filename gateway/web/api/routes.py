"""The partner API's routes: proved, checked, executed once, answered in JSON."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

import structlog
from flask import Blueprint, Response, request
from pydantic import BaseModel, ValidationError
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database, Deadline
from gateway.errors import BadInput, GatewayError, TryAgain
from gateway.formats import csv_lines, strict_json
from gateway.formats.strict_json import Number
from gateway.partners.access import keys
from gateway.partners.access.keys import Access
from gateway.partners.repeats.once import Answer, Asked, Once, key_in
from gateway.web.access import callers
from gateway.web.api import openapi, problems
from gateway.web.api.base import Call, Operation, Services, Sheet
from gateway.web.api.operations import OPERATIONS

log = structlog.get_logger()

ROOT = "/api/v1"
REQUEST_SECONDS = 10.0
JSON = "application/json"


class Malformed(BadInput):
    """The body or the query is not what the operation takes."""


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

    @cached_property
    def description(self) -> str:
        """The OpenAPI document as text."""
        return json.dumps(openapi.document(self.title, self.version))


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
        return Response(parts.description, content_type=JSON)

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
    with parts.database.snapshot() as connection:
        access = _proved(connection, operation, parts.clock.now())
        query = _query(operation)
        call = Call(connection, parts.services, access, path, None, query, parts.clock.now())
        return _said(parts, connection, operation.run(call))


def _executed(
    parts: ApiParts, operation: Operation, path: Mapping[str, str], waiting: _Waiting
) -> Response:
    raw = request.get_data(cache=True)

    def work(connection: Connection) -> Response:
        now = parts.clock.now()
        waiting.tell(False)
        access = _proved(connection, operation, now)
        key, given = key_in(request.headers.get("Idempotency-Key", "")), _object(raw)
        body = None if operation.takes is None else _checked(operation.takes, given)
        asked = Asked(access.owner, key, f"{operation.method} {request.path}", _canonical(given))
        call = Call(connection, parts.services, access, path, body, None, now)

        def run() -> Answer:
            return _kept(operation.run(call))

        answer = parts.once.answer(connection, asked, run, now, waiting.tell)
        keys.note_use(connection, access, now)
        return _said(parts, connection, answer)

    return parts.database.run(work, deadline=Deadline(REQUEST_SECONDS), keyed=True)


def _proved(connection: Connection, operation: Operation, now: datetime) -> Access:
    access = keys.prove(connection, request.headers.get("Authorization", ""), now)
    access.insist(operation.scope)
    return access


def _said(parts: ApiParts, connection: Connection, answer: Answer | Sheet) -> Response:
    if isinstance(answer, Sheet):
        return _sheet(answer)
    body: dict[str, Any] = dict(answer.body)
    if answer.reveals is not None:
        body["token"] = parts.digits(connection, answer.reveals)
    kind = problems.CONTENT_TYPE if answer.status >= 400 else JSON
    said = Response(json.dumps(body), answer.status, content_type=kind)
    said.headers["Cache-Control"] = "no-store"
    if "until" in body:  # of a limit: a program is told in seconds
        wait = datetime.fromisoformat(body["until"]) - parts.clock.now()
        said.headers["Retry-After"] = str(max(1, round(wait.total_seconds())))
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


def _object(raw: bytes) -> dict[str, Any]:
    found: dict[str, Any] = _numbers(strict_json.document(raw)) if raw.strip() else {}
    return found


def _canonical(given: Mapping[str, Any]) -> bytes:
    """The same for the same object, however a program writes it."""
    return json.dumps(given, sort_keys=True, default=str).encode()


def _query(operation: Operation) -> BaseModel | None:
    if operation.asks is None:
        return None
    repeated = [name for name, values in request.args.lists() if len(values) > 1]
    if repeated:
        raise Malformed(f"{repeated[0]} is given twice")
    return _checked(operation.asks, request.args.to_dict())


def _checked(model: type[BaseModel], given: Mapping[str, Any]) -> BaseModel:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        # Never the value itself: it may be a token.
        found = [
            f"{'.'.join(map(str, one['loc'])) or 'the body'}: {one['msg']}"
            for one in error.errors(include_input=False, include_url=False, include_context=False)
        ]
        raise Malformed("; ".join(found[:5])) from None


def _numbers(value: Any) -> Any:
    """JSON numbers as numbers, so that they are never taken for text."""
    if isinstance(value, dict):
        return {name: _numbers(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_numbers(one) for one in value]
    if isinstance(value, Number):
        return int(value) if value.lstrip("-").isdigit() else Decimal(value)
    return value
