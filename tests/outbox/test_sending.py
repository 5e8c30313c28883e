"""What a sender makes of each answer: the real SDK against the emulated API, on both engines."""

from collections.abc import Iterator

import pytest

from gateway.outbox.sending import Sender
from tests.channels.sending import closed_door
from tests.emulators.africastalking import SmsApi
from tests.emulators.africastalking_answers import (
    BAD_KEY,
    DROP_AFTER_TAKING,
    DROP_UNREAD,
    SERVER_ERROR,
    Behaviour,
    hang,
    refuse,
    refuse_whole,
)
from tests.outbox.senders import channel, drain, emulated, rows_of, sender
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import ADA, Wired


@pytest.fixture
def api() -> Iterator[SmsApi]:
    """The emulated SMS API."""
    with emulated() as served:
        yield served


@pytest.fixture
def sends(wired: Wired, api: SmsApi) -> Sender:
    """A sender to it."""
    return sender(wired, [channel(api.url)])


def test_a_token_goes_out_with_its_digits_and_is_recorded(
    wired: Wired, api: SmsApi, sends: Sender
) -> None:
    issued = wired.issue("500.00", deliver=True)
    assert drain(sends) == 1
    (posted,) = api.messages
    assert posted.to == ADA
    assert issued.reveal() in posted.text
    (row,) = rows_of(wired).all()
    assert (row.state, row.channel, row.message_id, row.attempts) == (
        "sent",
        "africastalking",
        posted.message_id,
        1,
    )
    assert issued.reveal() not in str(row)


# answer, state after one try, words of the reason, level of the log line
ANSWERS: tuple[tuple[Behaviour, str, str, str], ...] = (
    (refuse(403, "InvalidPhoneNumber"), "failed", "InvalidPhoneNumber", "warning"),
    (refuse(406, "UserInBlacklist"), "failed", "UserInBlacklist", "warning"),
    (refuse(409, "DoNotDisturbRejection"), "failed", "DoNotDisturbRejection", "warning"),
    (refuse(402, "InvalidSenderId"), "failed", "InvalidSenderId", "error"),
    (refuse_whole("InvalidSenderId"), "failed", "InvalidSenderId", "error"),
    (refuse(405, "InsufficientBalance"), "queued", "InsufficientBalance", "error"),
    (refuse(407, "CouldNotRoute"), "queued", "CouldNotRoute", "warning"),
    (refuse(501, "GatewayError"), "queued", "GatewayError", "warning"),
    (BAD_KEY, "queued", "credentials refused", "error"),
    (SERVER_ERROR, "unknown", "unreadable answer", "warning"),
    (DROP_UNREAD, "unknown", "no answer", "warning"),
    (DROP_AFTER_TAKING, "unknown", "no answer", "warning"),
    (hang(2.0, takes=True), "unknown", "no answer", "warning"),
)


@pytest.mark.parametrize(
    ("answer", "state", "reason", "level"),
    ANSWERS,
    ids=[f"{n}-{reason.replace(' ', '_')}" for n, (_, _, reason, _) in enumerate(ANSWERS)],
)
def test_each_answer_has_its_state_reason_and_alarm(
    wired: Wired,
    api: SmsApi,
    sends: Sender,
    answer: Behaviour,
    state: str,
    reason: str,
    level: str,
) -> None:
    api.usual = answer
    api.script(answer)  # a line dropped unread can only be scripted
    rows = rows_of(wired)
    rows.add()
    with captured_log() as log:
        assert sends.send_next()
        (said,) = log.lines()
    (row,) = rows.all()
    assert row.state == state
    assert reason in (row.reason or "")
    assert (said["level"], said["event"][:5]) == (level, "send_")


def test_a_refusal_does_not_storm_and_the_next_message_goes_on(
    wired: Wired, api: SmsApi, sends: Sender
) -> None:
    rows = rows_of(wired)
    rows.add()
    rows.add()
    api.script(refuse(403, "InvalidPhoneNumber"))
    assert drain(sends) == 2
    assert rows.states() == ["failed", "sent"]
    assert len(api.requests) == 2


