"""Which of several channels a message goes by: rests, pauses, the number's fault, and a resend."""

from collections.abc import Callable

import pytest

from gateway.channels.base import Handover
from gateway.channels.simulator import SimulatorChannel
from gateway.errors import OutcomeUnknown, Refused, SendFailed, Throttled, Unreachable
from gateway.outbox import references
from gateway.outbox.sending import Sender
from gateway.switches import board
from tests.outbox.rows import Rows
from tests.outbox.senders import ANYWHERE, drain, rows_of
from tests.support.clock import SteppedClock
from tests.support.wired import Wired


class Says(SimulatorChannel):
    """Takes messages, or fails each with what it is told to."""

    def __init__(self, name: str, failure: SendFailed | None = None) -> None:
        self.name = name
        self.failure = failure
        self.asked: list[str] = []

    def send(self, to: str, text: str, *, reference: str, sender_id: str | None) -> Handover:
        self.asked.append(reference)
        if self.failure:
            raise self.failure
        return Handover(f"{self.name}-{reference}")


@pytest.fixture
def rows(wired: Wired) -> Rows:
    """An outbox with one message."""
    rows = rows_of(wired)
    rows.add()
    return rows


def over(
    wired: Wired, *channels: SimulatorChannel, paused: Callable[[str], bool] | None = None
) -> Sender:
    """A sender over the channels, in this order."""
    return Sender(
        wired.gateway.database,
        wired.clock,
        channels,
        wired.gateway.renderers(),
        ANYWHERE,
        "w1",
        is_paused=paused or (lambda _: False),
    )


@pytest.mark.parametrize(
    "failure",
    [
        Unreachable("no connection"),
        Throttled("no credit", 300, alarm=True),
        Throttled("busy", 60),
        Refused("Not routable", alarm=True),
    ],
)
def test_what_is_the_channels_fault_goes_over_the_next_one(
    wired: Wired, rows: Rows, failure: SendFailed
) -> None:
    first, second = Says("first", failure), Says("second")
    drain(over(wired, first, second))
    (row,) = rows.all()
    assert (row.state, row.channel, row.message_id) == (
        "sent",
        "second",
        f"second-{references.of(row)}",
    )


def test_what_is_the_numbers_fault_is_final_and_offered_to_nobody_else(
    wired: Wired, rows: Rows
) -> None:
    first, second = Says("first", Refused("no such number", everywhere=True)), Says("second")
    drain(over(wired, first, second))
    (row,) = rows.all()
    assert (row.state, row.reason) == ("failed", "first: no such number")
    assert second.asked == []


def test_the_numbers_fault_is_final_though_another_channel_was_not_heard(
    wired: Wired, rows: Rows
) -> None:
    first = Says("first", Unreachable("no connection"))
    second = Says("second", Refused("no such number", everywhere=True))
    drain(over(wired, first, second))
    (row,) = rows.all()
    assert row.state == "failed"
    assert row.reason == "first: no connection; second: no such number"


def test_a_channel_that_never_answers_rests_and_the_next_one_sends(
    wired: Wired, rows: Rows, clock: SteppedClock
) -> None:
    for _ in range(5):
        rows.add()
    first, second = Says("first", OutcomeUnknown("no answer")), Says("second")
    drain(over(wired, first, second))
    assert rows.states() == ["unknown"] * 2 + ["sent"] * 4
    assert (len(first.asked), len(second.asked)) == (2, 4)
    clock.advance(seconds=6)
    rows.add()
    first.failure = None
    drain(over(wired, first, second))
    assert len(first.asked) == 3


def test_an_unknown_outcome_waits_ten_minutes_and_then_goes_over_the_other_channel(
    wired: Wired, rows: Rows, clock: SteppedClock
) -> None:
    first, second = Says("first", OutcomeUnknown("no answer")), Says("second")
    both = over(wired, first, second)
    drain(both)
    clock.advance(minutes=9, seconds=59)
    rows.settle()
    drain(both)
    assert (rows.states(), second.asked) == (["unknown"], [])
    clock.advance(seconds=1)
    rows.settle()
    drain(both)
    (row,) = rows.all()
    assert (row.state, row.channel, len(first.asked)) == ("sent", "second", 1)
    assert second.asked == [references.of(row)]
    assert first.asked != second.asked


def test_an_only_channel_is_asked_once_more(wired: Wired, rows: Rows, clock: SteppedClock) -> None:
    only = Says("only", OutcomeUnknown("no answer"))
    sends = over(wired, only)
    drain(sends)
    clock.advance(minutes=10)
    rows.settle()
    only.failure = None
    drain(sends)
    assert rows.states() == ["sent"]


def test_a_paused_channel_is_passed_over_untouched(wired: Wired, rows: Rows) -> None:
    first, second = Says("first"), Says("second")
    drain(over(wired, first, second, paused=lambda what: what == "provider:first"))
    assert (first.asked, len(second.asked)) == ([], 1)


def test_a_message_waits_untouched_while_every_channel_is_paused(wired: Wired, rows: Rows) -> None:
    paused = {"provider:first", "provider:second"}
    both = over(wired, Says("first"), Says("second"), paused=paused.__contains__)
    assert drain(both) == 0
    assert [row.attempts for row in rows.all()] == [0]
    paused.clear()
    assert drain(both) == 1
    assert rows.states() == ["sent"]


def test_a_switch_of_the_console_pauses_the_channel_for_every_sender(
    wired: Wired, rows: Rows, clock: SteppedClock
) -> None:
    now = clock.now()
    wired.run(lambda c: board.throw(c, "provider:kannel", "op", "line is down", now, pause=True))
    kannel, second = Says("kannel"), Says("second")
    drain(over(wired, kannel, second, paused=wired.gateway.board.is_paused))
    assert (kannel.asked, len(second.asked)) == ([], 1)
