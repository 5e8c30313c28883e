"""The worker's part: pay once under the withdrawal's reference, then ask until it is known."""

import secrets
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection

from gateway.errors import Refused, SendFailed, Throttled, Unreachable
from gateway.outbox import queue
from gateway.outbox.sending import NotYet
from gateway.outbox.store import Message
from gateway.outbox.tasks import PAYOUT, PROVIDER, QUERY, Again, Work, later
from gateway.providers.base import messages
from gateway.providers.base.messages import Asked, Outcome, Status
from gateway.tokens.suspend import OpenDispute
from gateway.withdrawals import outcomes, store
from gateway.withdrawals.events import store as events
from gateway.withdrawals.events.store import Event, Verdict
from gateway.withdrawals.outcomes import Heard, Outcomes
from gateway.withdrawals.payers import Payers
from gateway.withdrawals.store import Payout, State, Withdrawal

log = structlog.get_logger()

PAY, ASK = "payout", "payout_ask"  # templates of the outbox
ONCE = "once"  # the detail of a question that a callback has caused
MINUTE = timedelta(minutes=1)
HINT_TRIES = 5  # of such a question, while the provider cannot be reached or puts it off
ALARM_AFTER = timedelta(hours=24)  # of asking in vain; a provider may say "ambiguous" for days
ASK_FOR = timedelta(days=7)  # after that only an operator, or a callback, can tell
# How often is asked, by how long ago it was handed over.
PACES = (
    (timedelta(minutes=5), timedelta(minutes=1)),
    (timedelta(hours=1), timedelta(minutes=5)),
    (ALARM_AFTER, timedelta(minutes=30)),
    (ASK_FOR, timedelta(hours=2)),
)


def pace(age: timedelta) -> timedelta | None:
    """How long to wait before the next question about a payout of this age; None: no more.

    >>> pace(timedelta(minutes=2)), pace(timedelta(days=8)) is None
    (datetime.timedelta(seconds=60), True)
    """
    return next((every for until, every in PACES if age < until), None)


def queue_payout(connection: Connection, withdrawal: Withdrawal, now: datetime) -> None:
    """Hand a withdrawal that was just moved to `queued` to the worker.

    An operator may do so again. The step, not this row, makes sure that it is called once.
    """
    cause = f"payout:{withdrawal.reference}:{secrets.token_hex(4)}"
    _queue(connection, cause, PAY, withdrawal, now, PAYOUT, now)


def queue_question(
    connection: Connection, withdrawal: Withdrawal, now: datetime, due_at: datetime
) -> None:
    """Ask the provider from `due_at` on until it is known."""
    _queue(connection, f"payout_ask:{withdrawal.reference}", ASK, withdrawal, now, QUERY, due_at)


def queue_hint(connection: Connection, withdrawal: Withdrawal, now: datetime) -> None:
    """Ask once and at once: somebody unproven says that there is news.

    Once a minute at most; the news of a minute that was asked in is asked about in the next.
    """
    minute = now.replace(second=0, microsecond=0)
    after = minute + MINUTE
    for of, due_at in ((minute, now), (after, after)):
        cause = f"payout_hint:{withdrawal.reference}:{of:%Y%m%d%H%M}"
        if _queue(connection, cause, ASK, withdrawal, now, QUERY, due_at, **{ONCE: "yes"}):
            return


def _queue(
    connection: Connection,
    cause: str,
    template: str,
    withdrawal: Withdrawal,
    now: datetime,
    line: str,
    due_at: datetime,
    **details: str,
) -> bool:
    details, subject = {PROVIDER: withdrawal.provider, **details}, withdrawal.reference
    return queue.add_once(
        connection, cause, template, subject, "", "", now, details, line=line, due_at=due_at
    )


