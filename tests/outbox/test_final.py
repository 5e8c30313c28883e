"""A token's SMS that fails for good is told to the operators, once, with the token's serial."""

from collections.abc import Callable, Iterator

import pytest

from gateway.channels.base import Delivery
from gateway.outbox.queue import ATTEMPTS_MAX
from gateway.outbox.sending import BillGuard
from tests.cli.conftest import CommandLine
from tests.emulators.africastalking import SmsApi
from tests.emulators.africastalking_answers import SERVER_ERROR, refuse
from tests.outbox.rows import Rows
from tests.outbox.senders import channel, drain, emulated, rows_of, sender
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import ADA, Wired

End = Callable[[Wired, SmsApi, SteppedClock], object]


def refused(wired: Wired, api: SmsApi, _: SteppedClock) -> None:
    """The aggregator will not take it."""
    api.usual = refuse(403, "InvalidPhoneNumber")
    drain(sender(wired, [channel(api.url)]))


def kept_home(wired: Wired, api: SmsApi, _: SteppedClock) -> None:
    """We do not send there."""
    drain(sender(wired, [channel(api.url)], guard=BillGuard(("+254",), 10)))


def given_up(wired: Wired, api: SmsApi, clock: SteppedClock) -> None:
    """It was tried too often."""
    api.usual = refuse(407, "CouldNotRoute")
    for _ in range(ATTEMPTS_MAX):
        drain(sender(wired, [channel(api.url)]))
        clock.advance(minutes=15)


def never_answered(wired: Wired, api: SmsApi, clock: SteppedClock) -> None:
    """Neither send had an answer, and no report came."""
    api.usual = SERVER_ERROR
    for _ in range(3):
        drain(sender(wired, [channel(api.url)]))
        clock.advance(minutes=11)
        rows_of(wired).settle()


def reported(wired: Wired, api: SmsApi, _: SteppedClock) -> None:
    """It was taken, and did not arrive; the report comes more than once."""
    drain(sender(wired, [channel(api.url)]))
    for _again in range(2):
        rows_of(wired).report(
            api.messages[0].message_id, Delivery.FAILED, phone=ADA, reason="AbsentSubscriber"
        )


# how it ends, what the operators read of it
ENDS: tuple[tuple[End, str], ...] = (
    (refused, "africastalking: InvalidPhoneNumber"),
    (kept_home, "recipient outside the allowed prefixes"),
    (given_up, "gave up: africastalking: CouldNotRoute"),
    (never_answered, "no delivery report came"),
    (reported, "Failed: AbsentSubscriber"),
)


@pytest.fixture
def api() -> Iterator[SmsApi]:
    """The emulated SMS API."""
    with emulated() as served:
        yield served


@pytest.fixture
def rows(wired: Wired) -> Rows:
    """The outbox."""
    return rows_of(wired)


@pytest.mark.parametrize(("end", "reason"), ENDS, ids=[end.__name__ for end, _ in ENDS])
def test_a_final_failure_of_a_tokens_sms_alarms_once_with_its_serial(
    wired: Wired, api: SmsApi, clock: SteppedClock, end: End, reason: str
) -> None:
    issued = wired.issue("100.00", deliver=True, expires_at=clock.now().replace(year=2030))
    with captured_log() as log:
        end(wired, api, clock)
        written = log.text()
        (said,) = [line for line in log.lines() if line["event"] == "token_message_failed"]
    assert (said["level"], said["serial"], said["template"], said["reason"]) == (
        "error",
        issued.serial,
        "token",
        reason,
    )
    assert issued.reveal() not in written
    with captured_log():
        shown = CommandLine(wired.gateway.parts).json("tokens", "show", issued.serial)
    assert shown["messages"] == [f"token failed ({reason})"]


def test_a_failed_reply_that_is_about_no_token_alarms_nobody(
    wired: Wired, api: SmsApi, rows: Rows, clock: SteppedClock
) -> None:
    rows.add()
    with captured_log() as log:
        refused(wired, api, clock)
        assert {line["level"] for line in log.lines()} == {"warning"}
    assert rows.states() == ["failed"]
