"""Handing queued messages over: claim, render, send outside any transaction, record."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection

from gateway.channels.base import SmsChannel
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.errors import (
    DerivationMismatch,
    GatewayError,
    KeyMissing,
    OutcomeUnknown,
    Refused,
    Throttled,
    Unreachable,
)
from gateway.outbox import queue, store
from gateway.outbox.queue import Lease
from gateway.outbox.store import Message

log = structlog.get_logger()

BILL_PERIOD = timedelta(days=1)
BILL_READ_EVERY = timedelta(seconds=30)
WAIT_FOR_BILL = timedelta(minutes=15)
REASON_MAX = 200


class NotWanted(GatewayError):
    """The message has no purpose any more (its token was spent meanwhile)."""


@dataclass(frozen=True, slots=True)
class Text:
    """A rendered message, for sending now and keeping nowhere."""

    body: str
    sender_id: str | None = None


# Makes a message's text at the moment of sending; raises `NotWanted`.
Renderer = Callable[[Connection, Message], Text]


@dataclass(frozen=True, slots=True)
class BillGuard:
    """What keeps the SMS bill in bounds: where to, and how many a day."""

    prefixes: Sequence[str]  # E.164 prefixes; empty: anywhere
    a_day_max: int


class Sender:
    """Sends one message at a time; many may run at once, in threads and processes."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        channels: Sequence[SmsChannel],
        renderers: Mapping[str, Renderer],
        guard: BillGuard,
        worker: str,
    ) -> None:
        self._database = database
        self._clock = clock
        self._channels = channels
        self._renderers = renderers
        self._guard = guard
        self._worker = worker
        self._bill_count = 0
        self._bill_read_at: datetime | None = None

    def send_next(self) -> bool:
        """Send the next due message; False when nothing is due."""
        message = self._database.run(
            lambda connection: queue.claim_next(connection, self._worker, self._clock.now())
        )
        if message is None:
            return False
        lease = Lease(message.id, self._worker)
        if not self._stopped_by_guard(message, lease):
            text = self._rendered(message, lease)
            if text is not None:
                self._hand_over(message, lease, text)
        return True

    def _rendered(self, message: Message, lease: Lease) -> Text | None:
        renderer = self._renderers.get(message.template)
        try:
            if renderer is None:
                raise NotWanted(f"no renderer for {message.template}")
            with self._database.snapshot() as connection:
                return renderer(connection, message)
        except NotWanted as error:
            reason = str(error)
            self._record(lambda c, now: queue.dropped(c, lease, reason, now))
        except DerivationMismatch as error:
            reason = str(error)
            self._record(lambda c, now: queue.refused(c, lease, reason, now))
        except KeyMissing as error:
            log.error("key_missing", error=str(error))
            self._retry(message, lease, str(error))
        return None

    def _hand_over(self, message: Message, lease: Lease, text: Text) -> None:
        """Try the channels in order of preference until one takes the message or may have it."""
        failures: list[Unreachable | Throttled | Refused] = []
        reasons: list[str] = []
        for channel in self._channels:
            failure = self._offer(channel, message, lease, text)
            if failure is None:
                return
            failures.append(failure)
            reasons.append(f"{channel.name}: {failure.reason}")
            alarm = getattr(failure, "alarm", False)
            say = log.error if alarm else log.warning
            say("send_failed", channel=channel.name, outbox=message.id, error=reasons[-1])
        reason = "; ".join(reasons)[:REASON_MAX]
        if all(isinstance(failure, Refused) for failure in failures):
            self._record(lambda c, now: queue.refused(c, lease, reason, now))
            return
        waits = [failure.retry_after for failure in failures if isinstance(failure, Throttled)]
        self._retry(message, lease, reason, timedelta(seconds=min(waits)) if waits else None)

    def _offer(
        self, channel: SmsChannel, message: Message, lease: Lease, text: Text
    ) -> Unreachable | Throttled | Refused | None:
        """Hand a message to one channel and record it; the failure when it was not taken."""
        name = channel.name
        try:
            taken = channel.send(
                message.recipient, text.body, reference=str(message.id), sender_id=text.sender_id
            )
        except OutcomeUnknown as error:
            reason = error.reason[:REASON_MAX]
            log.warning("send_unknown", channel=name, outbox=message.id)
            self._record(lambda c, now: queue.unknown(c, lease, name, reason, now))
        except (Unreachable, Throttled, Refused) as error:
            return error
        else:
            self._record(lambda c, now: queue.sent(c, lease, name, taken, now))
        self._bill_count += 1
        return None

    def _stopped_by_guard(self, message: Message, lease: Lease) -> bool:
        prefixes = self._guard.prefixes
        if prefixes and not message.recipient.startswith(tuple(prefixes)):
            reason = "recipient outside the allowed prefixes"
            self._record(lambda c, now: queue.refused(c, lease, reason, now))
            return True
        if self._handed_over_today() < self._guard.a_day_max:
            return False
        log.error("sms_daily_max_reached", most=self._guard.a_day_max)
        self._retry(message, lease, "daily maximum reached", WAIT_FOR_BILL, counts=False)
        return True

    def _handed_over_today(self) -> int:
        now = self._clock.now()
        if self._bill_read_at is None or now - self._bill_read_at > BILL_READ_EVERY:
            with self._database.snapshot() as connection:
                self._bill_count = store.handed_over_since(connection, now - BILL_PERIOD)
            self._bill_read_at = now
        return self._bill_count

    def _retry(
        self,
        message: Message,
        lease: Lease,
        reason: str,
        after: timedelta | None = None,
        *,
        counts: bool = True,
    ) -> None:
        self._record(
            lambda c, now: queue.retry(c, message, lease, reason, now, after=after, counts=counts)
        )

    def _record(self, change: Callable[[Connection, datetime], None]) -> None:
        # Keyed by the lease and the before-state: repeating a recorded outcome changes nothing.
        self._database.run(lambda connection: change(connection, self._clock.now()), keyed=True)
