"""Webhooks of money providers: proven, stored with what became of them, answered in their form."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus

import structlog
from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database, Deadline
from gateway.deposits.callbacks import store as callbacks
from gateway.deposits.callbacks.store import Arrival, Became
from gateway.deposits.questions import Questions
from gateway.deposits.settle import Settler
from gateway.errors import CommitUnknown, DuplicateKey, TryAgain
from gateway.providers.base.messages import (
    Callback,
    Decision,
    Dialect,
    Kind,
    Malformed,
    Notice,
    Unauthorized,
)
from gateway.web import edge
from gateway.web.access import callers

log = structlog.get_logger()

BODY_BYTES_MAX = 256 * 1024  # what nests 200,000 deep is refused by the reader, not by its size
REQUEST_SECONDS = 5.0  # the shortest patience that a provider names is 8 s
KEEP_SECONDS = 2.0
ROOT = "/webhooks"
# What is counted of a callback that is not in the table.
UNAUTHORIZED, QUESTION, NOT_STORED = "unauthorized", "question", "not_stored"
ROUTINE = (Became.CREDITED, Became.DUPLICATE)  # the table says it, the log need not


@dataclass(frozen=True, slots=True)
class WebhookParts:
    """What the webhook routes are wired to."""

    database: Database
    clock: Clock
    dialects: Sequence[Dialect]
    secrets: Sequence[str]
    settler: Settler
    questions: Questions
    is_paused: Callable[[str], bool]  # asked for `provider:<name>`
    count: Callable[[str, str], None]  # told of each dialect's callback what became of it


def blueprint(parts: WebhookParts) -> Blueprint:
    """One route for each part of each dialect in use; the others are not there."""
    hooks = Blueprint("webhooks", __name__)
    for dialect in parts.dialects:
        for part in dialect.parts:
            view = _view(parts, dialect, part)
            name = f"{dialect.path}/{part}".replace("/", "_")
            hooks.add_url_rule(_rule(dialect, part), name, view, methods=["POST"])
    return hooks


def _rule(dialect: Dialect, part: str) -> str:
    """The path of the contract: the secret stands behind the provider's name."""
    first, *rest = dialect.path.split("/")
    secret = ["<secret>"] if dialect.guarded else []
    return "/".join([ROOT, first, *secret, *rest, *([part] if part else [])])


def _view(parts: WebhookParts, dialect: Dialect, part: str) -> Callable[..., Response]:
    @callers("provider")
    def webhook(secret: str = "") -> Response:
        """A callback of a money provider."""
        if dialect.guarded and not edge.is_secret(secret, parts.secrets):
            return edge.not_found()
        request.max_content_length = BODY_BYTES_MAX
        body = request.get_data(cache=True)  # first of all: a form's fields would use it up
        callback = Callback(
            part=part,
            headers=list(request.headers),
            body=body,
            address=request.remote_addr or "",
            received_at=parts.clock.now(),
        )
        return _answered(parts, dialect, callback)

    return webhook


def _answered(parts: WebhookParts, dialect: Dialect, callback: Callback) -> Response:
    try:
        dialect.authenticate(callback)
    except Unauthorized as error:
        log.warning("webhook_unauthorized", dialect=dialect.path, reason=str(error))
        return _refused(parts, dialect)
    except Exception:  # whatever breaks a proof proves nothing
        log.exception("webhook_unauthorized", dialect=dialect.path)
        return _refused(parts, dialect)
    try:
        notice = dialect.parse(callback)
    except Malformed as error:
        # Money may have come with it, and nobody repeats what was answered with 400.
        log.error("webhook_malformed", dialect=dialect.path, part=callback.part, reason=str(error))
        return _unread(parts, dialect, callback, Became.MALFORMED, str(error))
    except Exception as error:  # a fault of ours: the bytes wait for its mending
        log.exception("webhook_unread", dialect=dialect.path)
        return _unread(parts, dialect, callback, Became.KEPT, type(error).__name__)
    if notice.kind is Kind.QUESTION:
        parts.count(dialect.path, QUESTION)
        return _said(dialect, callback, notice, _decided(parts, dialect, notice))
    return _taken(parts, dialect, callback, notice)


def _refused(parts: WebhookParts, dialect: Dialect) -> Response:
    parts.count(dialect.path, UNAUTHORIZED)
    return edge.plain("unauthorized", HTTPStatus.UNAUTHORIZED)


