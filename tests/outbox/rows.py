"""Puts messages into the outbox, moves them by hand, and reads them back."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import TypeVar

from sqlalchemy import Connection, func, select

from gateway.channels.base import Delivery, DeliveryReport, Handover
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.outbox import queue, store
from gateway.outbox.queue import Lease
from gateway.outbox.reports.settle import take_in
from gateway.outbox.reports.store import delivery_reports
from gateway.outbox.store import LEASE, Message, outbox
from menus.keywords import NOTE

T = TypeVar("T")

PHONE, OTHER_PHONE = "+2348030000001", "+2348030000002"
CHANNEL = "africastalking"
NOTHING_SAID = {"note": "mistyped", "serial": ""}
WORDS = {
    Delivery.INTERIM: "Buffered",
    Delivery.DELIVERED: "Success",
    Delivery.FAILED: "Failed",
    Delivery.UNKNOWN_WORD: "Borked",
}


def report_of(
    message_id: str, delivery: Delivery, *, reason: str = "", phone: str = PHONE
) -> DeliveryReport:
    """A report as Africa's Talking's file reads it."""
    return DeliveryReport(CHANNEL, message_id, delivery, WORDS[delivery], reason, phone)


@dataclass
class Rows:
    """The outbox of one database, at the time of one clock."""

    database: Database
    clock: Clock

    def __post_init__(self) -> None:
        """Each message follows from a cause of its own."""
        self._causes = count()

    def run(self, work: Callable[[Connection], T]) -> T:
        """One unit of work."""
        return self.database.run(work, keyed=True)

    def now(self) -> datetime:
        """The clock's time."""
        return self.clock.now()

    def add(self, to: str = PHONE) -> int:
        """Queue a short reply; its row."""
        cause = f"test:{next(self._causes)}"

        def work(connection: Connection) -> int:
            queue.add(connection, cause, NOTE, "", to, "en", self.now(), NOTHING_SAID)
            return int(connection.execute(select(func.max(outbox.c.id))).scalar_one())

        return self.run(work)

    def claim(self, holder: str = "w1", row: int | None = None) -> tuple[Message, Lease]:
        """Claim the next message, or a certain one."""

        def work(connection: Connection) -> Message | None:
            now = self.now()
            if row is None:
                return queue.claim_next(connection, holder, now)
            return store.claim(connection, row, holder, now + LEASE, now)

        message = self.run(work)
        assert message is not None
        return message, Lease(message.id, holder)

    def sent(self, lease: Lease, message_id: str = "ATXid_1", channel: str = CHANNEL) -> None:
        """Record that the aggregator took it."""
        self.run(lambda c: queue.sent(c, lease, channel, Handover(message_id), self.now()))

    def unknown(self, lease: Lease, channel: str = CHANNEL) -> None:
        """Record that no answer came."""
        self.run(lambda c: queue.unknown(c, lease, channel, "no answer", self.now()))

    def report(
        self,
        message_id: str,
        delivery: Delivery = Delivery.DELIVERED,
        *,
        phone: str | None = PHONE,
        reason: str = "",
    ) -> bool:
        """Take a report in."""
        said = report_of(message_id, delivery, reason=reason, phone=phone or "")
        return self.run(lambda c: take_in(c, said, phone, self.now()))

    def retry(
        self,
        message: Message,
        lease: Lease,
        *,
        reason: str = "away",
        after: timedelta = timedelta(0),
        counts: bool = True,
    ) -> None:
        """Record that nothing was handed over."""
        self.run(lambda c: queue.retry(c, message, lease, reason, after, self.now(), counts=counts))

    def settle(self) -> int:
        """What the worker's housekeeping does."""
        return self.run(
            lambda c: queue.settle_lapsed(c, self.now()) + queue.settle_undecided(c, self.now())
        )

    def row(self, number: int) -> Message:
        """The message as it stands."""
        return self.run(lambda c: store.by_id(c, number))

    def state(self, number: int) -> str:
        """The message's state."""
        return self.row(number).state

    def states(self) -> list[str]:
        """Every message's state, oldest first."""
        return [message.state for message in self.all()]

    def all(self) -> list[Message]:
        """Every message, oldest first."""
        return self.run(
            lambda c: [store.message(row) for row in c.execute(select(outbox).order_by("id"))]
        )

    def reports(self) -> list[tuple[str, str]]:
        """(message id, the aggregator's word) of every report kept."""
        kept = select(delivery_reports.c.message_id, delivery_reports.c.status)
        return self.run(lambda c: [(row[0], row[1]) for row in c.execute(kept.order_by("id"))])
