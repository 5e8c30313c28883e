"""The two tasks of an order: prompt its phone once, and ask until its provider knows."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from sqlalchemy import Connection

from gateway.deposits import asks, store
from gateway.deposits.answers import Answers
from gateway.deposits.orders import collector
from gateway.deposits.states import State
from gateway.deposits.store import Deposit
from gateway.errors import OutcomeUnknown, Refused, SendFailed, Throttled
from gateway.outbox.sending import NotWanted, NotYet
from gateway.outbox.store import Message
from gateway.outbox.tasks import Again, Work, later
from gateway.providers.base.messages import Asked, Collects, Order, Outcome, Pushed, Status

log = structlog.get_logger()

PUSH_WITHIN = timedelta(minutes=10)  # nobody expects the prompt any more after that
ASK_FOR = timedelta(days=3)
ASK_EVERY_MAX = timedelta(hours=6)
WORD_TAKEN = 2  # how often: who puts us off for days is asked less and less often all the same
# Looks through the callbacks that wait for an order which has just learnt its names.
Rematch = Callable[[Connection, Deposit, datetime], object]


class PushTask:
    """Asks a phone to pay; never twice blindly, as a second prompt may be paid too."""

    repeatable = False

    def __init__(self, collects: Sequence[Collects], rematch: Rematch) -> None:
        self._collects = collects
        self._rematch = rematch

    def begin(self, connection: Connection, message: Message, now: datetime) -> Work | None:
        """The push; an order that came to nothing meanwhile needs none."""
        order = _order(connection, message)
        if order.state != State.PENDING:
            raise NotWanted(f"the order is {order.state}")
        if now - order.created_at > PUSH_WITHIN:
            _fail(connection, order, "the phone could not be asked in time", now)
            return None
        provider = _provider(self._collects, order)
        wanted = Order(order.reference, order.msisdn, order.amount, order.currency)
        return partial(provider.push, wanted)

    def done(
        self, connection: Connection, message: Message, result: Any, now: datetime
    ) -> Again | None:
        """Learn how the provider calls the order; its state is not touched here.

        A callback may have been faster: it settled the order, or waits for these very names.
        """
        order, pushed = _locked(connection, message), _pushed(result)
        names = {
            "provider_ref": order.provider_ref or pushed.provider_ref or None,
            "known_as": order.known_as or pushed.reference or None,
        }
        store.note(connection, order.id, now, **names)
        order = store.locked(connection, order.id)
        self._rematch(connection, order, now)
        asks.later(connection, order, now)
        return None

    def failed(
        self, connection: Connection, message: Message, failure: SendFailed, now: datetime
    ) -> Again | None:
        """Refused fails the order, unknown is asked about; only what never left goes again."""
        order = _locked(connection, message)
        if isinstance(failure, OutcomeUnknown):
            asks.later(connection, order, now)
            return None
        again = None if isinstance(failure, Refused) else later(message, failure, now)
        if again is not None and again.at - order.created_at <= PUSH_WITHIN:
            return again
        _fail(connection, order, failure.reason, now)
        return None

    def lost(self, connection: Connection, message: Message, now: datetime) -> Again | None:
        """The prompt may be on the phone: ask."""
        asks.later(connection, _locked(connection, message), now)
        return None


class AskTask:
    """Asks what became of an order, less and less often; only the documented success credits."""

    repeatable = True

    def __init__(self, collects: Sequence[Collects], answers: Answers, rematch: Rematch) -> None:
        self._collects = collects
        self._answers = answers
        self._rematch = rematch

    def begin(self, connection: Connection, message: Message, now: datetime) -> Work | None:
        """The question, unless the order is settled, also by a callback that waited for it."""
        self._rematch(connection, _order(connection, message), now)
        order = _order(connection, message)
        if not order.is_open:
            raise NotWanted(f"the order is {order.state}")
        provider = _provider(self._collects, order)
        asked = Asked(
            reference=order.reference,
            provider_ref=order.provider_ref or "",
            requested_at=order.created_at,
            amount=order.amount,
            currency=order.currency,
            msisdn=order.msisdn,
        )
        return partial(provider.ask, asked)

    def done(
        self, connection: Connection, message: Message, result: Any, now: datetime
    ) -> Again | None:
        """Settle by the answer; ask again while there is none."""
        if not isinstance(result, Status):
            raise TypeError("a question is answered with a status")
        self._answers.answered(connection, message.subject, result, now)
        if result.outcome is Outcome.FAILED:
            return None
        order = _order(connection, message)
        if order.state == State.FAILED and order.hinted_txn_id is None:
            return None  # answered, and there is nothing new; the nightly run asks once more
        return self._again(connection, message, result.reason, now)

    def failed(
        self, connection: Connection, message: Message, failure: SendFailed, now: datetime
    ) -> Again | None:
        """No answer says nothing of the payment. Whoever says when to ask is taken at the word."""
        again = self._again(connection, message, failure.reason, now)
        if again is None or not isinstance(failure, Throttled) or message.attempts > WORD_TAKEN:
            return again
        return Again(now + timedelta(seconds=failure.retry_after), failure.reason)

    def lost(self, connection: Connection, message: Message, now: datetime) -> Again | None:
        """A question may always be asked again."""
        return self._again(connection, message, "its worker was lost", now)

    def _again(
        self, connection: Connection, message: Message, reason: str, now: datetime
    ) -> Again | None:
        order = _order(connection, message)
        if not order.is_open or order.parked is not None:
            return None
        if now - order.created_at > ASK_FOR:
            if order.state == State.FAILED:
                return None
            # It stays pending: it may have been paid, and the reconciliation lists it.
            log.error("deposit_never_answered", deposit=order.reference)
            return None
        return Again(now + wait(message.attempts), reason)


def wait(attempts: int) -> timedelta:
    """How long to wait after the n-th question.

    >>> [int(wait(n).total_seconds() // 60) for n in (1, 2, 3, 4, 5, 9)]
    [3, 3, 6, 12, 24, 360]
    """
    doublings = min(max(attempts - 2, 0), 16)
    return min(ASK_EVERY_MAX, asks.FIRST_ASK * (1 << doublings))


def _order(connection: Connection, message: Message) -> Deposit:
    order = store.by_reference(connection, message.subject)
    if order is None:
        raise NotWanted("there is no such order")
    return order


def _locked(connection: Connection, message: Message) -> Deposit:
    return store.locked(connection, _order(connection, message).id)


def _provider(collects: Sequence[Collects], order: Deposit) -> Collects:
    provider = collector(collects, order)
    if provider is None:
        raise NotYet(f"{order.provider} is not set up")
    return provider


def _pushed(result: object) -> Pushed:
    if not isinstance(result, Pushed):
        raise TypeError("a push is answered with what the provider calls it")
    return result


def _fail(connection: Connection, order: Deposit, reason: str, now: datetime) -> None:
    store.change_state(connection, order.id, State.FAILED, now, reason=reason[: store.REASON_MAX])
