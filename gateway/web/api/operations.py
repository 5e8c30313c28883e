"""Every operation of the partner API: its path, its scope, what it takes, gives and may refuse."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel
from sqlalchemy import Connection

from gateway.api.tokens import PartnerTokens, Wish
from gateway.partners.access import keys
from gateway.partners.access.keys import Access
from gateway.partners.repeats.once import Answer
from gateway.web.api import models

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Services:
    """What the operations act through."""

    tokens: PartnerTokens


@dataclass(frozen=True, slots=True)
class Call:
    """One request, proved and checked."""

    connection: Connection
    services: Services
    access: Access
    path: Mapping[str, str]
    body: BaseModel | None
    query: BaseModel | None
    now: datetime

    def sent(self, model: type[T]) -> T:
        """The body, as what the table says it is."""
        return _as(model, self.body)

    def asked(self, model: type[T]) -> T:
        """The query, the same way."""
        return _as(model, self.query)


@dataclass(frozen=True, slots=True)
class Operation:
    """One row of the table."""

    name: str
    method: str
    path: str  # below /api/v1, Flask's way
    scope: str
    summary: str
    run: Callable[[Call], Answer]
    gives: type[BaseModel]
    takes: type[BaseModel] | None = None
    asks: type[BaseModel] | None = None  # its query
    status: int = 200
    refuses: Sequence[str] = ()  # codes beyond those that any operation may answer


def _as(model: type[T], found: BaseModel | None) -> T:
    if not isinstance(found, model):
        raise TypeError(f"the table of operations does not name {model.__name__}")
    return found


def _issue(call: Call) -> Answer:
    body = call.sent(models.NewToken)
    made = call.services.tokens.issue(
        call.connection, call.access, Wish(**body.model_dump()), call.now
    )
    reveals = not body.deliver and keys.REVEAL in call.access.scopes
    return Answer(201, made, made["serial"] if reveals else None)


def _show(call: Call) -> Answer:
    serial = call.path["serial"]
    return Answer(200, call.services.tokens.show(call.connection, call.access, serial, call.now))


def _deed(name: str) -> Callable[[Call], Answer]:
    def run(call: Call) -> Answer:
        reason = call.sent(models.Deed).reason
        deed = getattr(call.services.tokens, name)
        return Answer(
            200, deed(call.connection, call.access, call.path["serial"], reason, call.now)
        )

    return run


_STATES = ("not_found", "already_redeemed", "suspended", "wrong_state", "expired", "cancelled")
OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "issueToken",
        "POST",
        "/tokens",
        keys.ISSUE,
        "Issue a token from the float",
        _issue,
        models.IssuedToken,
        takes=models.NewToken,
        status=201,
        refuses=("duplicate_issue_ref", "insufficient_funds", "limit_exceeded"),
    ),
    Operation(
        "showToken",
        "GET",
        "/tokens/<serial>",
        keys.READ,
        "Read a token",
        _show,
        models.TokenView,
        refuses=("not_found",),
    ),
    *(
        Operation(
            f"{name}Token",
            "POST",
            f"/tokens/<serial>/{name}",
            keys.MANAGE,
            summary,
            _deed(name),
            models.TokenView,
            takes=models.Deed,
            refuses=(*_STATES, *more),
        )
        for name, summary, more in (
            ("reprint", "Send the token's SMS again, to its recipient", ("limited",)),
            ("suspend", "Stop a token", ()),
            ("resume", "Let a suspended token go on", ("disputed",)),
            ("cancel", "End a token; its value goes back to the float", ()),
        )
    ),
)
