"""Handing queued messages over: claim, render, send outside any transaction, record."""

import itertools
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection

from gateway.channels.base import Handover, SmsChannel
from gateway.clock import Clock, monotonic
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
from gateway.outbox import queue, references, store
from gateway.outbox.calls import CALL_SECONDS_MAX, BoundedCalls
from gateway.outbox.queue import Lease
from gateway.outbox.recording import Recorder
from gateway.outbox.rest import Rest
from gateway.outbox.store import LEASE, SMS, Message

log = structlog.get_logger()

BILL_PERIOD = timedelta(days=1)
BILL_READ_EVERY = timedelta(seconds=30)
BILL_ALARM_EVERY = timedelta(minutes=15)
WAIT_FOR_KEY = timedelta(minutes=1)
NOT_YET_WAIT = timedelta(minutes=5)
PAUSED_SECONDS = 30
# A call that began later than this after its claim could outlast the lease.
OFFER_SECONDS_MAX = LEASE.total_seconds() - CALL_SECONDS_MAX - 5.0

Failure = Unreachable | Throttled | Refused


def nothing_is_paused(_: str) -> bool:
    """The switchboard of one that has none."""
    return False


class NotWanted(GatewayError):
    """The message has no purpose any more (its token was spent meanwhile)."""


class NotYet(GatewayError):
    """The message may be wanted later (its token is suspended): nothing is given up for it."""

    def __init__(self, reason: str, wait: timedelta = NOT_YET_WAIT) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Text:
    """A rendered message, for sending now and keeping nowhere."""

    body: str = field(repr=False)  # may hold a token's digits
    sender_id: str | None = None