def test_a_wrong_key_kills_nothing_and_the_queue_goes_on_once_it_is_right(
    wired: Wired, api: SmsApi, clock: SteppedClock
) -> None:
    rows = rows_of(wired)
    for _ in range(5):
        rows.add()
    wrong = sender(wired, [channel(api.url, key="atsk_wrong")])
    with captured_log() as log:
        for _ in range(30):
            drain(wrong)
            clock.advance(minutes=5, seconds=1)
        alarms = [line["level"] for line in log.lines() if line["event"] == "send_failed"]
    assert alarms == ["error"] * 30  # one try every five minutes, not one a message
    assert rows.states() == ["queued"] * 5
    assert all(message.attempts == 0 for message in rows.all())
    assert drain(sender(wired, [channel(api.url)])) == 5
    assert rows.states() == ["sent"] * 5


def test_the_time_an_aggregator_asks_for_is_respected(
    wired: Wired, api: SmsApi, sends: Sender, clock: SteppedClock
) -> None:
    rows = rows_of(wired)
    rows.add()
    api.script(refuse(407, "CouldNotRoute"))
    assert drain(sends) == 1
    clock.advance(seconds=59)
    assert drain(sends) == 0
    clock.advance(seconds=1)
    assert drain(sends) == 1
    assert rows.states() == ["sent"]


def test_a_refused_connection_backs_off_and_recovers(wired: Wired, clock: SteppedClock) -> None:
    rows = rows_of(wired)
    rows.add()
    waits = []
    with closed_door() as url:
        cut_off = sender(wired, [channel(url)])
        for _ in range(5):
            assert drain(cut_off) == 1
            (row,) = rows.all()
            assert row.state == "queued"
            waits.append(int((row.due_at - clock.now()).total_seconds()))
            clock.advance(seconds=waits[-1])
    assert waits == [5, 10, 20, 40, 80]
    with emulated() as api:
        assert drain(sender(wired, [channel(api.url)])) == 1
    assert rows.states() == ["sent"]


def test_an_unreachable_aggregator_is_not_tried_for_every_message(
    wired: Wired, clock: SteppedClock
) -> None:
    rows = rows_of(wired)
    for _ in range(10):
        rows.add()
    with closed_door() as url:
        cut_off = sender(wired, [channel(url)])
        assert drain(cut_off) == 1
        clock.advance(seconds=4)
        assert drain(cut_off) == 0
        clock.advance(seconds=1)
        assert drain(cut_off) == 1
    assert [message.attempts for message in rows.all()].count(0) == 8


def test_an_unknown_outcome_is_sent_once_more_with_the_same_digits(
    wired: Wired, api: SmsApi, sends: Sender, clock: SteppedClock
) -> None:
    issued = wired.issue(deliver=True)
    rows = rows_of(wired)
    api.usual = hang(2.0, takes=True)
    for _ in range(2):
        assert drain(sends) == 1
        clock.advance(minutes=9)
        rows.settle()
        assert drain(sends) == 0
        clock.advance(minutes=1)
        rows.settle()
    assert drain(sends) == 0
    assert rows.states() == ["failed"]
    assert [issued.reveal() in posted.text for posted in api.messages] == [True, True]


def test_a_report_about_a_hang_keeps_it_from_being_sent_again(
    wired: Wired, api: SmsApi, sends: Sender, clock: SteppedClock
) -> None:
    rows = rows_of(wired)
    rows.add()
    api.script(hang(2.0, takes=True))
    assert drain(sends) == 1
    clock.advance(minutes=5)
    rows.report(api.messages[0].message_id)
    clock.advance(minutes=6)
    rows.settle()
    assert drain(sends) == 0
    assert rows.states() == ["delivered"]
    assert len(api.requests) == 1
