"""Several channels: the next one is tried when it is safe, and never when it is not."""

from collections.abc import Iterator

import pytest

from gateway.channels.simulator import SimulatorChannel
from gateway.outbox import references
from gateway.outbox.sending import Sender
from tests.channels.sending import closed_door
from tests.emulators.africastalking import SmsApi
from tests.emulators.africastalking_answers import BAD_KEY, DROP_AFTER_TAKING, Behaviour, refuse
from tests.outbox.rows import Rows
from tests.outbox.senders import channel, drain, emulated, rows_of, sender
from tests.support.clock import SteppedClock
from tests.support.wired import Wired


@pytest.fixture
def first() -> Iterator[SmsApi]:
    """The aggregator that is preferred."""
    with emulated() as served:
        yield served


@pytest.fixture
def second() -> Iterator[SmsApi]:
    """The other one."""
    with emulated() as served:
        yield served


@pytest.fixture
def rows(wired: Wired) -> Rows:
    """An outbox with one message."""
    rows = rows_of(wired)
    rows.add()
    return rows


@pytest.fixture
def both(wired: Wired, first: SmsApi, second: SmsApi) -> Sender:
    """A sender with two channels."""
    return sender(wired, [channel(first.url), channel(second.url, second=True)])


def test_the_preferred_channel_takes_all_while_it_can(
    rows: Rows, both: Sender, second: SmsApi
) -> None:
    drain(both)
    assert [message.channel for message in rows.all()] == ["africastalking"]
    assert second.requests == []


@pytest.mark.parametrize(
    "answer", [refuse(407, "CouldNotRoute"), refuse(406, "UserInBlacklist"), BAD_KEY]
)
def test_what_one_refuses_the_other_takes(
    rows: Rows, both: Sender, first: SmsApi, answer: Behaviour
) -> None:
    first.usual = answer
    assert drain(both) == 1
    (row,) = rows.all()
    assert (row.state, row.channel) == ("sent", "second")


def test_what_the_first_may_have_taken_is_not_offered_to_the_second(
    rows: Rows, both: Sender, first: SmsApi, second: SmsApi
) -> None:
    first.usual = DROP_AFTER_TAKING
    drain(both)
    assert rows.states() == ["unknown"]
    assert second.requests == []


def test_all_refusals_together_are_final_and_all_reasons_are_kept(
    rows: Rows, both: Sender, first: SmsApi, second: SmsApi
) -> None:
    first.usual = refuse(402, "InvalidSenderId")
    second.usual = refuse(409, "DoNotDisturbRejection")
    drain(both)
    (row,) = rows.all()
    assert row.state == "failed"
    assert row.reason == "africastalking: InvalidSenderId; second: DoNotDisturbRejection"


def test_one_refusal_is_not_final_while_the_other_channel_may_take_it(
    rows: Rows, both: Sender, first: SmsApi, second: SmsApi, clock: SteppedClock
) -> None:
    first.usual = refuse(409, "DoNotDisturbRejection")
    second.script(refuse(407, "CouldNotRoute"))
    drain(both)
    assert rows.states() == ["queued"]
    clock.advance(minutes=1)
    drain(both)
    assert rows.states() == ["sent"]


def test_a_dead_channel_is_passed_over_while_it_rests(
    wired: Wired, rows: Rows, second: SmsApi
) -> None:
    rows.add()
    with closed_door() as url:
        both = sender(wired, [channel(url), channel(second.url, second=True)])
        assert drain(both) == 2
    assert [message.channel for message in rows.all()] == ["second", "second"]
    assert [message.attempts for message in rows.all()] == [1, 1]


def test_the_sooner_of_two_waits_counts(
    wired: Wired, rows: Rows, first: SmsApi, clock: SteppedClock
) -> None:
    first.usual = refuse(407, "CouldNotRoute")  # asks for a minute
    with closed_door() as url:
        drain(sender(wired, [channel(first.url), channel(url, second=True)]))
    (row,) = rows.all()
    assert (row.due_at - clock.now()).total_seconds() == 5


def test_the_simulator_delivers_where_nothing_else_is_there(wired: Wired, rows: Rows) -> None:
    with closed_door() as url:
        drain(sender(wired, [channel(url), SimulatorChannel()]))
    (row,) = rows.all()
    assert (row.state, row.channel, row.message_id) == (
        "delivered",
        "simulator",
        f"sim-{references.of(row)}",
    )
