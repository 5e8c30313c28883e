"""What a partner is told when something cannot be done: problem+json (RFC 9457) with a code."""

import json
from datetime import datetime
from http import HTTPStatus
from typing import Any

from flask import Response

from gateway.api.batches.batch import TOLD_MAX, BadBatch, BatchState
from gateway.api.tokens import NotFound
from gateway.api.told import TooMuch
from gateway.clock import iso
from gateway.errors import (
    BadInput,
    CommitUnknown,
    Disputed,
    DuplicateKey,
    GatewayError,
    Limited,
    TryAgain,
)
from gateway.ledger.limits import InsufficientFunds, LimitExceeded, Stopped
from gateway.partners.access.keys import Forbidden, Unauthorized
from gateway.partners.endpoints.queueing import NoEndpoint, TooManyReplays
from gateway.partners.profiles import PartnerSuspended
from gateway.partners.repeats.once import KeyReused
from gateway.tokens.issue import DuplicateIssueRef
from gateway.tokens.reprint import ResendLimited
from gateway.tokens.retire import FunderClosed, WrongState
from gateway.web.api.codes import CODES, STATUSES

CONTENT_TYPE = "application/problem+json"
INVALID, UNAUTHORIZED, FORBIDDEN, NOT_FOUND = (
    "invalid_request",
    "unauthorized",
    "forbidden",
    "not_found",
)
IN_PROGRESS, UNAVAILABLE = "in_progress", "temporarily_unavailable"
BAD_REQUEST, BROKEN = "bad_request", "internal_error"
# What a status that HTTP itself gives is told as; any other of its hundred by the first.
OF_HTTP = {
    400: BAD_REQUEST,
    404: NOT_FOUND,
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
    500: BROKEN,
}
# The first that fits an error decides.
OF_ERRORS: tuple[tuple[type[GatewayError], str], ...] = (
    (Unauthorized, UNAUTHORIZED),
    (Forbidden, FORBIDDEN),
    (PartnerSuspended, FORBIDDEN),
    (Stopped, FORBIDDEN),
    (NotFound, NOT_FOUND),
    (DuplicateIssueRef, "duplicate_issue_ref"),
    (KeyReused, "key_reused"),
    (Disputed, "disputed"),
    (InsufficientFunds, "insufficient_funds"),
    (LimitExceeded, "limit_exceeded"),
    (TooMuch, "limit_exceeded"),
    (ResendLimited, "limited"),
    (Limited, "limited"),
    (FunderClosed, "wrong_state"),
    (BatchState, "wrong_state"),
    (NoEndpoint, "wrong_state"),
    (TooManyReplays, "limit_exceeded"),
    (BadInput, INVALID),
)
STATES = {"redeemed": "already_redeemed"} | {s: s for s in ("suspended", "expired", "cancelled")}


def body(code: str, detail: str = "", **more: Any) -> dict[str, Any]:
    """The members of one; `more` are its own, such as a serial."""
    status = HTTPStatus(STATUSES[code])
    named = {"title": status.phrase, "status": status.value, "code": code, "detail": detail}
    return named | more


def problem(code: str, detail: str = "", retry_after: int | None = None, **more: Any) -> Response:
    """One answer of trouble."""
    status = HTTPStatus(STATUSES[code])
    answer = Response(json.dumps(body(code, detail, **more)), status, content_type=CONTENT_TYPE)
    answer.headers["Cache-Control"] = "no-store"
    if status is HTTPStatus.UNAUTHORIZED:
        answer.headers["WWW-Authenticate"] = "Bearer"
    if retry_after is not None:
        answer.headers["Retry-After"] = str(retry_after)
    return answer


def of_http(status: int) -> Response:
    """The answer where no operation was reached, or where one broke."""
    code = OF_HTTP.get(status, BROKEN if status >= 500 else BAD_REQUEST)
    return problem(code, CODES[code][1])


def of(error: GatewayError, now: datetime) -> Response:
    """The answer to an error that we raised on purpose."""
    if isinstance(error, WrongState):
        code = STATES.get(error.status, "wrong_state")
        return problem(code, str(error), token_status=error.status)
    if isinstance(error, DuplicateIssueRef):
        return problem("duplicate_issue_ref", str(error), serial=error.serial)
    if isinstance(error, LimitExceeded):
        return problem("limit_exceeded", str(error), cap=error.cap, most=str(error.most))
    if isinstance(error, BadBatch):
        told = [
            {"row": one.row, "column": one.column, "detail": one.detail}
            for one in error.faults[:TOLD_MAX]
        ]
        return problem(INVALID, str(error), errors=told, errors_count=len(error.faults))
    if isinstance(error, Limited):
        wait = max(1, round((error.until - now).total_seconds()))
        return problem("limited", "too many wrong tokens", wait, until=iso(error.until))
    if isinstance(error, CommitUnknown):
        return problem(
            UNAVAILABLE, "it may have happened: repeat it with the same Idempotency-Key", 1
        )
    code = next((code for kind, code in OF_ERRORS if isinstance(error, kind)), UNAVAILABLE)
    if code == UNAVAILABLE:
        known = isinstance(error, (TryAgain, DuplicateKey))
        return problem(code, "nothing was changed: try again" if known else "try again later", 1)
    return problem(code, str(error))
