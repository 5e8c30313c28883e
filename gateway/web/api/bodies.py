"""What came with a request: one flat JSON object, or a query, read strictly and by its model."""

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from flask import Request
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from werkzeug.exceptions import UnsupportedMediaType

from gateway.errors import BadInput
from gateway.formats import strict_json
from gateway.formats.digits import hidden
from gateway.formats.strict_json import Number

JSON = "application/json"
UTF_8 = ("", "utf-8", "utf8", "us-ascii")  # what JSON may be written in (RFC 8259); "": not said
DEPTH_MAX = 8  # of objects and lists within each other; the API's own bodies are flat
FAULTS_MAX = 5  # that one refusal names
NAME_MAX = 60  # characters of a member's name that are repeated


class Malformed(BadInput):
    """The body or the query is not what the operation takes."""


def sent(request: Request) -> bytes:
    """The body as it came. Raises werkzeug's 413, and its 415 for what says to be no JSON."""
    raw = request.get_data(cache=True)
    charset = request.mimetype_params.get("charset", "").lower()
    coded = request.headers.get("Content-Encoding", "identity").lower() != "identity"
    if raw and (request.mimetype != JSON or charset not in UTF_8 or coded):
        raise UnsupportedMediaType
    return raw


def document(raw: bytes) -> dict[str, Any]:
    """The object in a body; an empty body is the empty object. Raises `BadInput`.

    >>> document(b'{"digits": 11, "bound": true}'), document(b" ")
    ({'digits': 11, 'bound': True}, {})
    >>> document(b'{"a": ' + b"[" * 20 + b"]" * 20 + b"}")
    Traceback (most recent call last):
    gateway.web.api.bodies.Malformed: the body lies too deep
    """
    found: dict[str, Any] = _plain(strict_json.document(raw), 0) if raw.strip() else {}
    return found


def canonical(given: Mapping[str, Any]) -> bytes:
    """The same for the same object, however a program writes it."""
    return json.dumps(given, sort_keys=True, default=str).encode()


def checked(model: type[BaseModel], given: Mapping[str, Any]) -> BaseModel:
    """What was given, as the model has it. Raises `Malformed`, which names members, no values."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False, include_context=False)
        said = [_said(one) for one in found[:FAULTS_MAX]]
        raise Malformed("; ".join(said)) from None


def query(model: type[BaseModel] | None, request: Request) -> BaseModel | None:
    """The query; where nothing is asked, there is none: a token in an address would be logged."""
    for name, values in request.args.lists():
        if len(values) > 1:
            raise Malformed(f"{_named((name,))} is given twice")
        if model is None:
            raise Malformed(f"{_named((name,))}: this takes no query")
    return None if model is None else checked(model, request.args.to_dict())


def _said(fault: ErrorDetails) -> str:
    return f"{_named(fault['loc'])}: {fault['msg'].removeprefix('Value error, ')}"


def _named(path: tuple[int | str, ...]) -> str:
    """A member by its path; somebody may have written a token in the place of a name."""
    name = ".".join(map(str, path)) or "the body"
    return hidden(name.encode("ascii", "replace").decode())[:NAME_MAX]


def _plain(value: Any, depth: int) -> Any:
    """JSON numbers as numbers, so that they are never taken for text."""
    if depth > DEPTH_MAX:
        raise Malformed("the body lies too deep")
    if isinstance(value, dict):
        return {name: _plain(one, depth + 1) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one, depth + 1) for one in value]
    if isinstance(value, Number):
        return _number(value)
    return value


def _number(written: Number) -> int | Decimal:
    if written.lstrip("-").isdigit():
        return int(written)
    try:
        return Decimal(written)
    except InvalidOperation:  # 1e999999999999999999999
        raise Malformed("a number is out of all bounds") from None
