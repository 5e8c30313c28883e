"""Tokens: issued, read, reprinted, suspended, resumed, cancelled."""

from collections.abc import Callable

from gateway.api import lists
from gateway.api.issuing import Wish
from gateway.api.lists import Span
from gateway.partners.access import keys
from gateway.partners.repeats.once import Answer
from gateway.web.api import models
from gateway.web.api.base import Call, Operation


def _issue(call: Call) -> Answer:
    body = call.sent(models.NewToken)
    if not body.deliver and body.recipient is None:
        call.access.insist(keys.REVEAL)  # or nobody would ever see its digits
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


def _list(call: Call) -> Answer:
    asked = call.asked(models.TokensQuery)
    found = lists.tokens_of(
        call.connection,
        call.access,
        call.services.country,
        call.now,
        limit=asked.limit,
        after=asked.after,
        status=asked.status,
        recipient=asked.recipient,
        span=Span(asked.since, asked.until),
    )
    return Answer(200, found)


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
        "listTokens",
        "GET",
        "/tokens",
        keys.READ,
        "List tokens, newest first",
        _list,
        models.TokenPage,
        asks=models.TokensQuery,
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
            ("cancel", "End a token; its value goes back to the float", ("disputed",)),
        )
    ),
)
