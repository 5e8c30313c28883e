"""No hand-over is forgotten for the sake of its id: what was taken is never sent twice."""

import threading
from collections.abc import Iterator

import pytest

from gateway.channels.base import Handover
from gateway.channels.simulator import SimulatorChannel
from gateway.errors import DuplicateKey
from gateway.outbox import queue
from gateway.outbox.sending import Sender
from tests.channels.bodies import sample
from tests.emulators.africastalking import SmsApi
from tests.emulators.africastalking_answers import answer
from tests.outbox.rows import Rows
from tests.outbox.senders import channel, drain, emulated, rows_of, sender
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import Wired

SURROGATE = "ATXid_\ud800"  # what JSON may hold and no database stores


class Names(SimulatorChannel):
    """Takes every message over and gives it the id it was told to."""

    name = "names"

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        self.taken: list[str] = []

    def send(self, to: str, text: str, *, reference: str, sender_id: str | None) -> Handover:
        self.taken.append(reference)
        return Handover(self.message_id)


class Meets(Names):
    """Gives the same id to two senders at the same moment."""

    def __init__(self, message_id: str, meeting: threading.Barrier) -> None:
        super().__init__(message_id)
        self._meeting = meeting

    def send(self, to: str, text: str, *, reference: str, sender_id: str | None) -> Handover:
        taken = super().send(to, text, reference=reference, sender_id=sender_id)
        self._meeting.wait(10)
        return taken


@pytest.fixture
def api() -> Iterator[SmsApi]:
    """The emulated SMS API."""
    with emulated() as served:
        yield served


@pytest.fixture
def rows(wired: Wired) -> Rows:
    """The outbox."""
    return rows_of(wired)


def all_time_passes(rows: Rows, sends: Sender, clock: SteppedClock) -> None:
    """Let leases lapse and waits end, and send whatever is due then."""
    for _ in range(4):
        clock.advance(minutes=11)
        rows.settle()
        drain(sends)


def test_an_answer_with_an_id_that_cannot_be_stored_is_a_hand_over(
    wired: Wired, api: SmsApi, rows: Rows, clock: SteppedClock
) -> None:
    body = sample("africastalking/sent-accepted.json").decode()
    named = body.replace("ATXid_00Abc9d8e7f6a5b4c3d2e1f009876543", r"ATXid_\ud800")
    assert named != body
    api.usual = answer(201, named, "application/json")
    sends = sender(wired, [channel(api.url)])
    rows.add()
    drain(sends)
    all_time_passes(rows, sends, clock)
    assert [(m.state, m.message_id) for m in rows.all()] == [("sent", None)]
    assert len(api.requests) == 1


@pytest.mark.parametrize("message_id", [SURROGATE, "x" * 129], ids=["surrogate", "long"])
def test_a_hand_over_is_recorded_whatever_a_channel_gives_as_its_id(
    wired: Wired, rows: Rows, clock: SteppedClock, message_id: str
) -> None:
    names = Names(message_id)
    sends = sender(wired, [names])
    rows.add()
    with captured_log() as log:
        drain(sends)
        told = [(line["level"], line["event"]) for line in log.lines()]
    all_time_passes(rows, sends, clock)
    (row,) = rows.all()
    assert (row.state, len(names.taken)) == ("sent", 1)
    if row.message_id is None:
        assert told == [("error", "outcome_not_recorded_in_full")]
    else:
        assert row.message_id == message_id  # SQLite knows no width of a column


def test_an_id_given_to_two_messages_at_once_loses_no_hand_over(
    wired: Wired, rows: Rows, clock: SteppedClock
) -> None:
    meeting = threading.Barrier(2)
    meets = [Meets("ATXid_1", meeting) for _ in range(2)]
    senders = [sender(wired, [each], worker=f"w{n}") for n, each in enumerate(meets)]
    rows.add()
    rows.add()
    threads = [threading.Thread(target=each.send_next) for each in senders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    all_time_passes(rows, senders[0], clock)
    assert rows.states() == ["sent", "sent"]
    assert sorted(m.message_id or "" for m in rows.all()) == ["", "ATXid_1"]
    assert [len(each.taken) for each in meets] == [1, 1]


def test_an_id_that_the_index_refuses_to_the_end_loses_no_hand_over(
    wired: Wired, rows: Rows, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "_free_id", lambda _c, _lease, _channel, given: given or None)
    names = Names("ATXid_1")
    sends = sender(wired, [names])
    rows.add()
    rows.add()
    with captured_log() as log:
        assert drain(sends) == 2
        (said,) = log.lines()
    assert (said["level"], said["error"]) == ("error", DuplicateKey.__name__)
    all_time_passes(rows, sends, clock)
    assert [(m.state, m.message_id) for m in rows.all()] == [("sent", "ATXid_1"), ("sent", None)]
    assert len(names.taken) == 2
