"""The API's description, OpenAPI 3.1, made of the table of operations and its models."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from gateway.web.api import models, problems
from gateway.web.api.base import Operation
from gateway.web.api.operations import OPERATIONS

REF = "#/components/schemas/{model}"
# What any operation may answer besides what it refuses by itself.
ALWAYS = ("unauthorized", "forbidden", "invalid_request", "temporarily_unavailable")
ALWAYS_POST = ("key_reused", "in_progress")
IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": True,
    "description": "Any text that names this request: repeated with it, it is executed once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!#-~]+$"},
}


def document(title: str, version: str) -> dict[str, Any]:
    """The whole description."""
    used = _models()
    _, schemas = models_json_schema(
        [
            (model, "validation" if issubclass(model, models.Body) else "serialization")
            for model in used
        ],
        ref_template=REF,
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        path = re.sub(r"<(\w+)>", r"{\1}", operation.path)
        paths.setdefault(path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version},
        "servers": [{"url": "/api/v1"}],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "<key id>.<secret>",
                }
            },
        },
    }


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
        "summary": operation.summary,
        "description": f"Needs the scope `{operation.scope}`.",
        "parameters": _parameters(operation),
        "responses": _responses(operation),
    }
    if operation.takes is not None:
        found["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _ref(operation.takes)}},
        }
    return found


def _parameters(operation: Operation) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"<(\w+)>", operation.path)
    ]
    if operation.asks is not None:
        schema = operation.asks.model_json_schema()
        needed = schema.get("required", ())
        found += [
            {"name": name, "in": "query", "required": name in needed, "schema": one}
            for name, one in schema["properties"].items()
        ]
    if operation.method == "POST":
        found.append(IDEMPOTENCY)
    return found


def _responses(operation: Operation) -> Mapping[str, Any]:
    told: dict[str, Any] = {
        str(operation.status): {
            "description": operation.summary,
            "content": {"application/json": {"schema": _ref(operation.gives)}},
        }
    }
    if operation.sheet:
        told[str(operation.status)]["content"]["text/csv"] = {"schema": {"type": "string"}}
    codes = [*ALWAYS, *(ALWAYS_POST if operation.method == "POST" else ()), *operation.refuses]
    for code in sorted(set(codes), key=lambda code: problems.STATUSES[code]):
        status = str(problems.STATUSES[code])
        if status in told:
            told[status]["description"] += f", {code}"
            continue
        told[status] = {
            "description": code,
            "content": {problems.CONTENT_TYPE: {"schema": _ref(models.Problem)}},
        }
    return told


def _ref(model: type[BaseModel]) -> Mapping[str, str]:
    return {"$ref": REF.format(model=model.__name__)}
