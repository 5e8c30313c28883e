"""Webhooks over real HTTP: signed, in order, repeated for days, and in nobody's way."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from gateway.outbox.store import State
from gateway.partners.endpoints import deliver, queueing
from tests.emulators.receiver import Receiver
from tests.partners.told import Told, told
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired


@pytest.fixture
def acme(wired: Wired) -> Told:
    return told(wired)


@pytest.fixture
def receiver(acme: Told) -> Iterator[Receiver]:
    with Receiver(clock=acme.clocked()) as one:
        yield one


def test_a_redemption_is_told_by_a_signed_webhook(acme: Told, receiver: Receiver) -> None:
    acme.endpoint(receiver)
    serial, token = acme.token(issue_ref="order-1")
    acme.wired.redeem(token)
    assert acme.turn() == 1
    (hook,) = receiver.hooks
    assert hook.body == acme.acme.get("/events").json["events"][0]
    assert hook.body["type"] == "token.redeemed"
    assert hook.body["data"] == {
        "serial": serial,
        "amount": "50.00",
        "currency": "NGN",
        "issue_ref": "order-1",
    }
    assert hook.name == hook.body["id"]
    assert (ADA in str(hook.body), token in str(hook.body)) == (False, False)
    assert acme.turn() == 0


def test_a_webhook_is_delivered_after_its_receiver_was_down(
    acme: Told, clock: SteppedClock
) -> None:
    with Receiver(clock=acme.clocked()) as down:
        made = acme.endpoint(down)
    acme.ended(3)
    acme.turn()
    assert {row.state for row in acme.rows()} == {State.QUEUED}
    clock.advance(minutes=2)
    acme.turn()
    with Receiver(down.port, made.secret or "", acme.clocked()) as up:
        clock.advance(minutes=10)
        acme.turn()
    assert sorted(up.seqs) == [1, 2, 3]
    assert {row.state for row in acme.rows()} == {State.SENT}
    assert up.refused == []


def test_what_waits_for_an_endpoint_that_does_not_answer_is_left_alone(
    acme: Told, clock: SteppedClock
) -> None:
    with Receiver() as gone:
        acme.endpoint(gone)
    acme.ended(5)
    assert acme.turn() == 1  # one has tried, the others wait with it
    clock.advance(seconds=4)
    assert acme.turn() == 0
    assert [row.attempts for row in acme.rows()] == [1, 0, 0, 0, 0]


def test_a_dead_endpoint_has_few_rows_in_the_outbox_and_holds_up_nobody(
    acme: Told, receiver: Receiver
) -> None:
    with Receiver() as gone:
        acme.endpoint(gone)
    acme.endpoint(receiver, test=True)
    acme.ended(queueing.WINDOW + 5)
    play = Told(acme.wired, acme.acme.with_key(test=True))
    play.ended(2)
    acme.turn()
    assert len([row for row in acme.rows() if row.subject == "acme"]) == queueing.WINDOW
    assert receiver.seqs == [1, 2]


def test_more_events_than_fit_are_told_in_their_order(acme: Told, receiver: Receiver) -> None:
    acme.endpoint(receiver)
    number = queueing.WINDOW + 3
    acme.ended(number)
    assert acme.turn() == number
    assert receiver.seqs == list(range(1, number + 1))


def test_an_answer_that_is_no_yes_is_tried_again_for_days_and_then_given_up(
    acme: Told, receiver: Receiver, clock: SteppedClock
) -> None:
    acme.endpoint(receiver)
    acme.ended()
    receiver.answers(*[500] * (len(deliver.RETRIES) + 1))
    acme.turn()
    for wait in deliver.RETRIES:
        clock.advance(seconds=wait.total_seconds() - 1)
        assert acme.turn() == 0
        clock.advance(seconds=1)
        assert acme.turn() == 1
    (row,) = acme.rows()
    assert (row.state, row.reason) == (State.FAILED, "HTTP 500")
    assert sum(deliver.RETRIES, timedelta()) > timedelta(days=3)
    assert acme.acme.post("/events/1/replay").status_code == 202
    acme.turn()
    assert receiver.seqs == [1]


def test_a_redirect_is_not_followed(acme: Told, receiver: Receiver) -> None:
    acme.endpoint(receiver)
    acme.ended()
    receiver.answers(302, headers={"Location": receiver.url})
    assert acme.turn() == 1
    assert (receiver.hooks, acme.rows()[0].reason) == ([], "HTTP 302")


def test_an_endpoint_that_asks_for_a_rest_is_given_it(
    acme: Told, receiver: Receiver, clock: SteppedClock
) -> None:
    acme.endpoint(receiver)
    acme.ended(3)
    receiver.answers(429, headers={"Retry-After": "90"})
    assert acme.turn() == 1
    clock.advance(seconds=89)
    assert acme.turn() == 0
    clock.advance(seconds=1)
    assert acme.turn() >= 3
    assert sorted(receiver.seqs) == [1, 2, 3]


def test_an_endpoint_that_is_gone_is_switched_off_and_its_events_stay(
    acme: Told, receiver: Receiver
) -> None:
    acme.endpoint(receiver)
    acme.ended(3)
    receiver.answers(410)
    acme.turn()
    assert [row.state for row in acme.rows()] == [State.FAILED, State.DROPPED, State.DROPPED]
    acme.ended()
    assert acme.turn() == 0
    assert len(acme.acme.get("/events").json["events"]) == 4
    refused = acme.acme.post("/events/1/replay")
    assert (refused.status_code, refused.json["code"]) == (409, "wrong_state")
    acme.endpoint(receiver)  # set anew: what happens from now on is told
    acme.ended()
    acme.turn()
    assert receiver.seqs == [5]


def test_a_slow_endpoint_is_called_less_often(
    acme: Told, receiver: Receiver, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliver, "SLOW_SECONDS", 0.05)
    acme.endpoint(receiver)
    acme.ended(3)
    receiver.answers(204, wait=0.2)
    assert acme.turn() == 1
    clock.advance(seconds=30)
    assert acme.turn() == 2
    assert receiver.seqs == [1, 2, 3]