class PayoutTask:
    """Pays. What came of a call is decided along the table in docs/withdrawals.md."""

    repeatable = False

    def __init__(self, payers: Payers, learner: Outcomes, open_dispute: OpenDispute) -> None:
        self._payers = payers
        self._outcomes = learner
        self._open_dispute = open_dispute

    def begin(self, connection: Connection, message: Message, now: datetime) -> Work | None:
        """Mark it as handed over, before the call: what dies after this may have been paid."""
        found = _read(connection, message)
        if found.state != State.HELD:
            return None
        payer = self._payers.named(found.provider, found.destination, found.currency)
        if payer is None:
            if store.move(connection, found.id, (Payout.QUEUED,), Payout.MANUAL, now):
                log.error("payout_provider_gone", reference=found.reference)
            return None
        if not store.move(
            connection, found.id, (Payout.QUEUED,), Payout.SENDING, now, handed_over_at=now
        ):
            return None
        order = messages.Payout(found.reference, found.destination, found.amount, found.currency)
        return lambda: payer.pay(order)

    def done(
        self, connection: Connection, message: Message, result: object, now: datetime
    ) -> Again | None:
        """Apply what the provider answered; what is not decided yet is asked about."""
        found = _read(connection, message)
        if isinstance(result, Status):
            self._outcomes.learn(connection, found, Heard.of(outcomes.CALL, result), now)
            if result.outcome != Outcome.PENDING:
                return None
        wait_for_word(connection, found, now)
        return None

    def failed(
        self, connection: Connection, message: Message, failure: SendFailed, now: datetime
    ) -> Again | None:
        """Only a plain refusal is the provider's last word; our own faults wait for an operator."""
        found = _read(connection, message)
        _note(connection, found, outcomes.CALL, failure, now)
        if isinstance(failure, Unreachable | Throttled):
            # A dispute that came while it was called could not stop it; now it can.
            store.lock(connection, found.reference)
            disputed = self._open_dispute(connection, found.reference)
            again = None if disputed else later(message, failure, now)
            step = Payout.QUEUED if again else Payout.MANUAL
            store.move(connection, found.id, (Payout.SENDING,), step, now, handed_over_at=None)
            if again is None and not disputed:
                log.error("payout_given_up", reference=found.reference, reason=failure.reason)
            return again
        if isinstance(failure, Refused) and failure.alarm:
            store.move(
                connection, found.id, (Payout.SENDING,), Payout.MANUAL, now, handed_over_at=None
            )
            log.error("payout_refused", reference=found.reference, reason=failure.reason)
        elif isinstance(failure, Refused):
            heard = Heard(outcomes.CALL, Outcome.FAILED, reason=failure.reason)
            self._outcomes.learn(connection, found, heard, now)
        else:
            wait_for_word(connection, found, now)
        return None

    def lost(self, connection: Connection, message: Message, now: datetime) -> Again | None:
        """The call may have been made: it is asked about, and never made again."""
        found = _read(connection, message)
        log.warning("payout_lost", reference=found.reference)
        wait_for_word(connection, found, now)
        return None


class AskTask:
    """Asks what became of a payout, by the reference it was sent under."""

    repeatable = True

    def __init__(self, payers: Payers, learner: Outcomes) -> None:
        self._payers = payers
        self._outcomes = learner

    def begin(self, connection: Connection, message: Message, now: datetime) -> Work | None:
        """The question; None when the answer is known by now."""
        found = _read(connection, message)
        is_open = found.state == State.HELD or ONCE in message.details
        if not is_open or found.handed_over_at is None:
            return None
        if found.payout == Payout.SENDING:
            raise NotYet("it is being handed over")
        payer = self._payers.named(found.provider, found.destination, found.currency)
        if payer is None:
            raise NotYet(f"{found.provider} is not set up")
        asked = Asked(
            found.reference,
            found.provider_ref or "",
            found.handed_over_at,
            found.amount,
            found.currency,
            found.destination,
        )
        return lambda: payer.ask_payout(asked)

    def done(
        self, connection: Connection, message: Message, result: object, now: datetime
    ) -> Again | None:
        """Apply the answer, or ask again later."""
        found = _read(connection, message)
        if isinstance(result, Status):
            self._outcomes.learn(connection, found, Heard.of(outcomes.STATUS, result), now)
        return self._again(connection, message, now)

    def failed(
        self, connection: Connection, message: Message, failure: SendFailed, now: datetime
    ) -> Again | None:
        """No answer says nothing of the payout, nor does a refusal of the question."""
        _note(connection, _read(connection, message), outcomes.STATUS, failure, now)
        unheard = isinstance(failure, Unreachable | Throttled)
        if ONCE in message.details and unheard and message.attempts < HINT_TRIES:
            return later(message, failure, now)
        return self._again(connection, message, now)

    def lost(self, connection: Connection, message: Message, now: datetime) -> Again | None:
        """A question may be asked as often as we like."""
        return self._again(connection, message, now)

    def _again(self, connection: Connection, message: Message, now: datetime) -> Again | None:
        found = _read(connection, message)
        if found.state != State.HELD or found.handed_over_at is None:
            return None
        age = now - found.handed_over_at
        if age >= ALARM_AFTER and store.move(
            connection, found.id, (Payout.UNKNOWN,), Payout.MANUAL, now
        ):
            log.error("payout_unknown_for_long", reference=found.reference)
        wait = pace(age)
        if wait is None or ONCE in message.details:
            return None
        return Again(now + wait, counts=False)


def _read(connection: Connection, message: Message) -> Withdrawal:
    found = store.by_reference(connection, message.subject)
    if found is None:
        raise LookupError(f"no withdrawal {message.subject}")
    return found


def wait_for_word(connection: Connection, found: Withdrawal, now: datetime) -> None:
    """Handed over without a decision: held until the provider says what became of it."""
    if store.move(connection, found.id, (Payout.SENDING,), Payout.UNKNOWN, now):
        queue_question(connection, found, now, now + PACES[0][1])


def _note(
    connection: Connection, found: Withdrawal, source: str, failure: SendFailed, now: datetime
) -> None:
    said = type(failure).__name__.lower()[:16]
    event = Event(found.reference, now, source, said, Verdict.NOTED, reason=failure.reason)
    if not events.is_known(connection, event):
        events.add(connection, event)