def _taken(parts: WebhookParts, dialect: Dialect, callback: Callback, notice: Notice) -> Response:
    """Settled, or at least stored for the chore that settles: only then is it acknowledged."""
    arrival = _arrival(parts, dialect, callback)

    def work(connection: Connection) -> Became:
        now = parts.clock.now()
        return parts.settler.take(connection, arrival, dialect.trust, notice, now)

    try:
        became = parts.database.run(work, deadline=Deadline(REQUEST_SECONDS), keyed=True)
    except Exception as error:  # noqa: BLE001 - what is sent only once must not be lost to it
        foreseen = isinstance(error, (TryAgain, CommitUnknown, DuplicateKey))
        say = log.warning if foreseen else log.exception
        say("webhook_not_settled", dialect=dialect.path, error=type(error).__name__)
        if not _kept(parts, arrival, Became.KEPT, type(error).__name__, notice):
            parts.count(dialect.path, NOT_STORED)
            return edge.plain("try again", HTTPStatus.SERVICE_UNAVAILABLE)
        became = Became.KEPT
    parts.count(dialect.path, became.value)
    if became not in ROUTINE:
        log.info("webhook_taken", dialect=dialect.path, part=callback.part, became=became.value)
    return _said(dialect, callback, notice, Decision.TAKEN)


def _unread(
    parts: WebhookParts, dialect: Dialect, callback: Callback, became: Became, reason: str
) -> Response:
    arrival = _arrival(parts, dialect, callback)
    if not _kept(parts, arrival, became, reason):
        parts.count(dialect.path, NOT_STORED)
        return edge.plain("try again", HTTPStatus.SERVICE_UNAVAILABLE)
    parts.count(dialect.path, became.value)
    return edge.plain("malformed", HTTPStatus.BAD_REQUEST)


def _kept(
    parts: WebhookParts,
    arrival: Arrival,
    became: Became,
    reason: str,
    notice: Notice | None = None,
) -> bool:
    """Store a callback by itself; False when the database cannot be reached either."""

    def work(connection: Connection) -> None:
        callbacks.add(connection, arrival, became, notice, reason=reason)

    try:
        # Twice in the table does no harm: it is settled once.
        parts.database.run(work, deadline=Deadline(KEEP_SECONDS), keyed=True)
    except Exception as error:  # noqa: BLE001 - the provider is asked to repeat it
        log.error("webhook_not_stored", dialect=arrival.dialect, error=type(error).__name__)
        return False
    return True


def _decided(parts: WebhookParts, dialect: Dialect, notice: Notice) -> Decision:
    """The answer to a question; one that cannot be answered now is a no."""
    try:
        if parts.is_paused(f"provider:{dialect.books_as}"):
            return Decision.NOT_NOW
        with parts.database.snapshot() as connection:
            now = parts.clock.now()
            return parts.questions.answer(connection, dialect.books_as, dialect.trust, notice, now)
    except Exception:  # money that would not be taken must not be sent
        log.exception("webhook_question_failed", dialect=dialect.path)
        return Decision.NOT_NOW


def _said(dialect: Dialect, callback: Callback, notice: Notice, decision: Decision) -> Response:
    try:
        answer = dialect.acknowledge(callback, notice, decision)
    except Exception:  # a fault of ours must not read as a page of errors
        log.exception("webhook_not_acknowledged", dialect=dialect.path, decision=decision.value)
        if decision in (Decision.TAKEN, Decision.NOT_NOW):
            return edge.plain("try again", HTTPStatus.SERVICE_UNAVAILABLE)
        return _said(dialect, callback, notice, Decision.NOT_NOW)  # a no that every dialect knows
    return Response(answer.body, answer.status, content_type=answer.content_type)


def _arrival(parts: WebhookParts, dialect: Dialect, callback: Callback) -> Arrival:
    """What is stored: as it came, but for the path's secret, which some repeat to us (T3)."""
    secrets = parts.secrets if dialect.guarded else ()
    headers, body = list(callback.headers), callback.body
    for secret in secrets:
        hidden = "#" * len(secret)
        headers = [(name, value.replace(secret, hidden)) for name, value in headers]
        body = body.replace(secret.encode(), hidden.encode())
    return Arrival(
        dialect=dialect.path,
        provider=dialect.books_as,
        part=callback.part,
        address=callback.address,
        headers=headers,
        body=body,
        received_at=callback.received_at,
    )
