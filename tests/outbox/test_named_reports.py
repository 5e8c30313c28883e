"""Reports under our own name for a hand-over: they say themselves which one they are about."""

from collections.abc import Iterator
from functools import partial

import pytest
from sqlalchemy import Connection, select

from gateway.channels.base import Delivery, DeliveryReport
from gateway.outbox import queue, references
from gateway.outbox.queue import Lease
from gateway.outbox.reports import store as reports_store
from gateway.outbox.reports.settle import take_in
from gateway.outbox.store import Message, message, outbox
from tests.outbox.rows import CHANNEL, OTHER_PHONE, PHONE, Rows
from tests.outbox.test_report_races import overlapping
from tests.support.clock import SteppedClock

KANNEL = "kannel"
D, F, INTERIM = Delivery.DELIVERED, Delivery.FAILED, Delivery.INTERIM
WORDS = {INTERIM: "8", D: "1", F: "16"}


def name_of(rows: Rows, row: int, resends: int | None = None) -> str:
    """What we call a hand-over of a row."""
    return references.of(rows.row(row), resends)


def reported(
    rows: Rows,
    name: str,
    delivery: Delivery,
    channel: str = KANNEL,
    phone: str = PHONE,
) -> bool:
    """Take in a report under our name."""
    said = DeliveryReport(channel, name, delivery, WORDS[delivery], "", phone)
    return rows.run(lambda c: take_in(c, said, phone, rows.now()))


def one_sending(rows: Rows) -> tuple[int, Lease]:
    """A message that is being handed over."""
    row = rows.add()
    return row, rows.claim(row=row)[1]


def one_unknown(rows: Rows, channel: str = KANNEL) -> int:
    """A message whose outcome is unknown."""
    row, lease = one_sending(rows)
    rows.unknown(lease, channel)
    return row


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ((D,), "delivered"),
        ((INTERIM, D), "delivered"),
        ((D, INTERIM), "delivered"),
        ((F,), "failed"),
        ((INTERIM, F), "failed"),
        ((INTERIM,), "sent"),
    ],
)
@pytest.mark.parametrize("before", [True, False], ids=["early", "late"])
def test_a_report_finds_a_hand_over_whose_outcome_was_unknown(
    rows: Rows, said: tuple[Delivery, ...], state: str, before: bool
) -> None:
    row, lease = one_sending(rows)
    if not before:
        rows.unknown(lease, KANNEL)
    for delivery in said:
        reported(rows, name_of(rows, row), delivery)
    if before:
        rows.unknown(lease, KANNEL)
    assert (rows.state(row), rows.row(row).message_id) == (state, name_of(rows, row))


def test_reports_may_come_before_the_send_has_returned(rows: Rows) -> None:
    row, lease = one_sending(rows)
    for delivery in (D, INTERIM):  # Kannel's come in any order
        reported(rows, name_of(rows, row), delivery)
    assert rows.state(row) == "sending"
    rows.sent(lease, name_of(rows, row), KANNEL)
    assert rows.state(row) == "delivered"


def test_two_unknown_messages_to_one_phone_are_told_apart(rows: Rows) -> None:
    first, second = one_unknown(rows), one_unknown(rows)
    assert reported(rows, name_of(rows, second), D)
    assert (rows.state(first), rows.state(second)) == ("unknown", "delivered")


def test_a_name_is_never_taken_for_another_message_to_the_same_phone(rows: Rows) -> None:
    gone = rows.add()
    rows.sent(rows.claim(row=gone)[1], "ATXid_1")
    unheard = one_unknown(rows, CHANNEL)
    reported(rows, name_of(rows, gone), D)
    assert rows.state(unheard) == "unknown"
    early, lease = one_sending(rows)
    reported(rows, name_of(rows, gone), F)
    rows.unknown(lease, KANNEL)
    assert rows.state(early) == "unknown"


def test_a_channel_that_refused_may_report_it_after_the_next_has_taken_the_message(
    rows: Rows,
) -> None:
    row, lease = one_sending(rows)
    refused = partial(reported, rows, name_of(rows, row), F)
    refused()
    rows.sent(lease, "ATXid_1", CHANNEL)
    assert not refused()
    assert (rows.state(row), rows.row(row).message_id) == ("sent", "ATXid_1")


def test_a_channel_that_refused_decides_nothing_about_the_nexts_unknown_outcome(
    rows: Rows,
) -> None:
    row, lease = one_sending(rows)
    reported(rows, name_of(rows, row), F)
    rows.unknown(lease, CHANNEL)
    reported(rows, name_of(rows, row), F)
    assert rows.state(row) == "unknown"
    assert reported(rows, name_of(rows, row), D)  # it has reached the phone all the same
    assert rows.state(row) == "delivered"


