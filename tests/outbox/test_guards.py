"""What is never sent: too many a day, to foreign prefixes, spent tokens, wrong digits."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, update

from gateway.outbox import queue
from gateway.outbox.queue import ATTEMPTS_MAX
from gateway.outbox.sending import BillGuard, Sender, Text
from gateway.outbox.store import Message
from gateway.tokens.store import tokens
from menus.keywords import NOTE
from tests.emulators.africastalking import SmsApi
from tests.outbox.rows import OTHER_PHONE, Rows
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
def rows(wired: Wired) -> Rows:
    """The outbox."""
    return rows_of(wired)


@pytest.fixture
def sends(wired: Wired, api: SmsApi) -> Sender:
    """A sender to it."""
    return sender(wired, [channel(api.url)])


def test_a_foreign_prefix_is_refused_before_it_costs_anything(
    wired: Wired, api: SmsApi, rows: Rows
) -> None:
    rows.add("+254711000001")
    rows.add("+2348030000001")
    assert drain(sender(wired, [channel(api.url)], guard=BillGuard(("+234",), 10))) == 2
    assert rows.states() == ["failed", "sent"]
    assert rows.all()[0].reason == "recipient outside the allowed prefixes"
    assert len(api.requests) == 1


def test_the_daily_maximum_holds_messages_back_untouched_and_says_so_seldom(
    wired: Wired, api: SmsApi, rows: Rows, clock: SteppedClock
) -> None:
    for _ in range(5):
        rows.add()
    capped = sender(wired, [channel(api.url)], guard=BillGuard((), 3))
    with captured_log() as log:
        assert drain(capped) == 3
        for _ in range(20):
            clock.advance(minutes=1)
            assert drain(capped) == 0
        alarms = [line for line in log.lines() if line["event"] == "sms_daily_max_reached"]
    assert [line["level"] for line in alarms] == ["error", "error"]
    assert [message.attempts for message in rows.all()] == [1, 1, 1, 0, 0]
    clock.advance(hours=24)
    assert drain(capped) == 2


def test_another_worker_counts_the_same_bill(
    wired: Wired, api: SmsApi, rows: Rows, clock: SteppedClock
) -> None:
    for _ in range(4):
        rows.add()
    guard = BillGuard((), 3)
    first = sender(wired, [channel(api.url)], guard=guard, worker="w1")
    second = sender(wired, [channel(api.url)], guard=guard, worker="w2")
    assert [drain(first), drain(second)] == [3, 0]


def test_a_token_redeemed_before_its_sms_went_is_not_sent(
    wired: Wired, api: SmsApi, rows: Rows, sends: Sender
) -> None:
    issued = wired.issue(deliver=True)
    wired.redeem(issued.reveal())
    drain(sends)
    states = {message.template: message.state for message in rows.all()}
    assert states == {"token": "dropped", "redeemed": "sent"}
    assert all(issued.reveal() not in posted.text for posted in api.requests)


def test_a_token_cancelled_or_expired_before_its_sms_went_is_not_sent(
    wired: Wired, api: SmsApi, rows: Rows, sends: Sender, clock: SteppedClock
) -> None:
    cancelled = wired.issue(deliver=True)
    token = wired.token(cancelled.serial)
    wired.run(lambda c: wired.gateway.retirer.cancel(c, token, "test", "", clock.now()))
    wired.issue(deliver=True)
    clock.advance(days=40)
    drain(sends)
    assert [(m.state, m.template, m.reason) for m in rows.all()] == [
        ("dropped", "token", "the token is cancelled"),
        ("dropped", "token_cancelled", "its recipient never heard of the token"),
        ("dropped", "token", "the token is expired"),
    ]
    assert api.requests == []


def test_digits_that_do_not_match_their_row_are_never_sent_and_keep_alarming(
    wired: Wired, api: SmsApi, rows: Rows, sends: Sender, clock: SteppedClock
) -> None:
    issued = wired.issue(deliver=True)
    wired.run(
        lambda c: c.execute(
            update(tokens).where(tokens.c.serial == issued.serial).values(counter=7)
        )
    )
    with captured_log() as log:
        for _ in range(3):
            assert drain(sends) == 1
            clock.advance(minutes=1)
        alarms = [line["level"] for line in log.lines() if line["event"] == "key_or_row_wrong"]
    assert alarms == ["error"] * 3
    assert [(m.state, m.attempts) for m in rows.all()] == [("queued", 0)]
    assert api.requests == []
    clock.advance(days=40)
    drain(sends)
    assert rows.states() == ["dropped"]


@pytest.mark.parametrize("kid", ["k9", "k1"], ids=["missing", "wrong"])
def test_a_key_that_one_worker_lacks_is_waited_for(
    wired: Wired, api: SmsApi, rows: Rows, clock: SteppedClock, database_url: str, kid: str
) -> None:
    wired.issue(deliver=True)
    other = Wired(database_url, clock, token_keys=f"{kid}:{'ab' * 32}")
    lacking = sender(other, [channel(api.url)])
    with captured_log() as log:
        for _ in range(ATTEMPTS_MAX + 20):
            assert drain(lacking) == 1
            clock.advance(minutes=1)
        assert {line["level"] for line in log.lines()} == {"error"}
    other.close()
    assert rows.states() == ["queued"]
    assert drain(sender(wired, [channel(api.url)])) == 1
    assert rows.states() == ["sent"]


def test_a_renderer_that_fails_holds_up_nobody_and_is_given_up_in_the_end(
    wired: Wired, api: SmsApi, rows: Rows, clock: SteppedClock
) -> None:
    poisoned = rows.add(OTHER_PHONE)

    def render(_: Connection, message: Message) -> Text:
        if message.recipient == OTHER_PHONE:
            raise ZeroDivisionError("490750 293453 273258")
        return Text("hello")

    sends = sender(wired, [channel(api.url)], renderers={NOTE: render})
    for _ in range(3):
        rows.add(ADA)
    with captured_log() as log:
        assert drain(sends) == 4
        assert "273258" not in log.text()
    assert rows.states() == ["queued", "sent", "sent", "sent"]
    assert rows.row(poisoned).reason == "not rendered: ZeroDivisionError"
    tried = 1
    while rows.state(poisoned) == "queued":
        clock.advance(seconds=queue.BACKOFF_MAX.total_seconds())
        tried += drain(sends)
    assert (rows.state(poisoned), tried) == ("failed", ATTEMPTS_MAX)


def test_a_template_nobody_renders_any_more_is_dropped(
    wired: Wired, api: SmsApi, rows: Rows
) -> None:
    rows.add()
    drain(sender(wired, [channel(api.url)], renderers={}))
    assert [(m.state, m.reason) for m in rows.all()] == [("dropped", "no renderer for note")]


def test_no_row_of_the_outbox_ever_holds_digits(
    wired: Wired, api: SmsApi, rows: Rows, sends: Sender
) -> None:
    tokens_ = [wired.issue(deliver=True, digits=digits).reveal() for digits in (18, 11)]
    wired.redeem(tokens_[0])
    drain(sends)
    kept = str(rows.all())
    assert all(token not in kept and token[:6] not in kept for token in tokens_)
