"""Every operation of the partner API: its path, its scope, what it takes, gives and may refuse."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel
from sqlalchemy import Connection

from gateway.api import floats
from gateway.api.redemptions import Redemptions, Told
from gateway.api.tokens import PartnerTokens, Wish
from gateway.clock import iso
from gateway.partners.access import keys
from gateway.partners.access.keys import Access
from gateway.partners.repeats.once import Answer
from gateway.web.api import models, problems

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Services:
    """What the operations act through."""

    tokens: PartnerTokens
    redemptions: Redemptions


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


def _look_up(call: Call) -> Answer:
    entry = call.sent(models.Entry).token
    found = call.services.redemptions.look_up(call.connection, call.access, entry, call.now)
    return _told(found, 200)


def _redeem(call: Call) -> Answer:
    body, found = call.sent(models.Redemption), call.services.redemptions
    done = found.redeem(call.connection, call.access, body.token, body.payee, call.now)
    return _told(done, 201)


def _told(told: Told, status: int) -> Answer:
    """What was found, or a refusal that has counted a guess: it is kept as any answer."""
    if not told.code:
        return Answer(status, told.facts)
    until = {} if told.until is None else {"until": iso(told.until)}
    refusal = problems.body(told.code, told.detail, **told.facts, **until)
    return Answer(problems.STATUSES[told.code], refusal)


def _float(call: Call) -> Answer:
    currency = call.services.tokens.currency(call.access)
    return Answer(200, floats.show(call.connection, call.access, currency))


_ENTRY = ("not_found", "already_redeemed", "suspended", "expired", "cancelled", "limited")
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
    Operation(
        "lookUpToken",
        "POST",
        "/lookups",
        keys.REDEEM,
        "See what a token is worth; a wrong one counts as a guess",
        _look_up,
        models.FoundToken,
        takes=models.Entry,
        refuses=_ENTRY,
    ),
    Operation(
        "redeemToken",
        "POST",
        "/redemptions",
        keys.REDEEM,
        "Redeem a token for somebody, once",
        _redeem,
        models.Redeemed,
        takes=models.Redemption,
        status=201,
        refuses=(*_ENTRY, "limit_exceeded"),
    ),
    Operation(
        "showFloat",
        "GET",
        "/float",
        keys.FLOAT,
        "Read the float",
        _float,
        models.FloatView,
    ),
)
