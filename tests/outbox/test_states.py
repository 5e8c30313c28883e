"""Every event in every state: where a message goes, and that it never goes back."""

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest

from gateway.channels.base import Delivery, Handover
from gateway.outbox import queue
from gateway.outbox.queue import ATTEMPTS_MAX, REPORT_WAIT, Lease
from gateway.outbox.store import LEASE, REASON_MAX, Message
from tests.outbox.rows import CHANNEL, Rows
from tests.support.clock import SteppedClock

SOON = timedelta(seconds=5)

Event = Callable[[Rows, Message, Lease], object]


def known_as(message: Message) -> str:
    return f"ATXid_{message.id}"


def reported(delivery: Delivery) -> Event:
    return lambda rows, message, _: rows.report(
        known_as(message), delivery, phone=message.recipient
    )


def handed_over(*, delivered: bool) -> Event:
    return lambda rows, message, lease: rows.run(
        lambda c: queue.sent(
            c, lease, CHANNEL, Handover(known_as(message), delivered=delivered), rows.now()
        )
    )


EVENTS: Mapping[str, Event] = {
    "sent": handed_over(delivered=False),
    "delivered at once": handed_over(delivered=True),
    "unknown": lambda rows, _, lease: rows.unknown(lease),
    "refused": lambda rows, _, lease: rows.run(lambda c: queue.refused(c, lease, "no", rows.now())),
    "dropped": lambda rows, _, lease: rows.run(
        lambda c: queue.dropped(c, lease, "spent", rows.now())
    ),
    "retry": lambda rows, message, lease: rows.run(
        lambda c: queue.retry(c, message, lease, "away", SOON, rows.now())
    ),
    "report interim": reported(Delivery.INTERIM),
    "report delivered": reported(Delivery.DELIVERED),
    "report failed": reported(Delivery.FAILED),
    "report unknown word": reported(Delivery.UNKNOWN_WORD),
}

WITHOUT_ANSWER = {
    "sent": "sent",
    "delivered at once": "delivered",
    "report interim": "sent",
    "report delivered": "delivered",
    "report failed": "failed",
}
# From each state, the events that move a message and where to; all others leave it alone.
MOVES: Mapping[str, Mapping[str, str]] = {
    "queued": {},
    "sending": {
        "sent": "sent",
        "delivered at once": "delivered",
        "unknown": "unknown",
        "refused": "failed",
        "dropped": "dropped",
        "retry": "queued",
    },
    "unknown": WITHOUT_ANSWER,
    "unknown, queued again": WITHOUT_ANSWER,
    "sent": {"report delivered": "delivered", "report failed": "failed"},
    "delivered": {},
    "failed": {},
    "dropped": {},
}
REACHED_BY: Mapping[str, str | None] = {
    "sending": None,
    "unknown": "unknown",
    "unknown, queued again": "unknown",
    "sent": "sent",
    "delivered": "delivered at once",
    "failed": "refused",
    "dropped": "dropped",
}


def brought_to(state: str, rows: Rows, clock: SteppedClock) -> tuple[Message, Lease]:
    """A message to a phone of its own in that state, and the lease under which it got there."""
    number = len(rows.all())
    row = rows.add(to=f"+23480300001{number:02}")
    if state == "queued":
        return rows.row(row), Lease(row, "w1")
    message, lease = rows.claim(row=row)
    event = REACHED_BY[state]
    if event is not None:
        EVENTS[event](rows, message, lease)
    if state == "unknown, queued again":
        clock.advance(seconds=REPORT_WAIT.total_seconds())
        rows.settle()
    return message, lease


@pytest.mark.parametrize("state", MOVES)
def test_every_event_moves_a_message_as_the_table_says(
    rows: Rows, clock: SteppedClock, state: str
) -> None:
    for event, happen in EVENTS.items():
        message, lease = brought_to(state, rows, clock)
        before = rows.state(message.id)
        assert before == state.split(", ")[-1].removesuffix(" again")
        happen(rows, message, lease)
        assert rows.state(message.id) == MOVES[state].get(event, before), event


@pytest.mark.parametrize("event", ["sent", "unknown", "refused", "dropped", "retry"])
def test_only_the_holder_of_the_lease_records_an_outcome(rows: Rows, event: str) -> None:
    row = rows.add()
    message, _ = rows.claim("w1")
    EVENTS[event](rows, message, Lease(row, "w2"))
    assert rows.state(row) == "sending"


def test_a_lease_that_ran_out_leaves_the_outcome_unknown(rows: Rows, clock: SteppedClock) -> None:
    row = rows.add()
    rows.claim()
    clock.advance(seconds=LEASE.total_seconds() - 1)
    assert rows.settle() == 0
    clock.advance(seconds=1)
    assert rows.settle() == 1
    lost = rows.row(row)
    assert (lost.state, lost.reason) == ("unknown", "the sending worker was lost")
    assert lost.handed_over_at is not None  # the bill counts what may have gone out


def test_an_outcome_that_comes_after_the_lease_ran_out_still_counts(
    rows: Rows, clock: SteppedClock
) -> None:
    row = rows.add()
    _, lease = rows.claim()
    clock.advance(minutes=2)
    rows.settle()
    rows.sent(lease)
    assert rows.state(row) == "sent"


def test_an_unknown_outcome_is_sent_once_more_and_then_given_up(
    rows: Rows, clock: SteppedClock
) -> None:
    row = rows.add()
    for expected in ("queued", "failed"):
        _, lease = rows.claim()
        rows.unknown(lease)
        clock.advance(minutes=9, seconds=59)
        assert rows.settle() == 0
        clock.advance(seconds=1)
        assert rows.settle() == 1
        assert rows.state(row) == expected
    assert rows.row(row).reason == "no delivery report came"
    assert rows.row(row).attempts == 2


def test_tries_are_bounded_and_the_last_reason_is_kept_short(rows: Rows) -> None:
    row = rows.add()
    message, lease = rows.claim()
    long = "x" * 300
    for tried in range(message.attempts, ATTEMPTS_MAX + 1):
        assert message.attempts == tried
        rows.retry(message, lease, reason=long)
        if tried < ATTEMPTS_MAX:
            message, lease = rows.claim()
    given_up = rows.row(row)
    assert given_up.state == "failed"
    assert given_up.reason == f"gave up: {long}"[:REASON_MAX]


def test_waiting_for_an_operator_uses_up_no_tries(rows: Rows) -> None:
    rows.add()
    for _ in range(3):
        message, lease = rows.claim()
        assert message.attempts == 1
        rows.retry(message, lease, reason="no credit", counts=False)


def test_a_cause_has_one_message(rows: Rows) -> None:
    def once() -> bool:
        return rows.run(
            lambda c: queue.add_once(c, "the cause", "note", "", "+234803", "en", rows.now())
        )

    assert [once(), once()] == [True, False]
    assert len(rows.all()) == 1
