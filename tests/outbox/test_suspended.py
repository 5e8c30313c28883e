"""A token suspended while its SMS waits: the message waits too, and nothing is lost by it."""

from collections.abc import Iterator

import pytest

from gateway.disputes.store import open_reference
from gateway.outbox.queue import ATTEMPTS_MAX
from gateway.outbox.sending import Sender
from gateway.tokens import suspend
from tests.emulators.africastalking import SmsApi
from tests.outbox.rows import Rows
from tests.outbox.senders import channel, drain, emulated, rows_of, sender
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import Wired


@pytest.fixture
def api() -> Iterator[SmsApi]:
    """The emulated SMS API."""
    with emulated() as served:
        yield served


@pytest.fixture
def rows(wired: Wired) -> Rows:
    """The outbox."""
    return rows_of(wired)


@pytest.fixture
def sends(wired: Wired, api: SmsApi) -> Sender:
    """A sender to it."""
    return sender(wired, [channel(api.url)])


def suspended(wired: Wired, serial: str) -> None:
    """Suspend a token."""
    token = wired.token(serial)
    wired.run(lambda c: suspend.suspend(c, token, "test", "", wired.clock.now()))


def resumed(wired: Wired, serial: str) -> None:
    """Let it be redeemed again."""
    token = wired.token(serial)
    wired.run(lambda c: suspend.resume(c, token, "test", "", wired.clock.now(), open_reference))


def test_a_token_resumed_before_its_sms_went_is_sent(
    wired: Wired, api: SmsApi, rows: Rows, sends: Sender, clock: SteppedClock
) -> None:
    issued = wired.issue(deliver=True)
    suspended(wired, issued.serial)
    drain(sends)
    (row,) = rows.all()
    assert (row.state, row.reason, api.requests) == ("queued", "the token is suspended", [])
    resumed(wired, issued.serial)
    clock.advance(minutes=5)
    drain(sends)
    (posted,) = api.messages
    assert issued.reveal() in posted.text
    assert [(m.state, m.reason) for m in rows.all()] == [("sent", None)]


def test_a_long_suspension_uses_up_no_tries_and_alarms_nobody(
    wired: Wired, rows: Rows, sends: Sender, clock: SteppedClock
) -> None:
    suspended(wired, wired.issue(deliver=True).serial)
    with captured_log() as log:
        for _ in range(ATTEMPTS_MAX + 5):
            assert drain(sends) == 1
            clock.advance(minutes=4, seconds=59)
            assert drain(sends) == 0
            clock.advance(seconds=1)
        assert {line["level"] for line in log.lines()} == {"info"}
    assert [(m.state, m.attempts) for m in rows.all()] == [("queued", 0)]


def test_a_suspended_token_holds_up_no_other_message(
    wired: Wired, rows: Rows, sends: Sender
) -> None:
    suspended(wired, wired.issue(deliver=True).serial)
    rows.add()
    assert drain(sends) == 2
    assert rows.states() == ["queued", "sent"]


@pytest.mark.parametrize("end", ["cancelled", "expired"])
def test_a_token_that_ends_after_its_suspension_is_not_sent(
    wired: Wired, api: SmsApi, rows: Rows, sends: Sender, clock: SteppedClock, end: str
) -> None:
    issued = wired.issue(deliver=True)
    suspended(wired, issued.serial)
    drain(sends)
    clock.advance(days=40)
    if end == "cancelled":
        token = wired.token(issued.serial)
        wired.run(lambda c: wired.gateway.retirer.cancel(c, token, "test", "", clock.now()))
    else:
        resumed(wired, issued.serial)
    drain(sends)
    delivery, *notices = rows.all()
    assert (delivery.state, delivery.reason) == ("dropped", f"the token is {end}")
    assert {notice.state for notice in notices} <= {"dropped"}  # nobody had heard of it
    assert api.requests == []