# Makes a message's text at the moment of sending; raises `NotWanted` or `NotYet`.
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
        *,
        call_seconds_max: float = CALL_SECONDS_MAX,
        is_paused: Callable[[str], bool] = nothing_is_paused,
    ) -> None:
        self._database = database
        self._clock = clock
        self._channels = channels
        self._renderers = renderers
        self._guard = guard
        self._worker = worker
        self._is_paused = is_paused
        self._calls: Mapping[str, BoundedCalls[Handover]] = {
            channel.name: BoundedCalls(call_seconds_max) for channel in channels
        }
        self._rest = Rest()
        self._recorder = Recorder(database, clock)
        self._bill_count = 0
        self._bill_read_at: datetime | None = None
        self._bill_alarm_at: datetime | None = None

    def send_next(self) -> bool:
        """Send the next due message; False when nothing is due or nothing can be sent now.

        Raises `TryAgain` or `CommitUnknown` when the database is away; an outcome that could not
        be recorded is recorded by the next call, before anything else.
        """
        self._recorder.record_pending()
        if self._must_wait():
            return False
        began = monotonic()
        claimed = self._claim()
        if claimed is None:
            return False
        message, lease = claimed
        if self._is_allowed(message, lease):
            text = self._rendered(message, lease)
            if text is not None:
                self._hand_over(message, lease, text, began)
        return True

    def _must_wait(self) -> bool:
        """Whether a claim would be in vain: paused, every channel rests, the day's bill is full."""
        if self._is_paused(SMS):
            return True
        now = self._clock.now()
        if all(self._resting(channel.name, now) for channel in self._channels):
            return True
        if self._handed_over_today(now) < self._guard.a_day_max:
            return False
        if self._bill_alarm_at is None or now - self._bill_alarm_at >= BILL_ALARM_EVERY:
            self._bill_alarm_at = now
            log.error("sms_daily_max_reached", most=self._guard.a_day_max)
        return True

    def _claim(self) -> tuple[Message, Lease] | None:
        holder = f"{self._worker}:{secrets.token_hex(4)}"
        tries = itertools.count()

        def work(connection: Connection) -> Message | None:
            # The answer to an earlier try's COMMIT may have been lost: then it is ours already.
            ours = queue.claimed(connection, holder) if next(tries) else None
            return ours or queue.claim_next(connection, holder, self._clock.now())

        message = self._database.run(work, keyed=True)
        return None if message is None else (message, Lease(message.id, holder))

    def _is_allowed(self, message: Message, lease: Lease) -> bool:
        prefixes = self._guard.prefixes
        if not prefixes or message.recipient.startswith(tuple(prefixes)):
            return True
        reason = "recipient outside the allowed prefixes"
        self._recorder.record(lambda c, now: queue.refused(c, lease, reason, now))
        return False

    def _rendered(self, message: Message, lease: Lease) -> Text | None:
        renderer = self._renderers.get(message.template)
        try:
            if renderer is None:
                raise NotWanted(f"no renderer for {message.template}")
            with self._database.snapshot() as connection:
                return renderer(connection, message)
        except NotWanted as error:
            reason = str(error)
            self._recorder.record(lambda c, now: queue.dropped(c, lease, reason, now))
        except NotYet as error:
            log.info("not_sent_yet", outbox=message.id, reason=str(error))
            self._retry(message, lease, str(error), error.wait, counts=False)
        except (KeyMissing, DerivationMismatch) as error:
            # A fault of this process or of the row: another worker may have the right key.
            event = "key_missing" if isinstance(error, KeyMissing) else "key_or_row_wrong"
            log.error(event, outbox=message.id, error=str(error))
            self._retry(message, lease, str(error), WAIT_FOR_KEY, counts=False)
        except Exception as error:  # a fault of one message must not stop the others
            log.exception("not_rendered", outbox=message.id, template=message.template)
            # Its type alone: the text of an unforeseen error may hold anything.
            reason = f"not rendered: {type(error).__name__}"
            self._retry(message, lease, reason, queue.backoff(message.attempts))
        return None

    def _hand_over(self, message: Message, lease: Lease, text: Text, began: float) -> None:
        """Try the channels in order of preference until one takes the message or may have it."""
        failures: list[Failure] = []
        reasons: list[str] = []
        for channel in self._in_order(message):
            failure = self._offer(channel, message, lease, text, began)
            if failure is None:
                return
            failures.append(failure)
            reasons.append(f"{channel.name}: {failure.reason}")
            if isinstance(failure, Refused) and failure.everywhere:
                failures = [failure]
                break
        reason = "; ".join(reasons)
        if all(isinstance(failure, Refused) for failure in failures):
            self._recorder.record(lambda c, now: queue.refused(c, lease, reason, now))
            return
        waits = [
            _wait(failure, message) for failure in failures if not isinstance(failure, Refused)
        ]
        # What waits for an operator says nothing of the message: it must not be given up for it.
        counts = not any(isinstance(failure, Throttled) and failure.alarm for failure in failures)
        self._retry(message, lease, reason, min(waits), counts=counts)

    def _in_order(self, message: Message) -> Sequence[SmsChannel]:
        """By preference; the one that took it and was never heard of again comes last."""
        unheard = message.channel if message.resends else None
        return sorted(self._channels, key=lambda channel: channel.name == unheard)

    def _resting(self, name: str, now: datetime) -> Unreachable | Throttled | None:
        if self._is_paused(f"provider:{name}"):
            return Throttled("paused", PAUSED_SECONDS, alarm=True)
        return self._rest.left(name, now)

    def _offer(
        self, channel: SmsChannel, message: Message, lease: Lease, text: Text, began: float
    ) -> Failure | None:
        """Hand a message to one channel and record it; the failure when it was not taken."""
        name = channel.name
        now = self._clock.now()
        rest = self._resting(name, now)
        if rest is not None:
            return rest
        if monotonic() - began > OFFER_SECONDS_MAX:
            return Unreachable("no time left under this lease")
        try:
            taken = self._calls[name].make(
                lambda: channel.send(
                    message.recipient,
                    text.body,
                    reference=references.of(message),
                    sender_id=text.sender_id,
                )
            )
        except (Unreachable, Throttled, Refused) as failure:
            self._rest.after(name, failure, now)
            say = (
                log.warning if isinstance(failure, Unreachable) or not failure.alarm else log.error
            )
            say("send_failed", channel=name, outbox=message.id, error=failure.reason)
            return failure
        except OutcomeUnknown as failure:
            self._rest.after(name, failure, now)
            log.warning("send_unknown", channel=name, outbox=message.id, error=failure.reason)
            self._record_unknown(lease, name, failure.reason)
        except Exception as error:  # not in the contract, so the message may have left
            log.exception("send_unknown", channel=name, outbox=message.id)
            self._record_unknown(lease, name, type(error).__name__)
        else:
            self._rest.answered(name)
            self._bill_count += 1
            nameless = replace(taken, message_id="")
            self._recorder.record(
                lambda c, now: queue.sent(c, lease, name, taken, now),
                # A hand-over that is not recorded is repeated: its id is worth less than that.
                lambda c, now: queue.sent(c, lease, name, nameless, now),
            )
        return None

    def _record_unknown(self, lease: Lease, channel: str, reason: str) -> None:
        self._bill_count += 1
        self._recorder.record(lambda c, now: queue.unknown(c, lease, channel, reason, now))

    def _handed_over_today(self, now: datetime) -> int:
        if self._bill_read_at is None or now - self._bill_read_at > BILL_READ_EVERY:
            since = now - BILL_PERIOD
            self._bill_count = self._database.run(lambda c: store.handed_over_since(c, since))
            self._bill_read_at = now
        return self._bill_count

    def _retry(
        self,
        message: Message,
        lease: Lease,
        reason: str,
        after: timedelta,
        *,
        counts: bool = True,
    ) -> None:
        self._recorder.record(
            lambda c, now: queue.retry(c, message, lease, reason, after, now, counts=counts)
        )


def _wait(failure: Failure, message: Message) -> timedelta:
    if isinstance(failure, Throttled):
        return timedelta(seconds=failure.retry_after)
    return queue.backoff(message.attempts)
