"""Webhooks that are sent again, given up, or sent by a whole worker."""

import threading
import time
from collections.abc import Iterator

import pytest

from gateway.outbox.store import State
from gateway.outbox.tasks import WEBHOOK
from gateway.partners.endpoints import deliver, queueing
from tests.emulators.receiver import Receiver
from tests.partners.told import Told, told
from tests.support.clock import SteppedClock
from tests.support.wired import Wired


@pytest.fixture
def acme(wired: Wired) -> Told:
    return told(wired)


@pytest.fixture
def receiver(acme: Told) -> Iterator[Receiver]:
    with Receiver(clock=acme.clocked()) as one:
        acme.endpoint(one)
        yield one


def test_the_events_of_a_time_are_sent_again_in_their_order(
    acme: Told, receiver: Receiver, clock: SteppedClock
) -> None:
    acme.ended()
    since = clock.advance(hours=1)
    acme.ended(2)
    until = clock.advance(hours=1)
    acme.ended()
    acme.turn()
    span = {"since": since.isoformat(), "until": until.isoformat()}
    answer = acme.acme.post("/events/replay", span)
    assert (answer.status_code, answer.json) == (202, {"queued": 2})
    acme.turn()
    assert receiver.seqs == [1, 2, 3, 4, 2, 3]
    assert len({hook.name for hook in receiver.hooks}) == 4


def test_a_replay_takes_no_place_from_what_is_new(acme: Told, receiver: Receiver) -> None:
    acme.ended()
    acme.turn()
    for _ in range(queueing.WINDOW):
        assert acme.acme.post("/events/1/replay").status_code == 202
    acme.ended()
    acme.turn()
    assert receiver.seqs.count(1) == queueing.WINDOW + 1
    assert receiver.seqs.count(2) == 1


def test_so_many_replays_and_no_more_wait_at_once(
    acme: Told, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queueing, "AGAIN_MAX", 2)
    acme.ended()
    acme.turn()
    codes = [acme.acme.post("/events/1/replay").status_code for _ in range(3)]
    assert codes == [202, 202, 422]
    assert acme.acme.post("/events/1/replay").json["code"] == "limit_exceeded"


@pytest.mark.parametrize("seq", ["0", "2", "x", "٣", "9" * 30])
def test_a_number_that_no_event_has_is_not_found(acme: Told, receiver: Receiver, seq: str) -> None:
    acme.ended()
    acme.turn()
    answer = acme.acme.post(f"/events/{seq}/replay")
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")


def test_what_has_waited_for_days_is_given_up_after_few_tries(
    acme: Told, receiver: Receiver, clock: SteppedClock
) -> None:
    acme.ended()
    clock.advance(days=5)
    receiver.answers(*[503] * deliver.TRIES_MIN)
    for wait in deliver.RETRIES[: deliver.TRIES_MIN]:
        acme.turn()
        clock.advance(seconds=wait.total_seconds())
    (row,) = acme.rows()
    assert (row.state, row.attempts) == (State.FAILED, deliver.TRIES_MIN)


def test_a_troubled_endpoint_is_tried_by_one_worker_at_a_time(
    acme: Told, receiver: Receiver, clock: SteppedClock
) -> None:
    acme.ended(3)
    receiver.answers(503, headers={"Retry-After": "10"})
    acme.turn()
    clock.advance(seconds=10)
    receiver.answers(204, wait=2.0)
    runners = [acme.wired.gateway.money.runner(f"r{n}", (WEBHOOK,)) for n in range(2)]
    slow = threading.Thread(target=runners[0].run_next)
    slow.start()
    while not any(row.state == State.SENDING for row in acme.rows()):
        time.sleep(0.01)
    assert runners[1].run_next()  # it is claimed, and put back
    assert len(receiver.hooks) <= 1
    slow.join()
    assert {row.state for row in acme.rows()} == {State.SENT, State.QUEUED}


def test_a_worker_that_runs_once_numbers_and_sends(acme: Told, receiver: Receiver) -> None:
    acme.ended(2)
    parts = acme.wired.gateway.parts()
    assert parts.settle() == 2
    parts.worker(1, None).drain()
    assert receiver.seqs == [1, 2]


def test_a_worker_has_threads_for_money_that_no_webhook_takes(wired: Wired) -> None:
    lines = [runner._lines for runner in wired.gateway.money.runners("test")]
    assert sum(WEBHOOK not in one for one in lines) == 2
    assert sum(set(one) == {WEBHOOK} for one in lines) == 2
