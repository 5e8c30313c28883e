"""The page on which people read the API and try it with a test key: made of the same table."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Response, render_template
from pydantic import BaseModel

from gateway.partners.access import keys
from gateway.web.api import openapi, shapes
from gateway.web.api.base import Operation
from gateway.web.api.codes import CODES
from gateway.web.api.operations import OPERATIONS
from gateway.web.api.shapes import Member
from gateway.web.pages import answers

# It speaks to us alone, and no script but our own file runs beside the key that is typed there.
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self';"
    " form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class Shown:
    """An operation as the page shows it."""

    name: str
    method: str
    path: str
    summary: str
    scope: str
    places: Sequence[tuple[str, str, str]]  # what stands in the path: name, words, such as
    asks: Sequence[Member]
    takes: Sequence[Member]
    sends: str  # an example, as JSON; "": no body
    status: int
    gives: str
    tells: Sequence[Member]  # of what it gives
    sheet: bool
    codes: Sequence[str]  # of trouble that only some operations have


def groups() -> Mapping[str, Sequence[Shown]]:
    """Every operation, by the group it is listed in."""
    found: dict[str, list[Shown]] = {}
    for operation in OPERATIONS:
        found.setdefault(openapi.tag(operation), []).append(_shown(operation))
    return found


def page(shown: Mapping[str, Sequence[Shown]], root: str, title: str, version: str) -> Response:
    """The page; there is nothing secret on it."""
    known: dict[str, Any] = {"title": title, "version": version, "about": openapi.ABOUT}
    known |= {"groups": shown, "codes": CODES, "scopes": keys.SCOPES, "root": root}
    known |= {"always": openapi.ALWAYS, "always_post": openapi.ALWAYS_POST}
    frame = {"brand": "Partner API", "home": f"{root}/docs", "area": "", "member": None}
    text = render_template("api/docs.html", **known, **frame)
    answer = answers.guarded(Response(text, content_type="text/html; charset=utf-8"))
    answer.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _shown(operation: Operation) -> Shown:
    example = openapi.sent_example(operation.takes) if operation.takes else None
    told = [(name, openapi.IN_PATHS[name]) for name in openapi.in_path(operation)]
    return Shown(
        operation.name,
        operation.method,
        openapi.path_of(operation),
        operation.summary,
        operation.scope,
        [(name, one["says"], one["such_as"]) for name, one in told],
        _members(operation.asks),
        _members(operation.takes),
        "" if example is None else _written(example),
        operation.status,
        _written(openapi.given_example(operation.gives)),
        shapes.members(shapes.schema_of(operation.gives, "serialization")),
        operation.sheet,
        sorted(operation.refuses, key=lambda code: (CODES[code][0], code)),
    )


def _members(model: type[BaseModel] | None) -> Sequence[Member]:
    return shapes.members(shapes.schema_of(model, "validation")) if model else ()


def _written(example: Any) -> str:
    return json.dumps(example, indent=2, ensure_ascii=False)