def test_a_channel_that_refused_decides_nothing_about_a_message_that_is_queued_again(
    rows: Rows,
) -> None:
    row = rows.add()
    claimed, lease = rows.claim(row=row)
    rows.retry(claimed, lease)
    reported(rows, name_of(rows, row), F)
    assert rows.state(row) == "queued"


@pytest.mark.parametrize(("said", "state"), [(D, "delivered"), (INTERIM, "sent"), (F, "unknown")])
@pytest.mark.parametrize("before", [True, False], ids=["early", "late"])
def test_of_a_dead_workers_message_only_good_news_counts(
    rows: Rows, clock: SteppedClock, said: Delivery, state: str, before: bool
) -> None:
    # Nobody knows which channel it was being offered to: a refusal may have been the one before.
    row, _ = one_sending(rows)
    if before:
        reported(rows, name_of(rows, row), said)
    clock.advance(minutes=2)
    rows.settle()
    if not before:
        reported(rows, name_of(rows, row), said)
    assert rows.state(row) == state


def again(rows: Rows, clock: SteppedClock, row: int) -> Lease:
    """Ten minutes later the message is being sent once more."""
    clock.advance(minutes=10)
    rows.settle()
    return rows.claim(row=row)[1]


def test_a_failure_of_the_first_hand_over_says_nothing_of_the_second(
    rows: Rows, clock: SteppedClock
) -> None:
    row = one_unknown(rows)
    first = name_of(rows, row)
    lease = again(rows, clock, row)
    second = name_of(rows, row)
    assert first != second
    rows.sent(lease, second, KANNEL)
    reported(rows, first, F)
    assert rows.state(row) == "sent"
    reported(rows, second, D)
    assert rows.state(row) == "delivered"


def test_who_got_the_first_copy_has_it(rows: Rows, clock: SteppedClock) -> None:
    row = one_unknown(rows)
    first = name_of(rows, row)
    rows.unknown(again(rows, clock, row), KANNEL)
    assert reported(rows, first, D)
    assert rows.state(row) == "delivered"


@pytest.mark.parametrize(("said", "state"), [(D, "delivered"), (INTERIM, "sent"), (F, "failed")])
def test_a_report_of_the_first_hand_over_settles_a_repeat_before_it_is_sent(
    rows: Rows, clock: SteppedClock, said: Delivery, state: str
) -> None:
    row = one_unknown(rows)
    first = name_of(rows, row)
    clock.advance(minutes=10)
    rows.settle()
    assert rows.state(row) == "queued"
    reported(rows, first, said)
    assert rows.state(row) == state


@pytest.mark.parametrize("change", [("-260302", "-250302"), ("sms", "sms9"), ("-0", "-7")])
def test_a_name_of_another_time_or_row_is_about_nothing(
    rows: Rows, change: tuple[str, str]
) -> None:
    row = one_unknown(rows)
    assert not reported(rows, name_of(rows, row).replace(*change), D)
    assert rows.state(row) == "unknown"


def test_a_report_about_somebody_elses_phone_still_names_its_message(rows: Rows) -> None:
    row = one_unknown(rows)
    assert reported(rows, name_of(rows, row), D, phone=OTHER_PHONE)
    assert rows.state(row) == "delivered"


# --- races --------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["outcome first", "report first"])
def test_a_report_that_races_an_unknown_outcome_is_applied(rows: Rows, order: str) -> None:
    row = race_of_outcome_and_report(rows, order)
    assert rows.state(row) == "delivered"


@pytest.fixture
def without_lock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A plain read of the row in place of the locking one."""

    def plain(connection: Connection, row: int) -> Message | None:
        found = connection.execute(select(outbox).where(outbox.c.id == row)).one_or_none()
        return None if found is None else message(found)

    monkeypatch.setattr(reports_store, "locked", plain)
    return iter(())


@pytest.mark.usefixtures("without_lock")
def test_without_the_lock_the_report_is_lost(rows: Rows, database_url: str) -> None:
    row = race_of_outcome_and_report(rows, "outcome first")
    on_sqlite = database_url.startswith("sqlite")  # where transactions that write never overlap
    assert rows.state(row) == ("delivered" if on_sqlite else "unknown")


def race_of_outcome_and_report(rows: Rows, order: str) -> int:
    """Record an unknown outcome and take in its report, one inside the other's transaction."""
    row, lease = one_sending(rows)
    said = DeliveryReport(KANNEL, name_of(rows, row), D, "1", "", PHONE)

    def outcome(c: Connection) -> None:
        queue.unknown(c, lease, KANNEL, "no answer", rows.now())

    def report(c: Connection) -> None:
        take_in(c, said, PHONE, rows.now())

    pair = (outcome, report) if order == "outcome first" else (report, outcome)
    overlapping(rows, *pair)
    return row
