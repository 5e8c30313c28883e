"""The API's description, OpenAPI 3.1, made of the table of operations and its models."""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from gateway.partners.access import keys
from gateway.web.api import models, problems, shapes
from gateway.web.api.base import Operation
from gateway.web.api.codes import CODES, STATUSES
from gateway.web.api.operations import OPERATIONS

REF = "#/components/schemas/{model}"
ABOUT = """\
Issue tokens from a float, look them up, redeem them, and read what became of them.

Amounts are text, never numbers; times are ISO 8601 with a zone. Every POST carries an
`Idempotency-Key`: the same request again has the same answer and one effect. Trouble is answered
with problem+json, whose `code` is one of a closed set. A test key (`pk_test_`) plays all of it with
money that is none."""
# What any operation may answer besides what it refuses by itself.
ALWAYS = ("unauthorized", "forbidden", "invalid_request", "temporarily_unavailable")
ALWAYS_POST = ("key_reused", "in_progress", "too_large", "unsupported_media_type")
WAITS = ("in_progress", "limited", "temporarily_unavailable")  # these say for how long
IDEMPOTENCY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": True,
    "description": "Any text that names this request, bare or as a quoted string (RFC 9651):"
    " repeated with it, it is executed once.",
    "schema": {
        "type": "string",
        "minLength": 1,
        "maxLength": 512,
        "pattern": r'^([!#-+\--~]{1,255}|"([ !#-\[\]-~]|\\["\\]){1,255}")$',
    },
    "example": "8e03978e-40d5-43dd-bc93-6894a57f9324",
}
IN_PATHS: Final[Mapping[str, Mapping[str, str]]] = {
    "serial": {"pattern": "^[0-9A-Z]{8}$", "says": "A token's serial.", "such_as": "K7M29QXD"},
    "batch": {"pattern": "^B[0-9A-Z]{8}$", "says": "A batch's name.", "such_as": "BK7M29QXD"},
    "seq": {"pattern": "^[0-9]{1,18}$", "says": "An event's number, `seq`.", "such_as": "17"},
}
# By the first word of their path.
TAGS: Final[Mapping[str, str]] = {
    "tokens": "Tokens",
    "lookups": "Redeeming",
    "redemptions": "Redeeming",
    "float": "Float",
    "profile": "Profile",
    "batches": "Batches",
    "events": "Events",
}


def document(title: str, version: str) -> dict[str, Any]:
    """The whole description."""
    _, schemas = models_json_schema([(model, mode(model)) for model in _models()], ref_template=REF)
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(path_of(operation), {})[operation.method.lower()] = _operation(operation)
    key = {"type": "http", "scheme": "bearer", "description": "`<key id>.<secret>`"}
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version, "description": ABOUT},
        "servers": [{"url": "/api/v1"}],
        "security": [{"key": []}],
        "tags": [{"name": name} for name in dict.fromkeys(TAGS.values())],
        "paths": paths,
        "components": {"schemas": schemas["$defs"], "securitySchemes": {"key": key}},
    }


def mode(model: type[BaseModel]) -> shapes.Mode:
    """Which side of a model is shown: what is taken may leave out what is usual."""
    return "validation" if issubclass(model, models.Body) else "serialization"


def tag(operation: Operation) -> str:
    """The group that an operation is listed in."""
    return TAGS[operation.path.split("/")[1]]


def codes_of(operation: Operation) -> list[str]:
    """Every code that an operation may answer, by status."""
    always = (*ALWAYS, *(ALWAYS_POST if operation.method == "POST" else ()))
    return sorted({*always, *operation.refuses}, key=lambda code: (STATUSES[code], code))


def path_of(operation: Operation) -> str:
    """An operation's path below the server's, as OpenAPI writes it."""
    return re.sub(r"<(\w+)>", r"{\1}", operation.path)


def in_path(operation: Operation) -> list[str]:
    """The names in an operation's path."""
    return re.findall(r"<(\w+)>", operation.path)


def sent_example(model: type[BaseModel]) -> Any:
    """A body that an operation takes."""
    return shapes.example(shapes.schema_of(model, "validation"), whole=True)


def given_example(model: type[BaseModel]) -> Any:
    """A body that an operation gives."""
    return shapes.example(shapes.schema_of(model, "serialization"), whole=False)


def _models() -> Sequence[type[BaseModel]]:
    named: dict[str, type[BaseModel]] = {"Problem": models.Problem}
    for operation in OPERATIONS:
        for model in (operation.takes, operation.gives):
            if model is not None:
                named[model.__name__] = model
    return list(named.values())


def _operation(operation: Operation) -> Mapping[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [tag(operation)],
        "summary": operation.summary,
        "description": f"Needs the scope `{operation.scope}`: {keys.SCOPES[operation.scope]}.",
        "parameters": _parameters(operation),
        "responses": _responses(operation),
    }
    if operation.takes is not None:
        schema = shapes.schema_of(operation.takes, "validation")
        taken = {"schema": _ref(operation.takes), "example": sent_example(operation.takes)}
        found["requestBody"] = {
            "required": bool(schema.get("required")),
            "content": {"application/json": taken},
        }
    return found


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in in_path(operation):
        told = IN_PATHS[name]
        schema = {"type": "string", "pattern": told["pattern"]}
        kept = {"name": name, "in": "path", "required": True, "schema": schema}
        found.append({**kept, "description": told["says"], "example": told["such_as"]})
    if operation.asks is not None:
        asked = shapes.schema_of(operation.asks, "validation")
        needed = asked.get("required", ())
        for name, one in asked["properties"].items():
            said: dict[str, Any] = {
                "name": name,
                "in": "query",
                "required": name in needed,
                "schema": one,
            }
            found.append(said | _described(one))
    if operation.method == "POST":
        found.append(dict(IDEMPOTENCY))
    return found


def _described(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": schema["description"]} if "description" in schema else {}


def _responses(operation: Operation) -> Mapping[str, Any]:
    given = {"schema": _ref(operation.gives), "example": given_example(operation.gives)}
    right: dict[str, Any] = {
        "description": operation.summary,
        "content": {"application/json": given},
    }
    if operation.method == "POST":
        right["headers"] = {"Idempotent-Replayed": _header("`true`: as it was answered before.")}
    if operation.sheet:
        right["content"]["text/csv"] = {"schema": {"type": "string"}}
    told: dict[str, Any] = {str(operation.status): right}
    for code in codes_of(operation):
        status = STATUSES[code]
        one = told.setdefault(str(status), _trouble(status))
        one["description"] += f" `{code}`: {CODES[code][1]}"
        named = one["content"][problems.CONTENT_TYPE]["examples"]
        named[code] = {"value": problems.body(code, CODES[code][1])}
        if code in WAITS:
            one["headers"] = {"Retry-After": _header("In how many seconds to come again.")}
        if status == HTTPStatus.UNAUTHORIZED:
            one["headers"] = {"WWW-Authenticate": _header("`Bearer`")}
    return told


def _trouble(status: int) -> dict[str, Any]:
    content = {problems.CONTENT_TYPE: {"schema": _ref(models.Problem), "examples": {}}}
    return {"description": f"{HTTPStatus(status).phrase}.", "content": content}


def _header(says: str) -> Mapping[str, Any]:
    return {"description": says, "schema": {"type": "string"}}


def _ref(model: type[BaseModel]) -> Mapping[str, str]:
    return {"$ref": REF.format(model=model.__name__)}
