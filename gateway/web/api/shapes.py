"""A model as its readers see it: each member in words, and an example of the whole."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

Schema = Mapping[str, Any]
Mode = Literal["validation", "serialization"]
A_TIME = "2026-03-31T22:59:59Z"
# JSON Schema's words for what people call it; a text has more to say.
KINDS = {"boolean": "true or false", "integer": "a whole number", "object": "an object"}
FORMATS = {"date-time": "a time with its zone"}


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object."""

    name: str
    kind: str
    needed: bool
    usual: str  # what it is when it is left out; "": nothing
    such_as: str
    says: str


def schema_of(model: type[BaseModel], mode: Mode) -> Schema:
    """The JSON Schema of a model that is taken (validation) or given (serialization)."""
    return model.model_json_schema(mode=mode)


def members(schema: Schema) -> list[Member]:
    """The members of the object that a schema describes."""
    needed = schema.get("required", ())
    return [
        Member(
            name,
            _kind(one, schema),
            name in needed,
            _usual(one),
            _such_as(one, schema),
            _says(one, schema),
        )
        for name, one in schema.get("properties", {}).items()
    ]


def example(schema: Schema, *, whole: bool) -> Any:
    """An object that fits; `whole`: with members that are null unless somebody sets them."""
    return _example(schema, schema, whole)


def _example(one: Schema, root: Schema, whole: bool) -> Any:
    one = _resolved(one, root)
    if "examples" in one:
        return one["examples"][0]
    if "default" in one:
        return one["default"]
    if "const" in one or "enum" in one:
        return one["const"] if "const" in one else one["enum"][0]
    if "anyOf" in one:
        return _example(one["anyOf"][0], root, whole)
    match one.get("type"):
        case "object":
            return dict(_filled(one, root, whole))
        case "array":
            return [_example(one["items"], root, whole)]
        case "integer":
            return one.get("minimum", 1)
        case "boolean":
            return True
    return A_TIME if one.get("format") == "date-time" else "text"


def _filled(one: Schema, root: Schema, whole: bool) -> Iterator[tuple[str, Any]]:
    for name, member in one.get("properties", {}).items():
        absent = member.get("default", "") is None and "examples" not in member
        if whole or not absent:
            yield name, _example(member, root, whole)


def _kind(one: Schema, root: Schema) -> str:
    one = _resolved(one, root)
    if "const" in one or "enum" in one:
        return " or ".join(map(str, [one["const"]] if "const" in one else one["enum"]))
    if "anyOf" in one:
        return " or ".join(_kind(part, root) for part in one["anyOf"])
    if one.get("type") == "array":
        return f"a list: {_kind(one['items'], root)}"
    if one.get("type") in ("string", None):
        return FORMATS.get(one.get("format", ""), "text" + _length(one))
    kind = str(one["type"])
    return KINDS.get(kind, kind) + _bounds(one)


def _length(one: Schema) -> str:
    return f" of {one['maxLength']:,} characters at most" if "maxLength" in one else ""


def _bounds(one: Schema) -> str:
    if "minimum" in one and "maximum" in one:
        return f" from {one['minimum']} to {one['maximum']:,}"
    return ""


def _usual(one: Schema) -> str:
    if one.get("default", "") in ("", None):
        return ""
    value = one["default"]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _such_as(one: Schema, root: Schema) -> str:
    """The example of a short text, which says more than its pattern."""
    found = _resolved(one, root).get("examples", [None])[0]
    return found if isinstance(found, str) and len(found) < 40 and found.isprintable() else ""


def _says(one: Schema, root: Schema) -> str:
    found = one.get("description") or _resolved(one, root).get("description", "")
    if not found and "anyOf" in one:
        found = _resolved(one["anyOf"][0], root).get("description", "")
    return str(found)


def _resolved(one: Schema, root: Schema) -> Schema:
    if "$ref" not in one:
        return one
    found: Schema = root["$defs"][one["$ref"].rpartition("/")[2]]
    return {**found, **{name: value for name, value in one.items() if name != "$ref"}}
