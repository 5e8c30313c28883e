"""Delivery reports: exact ids, early and late ones, final words, and sends without an answer."""

from dataclasses import replace

import pytest
from sqlalchemy import Connection

from gateway.channels.base import Delivery
from gateway.outbox.reports.settle import take_in
from tests.outbox.rows import OTHER_PHONE, PHONE, Rows, report_of
from tests.support.clock import SteppedClock
from tests.support.log import captured_log

D, F, INTERIM, UNHEARD = (
    Delivery.DELIVERED,
    Delivery.FAILED,
    Delivery.INTERIM,
    Delivery.UNKNOWN_WORD,
)


def one_sent(rows: Rows, message_id: str = "ATXid_1") -> int:
    row = rows.add()
    _, lease = rows.claim(row=row)
    rows.sent(lease, message_id)
    return row


def one_unknown(rows: Rows, to: str = PHONE) -> int:
    row = rows.add(to)
    _, lease = rows.claim(row=row)
    rows.unknown(lease)
    return row


@pytest.mark.parametrize(
    ("said", "state", "reason"),
    [
        ((D,), "delivered", None),
        ((F,), "failed", "Failed"),
        ((INTERIM, D), "delivered", None),
        ((D, INTERIM), "delivered", None),
        ((F, D), "failed", "Failed"),
        ((D, F), "delivered", None),
        ((UNHEARD,), "sent", None),
        ((UNHEARD, D), "delivered", None),
        ((D, D), "delivered", None),
    ],
)
def test_the_first_final_word_stays(
    rows: Rows, said: tuple[Delivery, ...], state: str, reason: str | None
) -> None:
    row = one_sent(rows)
    for delivery in said:
        assert rows.report("ATXid_1", delivery)
    message = rows.row(row)
    assert (message.state, message.reason) == (state, reason)


def test_a_failure_keeps_the_reason_the_aggregator_gave(rows: Rows) -> None:
    row = one_sent(rows)
    rows.report("ATXid_1", F, reason="UserInBlackList")
    assert rows.row(row).reason == "Failed: UserInBlackList"


def test_an_unknown_word_is_kept_verbatim_and_decides_nothing(rows: Rows) -> None:
    row = one_sent(rows)
    rows.report("ATXid_1", UNHEARD)
    assert rows.state(row) == "sent"
    assert rows.reports() == [("ATXid_1", "Borked")]


def test_an_echoed_token_is_not_kept(rows: Rows) -> None:
    row = one_sent(rows)
    rows.run(lambda c: _take_in_word(c, rows, "Echo 490750 293453 273258"))
    rows.report("ATXid_1", F, reason="no route for 4907.5029.3453.2732.58")
    assert rows.reports()[0] == ("ATXid_1", "Echo ####")
    assert rows.row(row).reason == "Failed: no route for ####"


def test_only_the_exact_id_matches(rows: Rows) -> None:
    row = one_sent(rows, "ATXid_00Abc")
    with captured_log() as log:
        for wrong in ("atxid_00abc", "ATXid_0Abc", "ATXid_00Abc "):
            assert not rows.report(wrong)
        assert [line["event"] for line in log.lines()] == ["report_without_message"] * 3
    assert rows.state(row) == "sent"
    assert rows.report("ATXid_00Abc")
    assert rows.state(row) == "delivered"


@pytest.mark.parametrize("phone", [PHONE, None])
def test_a_report_may_come_before_the_send_has_returned(rows: Rows, phone: str | None) -> None:
    row = rows.add()
    _, lease = rows.claim()
    assert not rows.report("ATXid_1", phone=phone)
    assert rows.state(row) == "sending"
    rows.sent(lease)
    assert rows.state(row) == "delivered"


def test_early_reports_keep_their_order(rows: Rows) -> None:
    row = rows.add()
    _, lease = rows.claim()
    for delivery in (INTERIM, F, D):
        rows.report("ATXid_1", delivery)
    rows.sent(lease)
    assert rows.state(row) == "failed"


def test_a_word_longer_than_its_column_is_stored_once(rows: Rows) -> None:
    one_sent(rows)
    long = "Undeliverable" * 9
    for _ in range(2):
        rows.run(lambda c: _take_in_word(c, rows, long))
    assert rows.reports() == [("ATXid_1", long[:40])]


def _take_in_word(connection: Connection, rows: Rows, word: str) -> bool:
    report = replace(report_of("ATXid_1", UNHEARD), status=word)
    return take_in(connection, report, PHONE, rows.now())


# --- a send without an answer has no id: its phone must do -------------------------------------


@pytest.mark.parametrize(
    ("said", "state"), [(D, "delivered"), (F, "failed"), (INTERIM, "sent"), (UNHEARD, "unknown")]
)
def test_a_report_to_its_phone_settles_a_send_without_an_answer(
    rows: Rows, said: Delivery, state: str
) -> None:
    row = one_unknown(rows)
    assert rows.report("ATXid_9", said)
    assert (rows.state(row), rows.row(row).message_id) == (state, "ATXid_9")


def test_what_an_interim_report_proved_is_not_sent_again(rows: Rows, clock: SteppedClock) -> None:
    row = one_unknown(rows)
    rows.report("ATXid_9", INTERIM)
    clock.advance(minutes=11)
    assert rows.settle() == 0
    rows.report("ATXid_9", D)
    assert rows.state(row) == "delivered"


def test_two_sends_without_an_answer_to_one_phone_are_not_guessed_between(rows: Rows) -> None:
    pair = [one_unknown(rows), one_unknown(rows)]
    assert not rows.report("ATXid_9")
    assert [rows.state(row) for row in pair] == ["unknown", "unknown"]


def test_a_report_may_be_about_what_is_being_sent_now(rows: Rows) -> None:
    row = one_unknown(rows)
    rows.add()
    _, lease = rows.claim("w2")
    assert not rows.report("ATXid_9")
    rows.sent(lease, "ATXid_9")
    assert rows.states() == ["unknown", "delivered"]
    assert rows.row(row).message_id is None


def test_a_report_may_be_about_what_was_taken_without_an_id(rows: Rows) -> None:
    one_unknown(rows)
    row = rows.add()
    _, lease = rows.claim(row=row)
    rows.sent(lease, "")
    assert not rows.report("ATXid_9")
    assert rows.states() == ["unknown", "sent"]


def test_a_report_settles_what_was_taken_without_an_id(rows: Rows) -> None:
    row = one_sent(rows, "")
    assert rows.report("ATXid_9")
    assert rows.state(row) == "delivered"


@pytest.mark.parametrize("phone", [OTHER_PHONE, None])
def test_a_report_about_somebody_else_settles_nothing(rows: Rows, phone: str | None) -> None:
    row = one_unknown(rows)
    assert not rows.report("ATXid_9", phone=phone)
    assert rows.state(row) == "unknown"


def test_a_report_of_another_channel_settles_nothing(rows: Rows) -> None:
    row = rows.add()
    _, lease = rows.claim()
    rows.unknown(lease, channel="kannel")
    assert not rows.report("ATXid_9")
    assert rows.state(row) == "unknown"


def test_a_report_settles_a_repeat_before_it_is_sent(rows: Rows, clock: SteppedClock) -> None:
    row = one_unknown(rows)
    clock.advance(minutes=11)
    rows.settle()
    assert rows.state(row) == "queued"
    assert rows.report("ATXid_9")
    assert rows.state(row) == "delivered"


def test_a_report_that_came_during_a_send_without_an_answer_settles_it(
    rows: Rows, clock: SteppedClock
) -> None:
    row = rows.add()
    _, lease = rows.claim()
    clock.advance(seconds=5)
    assert not rows.report("ATXid_9")
    rows.unknown(lease)
    assert (rows.state(row), rows.row(row).message_id) == ("delivered", "ATXid_9")


def test_a_report_that_came_while_the_lease_of_a_dead_worker_ran_settles_it(
    rows: Rows, clock: SteppedClock
) -> None:
    row = rows.add()
    rows.claim()
    clock.advance(seconds=5)
    assert not rows.report("ATXid_9")
    clock.advance(minutes=1)
    rows.settle()
    assert rows.state(row) == "delivered"


def test_a_report_after_the_lease_of_a_dead_worker_ran_out_settles_it(
    rows: Rows, clock: SteppedClock
) -> None:
    row = rows.add()
    rows.claim()
    clock.advance(minutes=2)
    rows.settle()
    assert rows.report("ATXid_9")
    assert (rows.state(row), rows.row(row).channel) == ("delivered", "africastalking")


def test_a_report_from_before_the_claim_is_about_something_else(rows: Rows) -> None:
    rows.report("ATXid_8")
    row = one_unknown(rows)
    assert rows.state(row) == "unknown"


def test_two_early_reports_of_two_messages_are_not_guessed_between(
    rows: Rows, clock: SteppedClock
) -> None:
    row = rows.add()
    _, lease = rows.claim()
    clock.advance(seconds=5)
    rows.report("ATXid_8")
    rows.report("ATXid_9")
    rows.unknown(lease)
    assert rows.state(row) == "unknown"


def test_an_id_the_aggregator_gives_twice_loses_no_hand_over(rows: Rows) -> None:
    one_sent(rows)
    with captured_log() as log:
        row = one_sent(rows)
        assert [line["event"] for line in log.lines()] == ["message_id_reused"]
    assert (rows.state(row), rows.row(row).message_id) == ("sent", None)


def test_a_report_may_be_about_a_message_that_was_given_up(rows: Rows, clock: SteppedClock) -> None:
    given_up = rows.add()
    for _ in range(2):
        rows.unknown(rows.claim()[1])
        clock.advance(minutes=10)
        rows.settle()
    assert rows.state(given_up) == "failed"
    later = one_unknown(rows)
    assert not rows.report("ATXid_9")
    assert rows.state(later) == "unknown"


def test_a_late_report_is_tied_to_a_message_that_was_given_up_and_changes_nothing(
    rows: Rows, clock: SteppedClock
) -> None:
    row = rows.add()
    for _ in range(2):
        rows.unknown(rows.claim()[1])
        clock.advance(minutes=10)
        rows.settle()
    assert rows.report("ATXid_9")
    assert (rows.state(row), rows.row(row).message_id) == ("failed", "ATXid_9")
