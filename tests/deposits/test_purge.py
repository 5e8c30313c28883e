"""Callbacks of long ago are forgotten, but for those that somebody may have to read."""

from datetime import timedelta

import pytest

from gateway.deposits.callbacks import purge, store
from gateway.deposits.callbacks.store import NEEDED, Arrival, Became
from tests.deposits.staging import NEEMA, Till, snippe_body
from tests.support.clock import SteppedClock

DAYS = 400


def forget(tz: Till) -> int:
    """What the sweep does."""
    return tz.gateway.chores()["callbacks_purged"]()


def one_of_each(tz: Till) -> None:
    """A callback of every kind, with no deposit behind it."""
    now = tz.clock.now()
    arrival = Arrival("snippe", "snippe", "", "127.0.0.1", (), b"{}", now)
    for became in Became:
        tz.run(lambda c, became=became: store.add(c, arrival, became))  # type: ignore[misc]


def test_what_is_settled_goes_after_its_time_and_what_is_not_stays(
    tz: Till, clock: SteppedClock
) -> None:
    one_of_each(tz)
    clock.advance(days=DAYS)
    assert forget(tz) == 0
    clock.advance(seconds=1)
    one_of_each(tz)
    assert forget(tz) == len(Became) - len(NEEDED)
    left = tz.became()
    assert sorted(left[: len(NEEDED)]) == ["conflict", "given_up", "kept", "unmatched"]
    assert left[len(NEEDED) :] == [became.value for became in Became]


def test_a_payment_in_suspense_keeps_its_callback_until_it_is_released(
    tz: Till, clock: SteppedClock
) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference))
    tz.snippe(snippe_body("ORD-1001", txn_id="SYNX000002"))
    clock.advance(days=DAYS + 1)
    assert forget(tz) == 1
    assert tz.became() == ["suspense"]
    waiting = tz.all()[-1]
    undoing, now = tz.gateway.deposits.undoing, clock.now()
    tz.run(lambda c: undoing.release(c, waiting.reference, NEEMA, now))
    assert forget(tz) == 1
    assert (tz.became(), tz.breaches()) == ([], [])


def test_several_batches_are_forgotten(
    tz: Till, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "BATCH", 2)
    for _ in range(5):
        one_of_each(tz)
    clock.advance(days=DAYS + 1)
    assert forget(tz) == 5 * (len(Became) - len(NEEDED))


def test_a_repeat_after_its_first_delivery_was_forgotten_is_still_credited_once(
    tz: Till, clock: SteppedClock
) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference))
    clock.advance(days=DAYS + 1)
    assert forget(tz) == 1
    tz.snippe(snippe_body(order.reference))
    assert (tz.became(), str(tz.has()), tz.movements()) == (["duplicate"], "15000.00", 1)


def test_what_became_needed_after_it_was_read_stays(tz: Till, clock: SteppedClock) -> None:
    one_of_each(tz)
    clock.advance(days=DAYS + 1)
    before = clock.now() - timedelta(days=DAYS)
    (old,) = tz.run(lambda c: store.old(c, Became.NOTED, before, 10))
    tz.run(lambda c: store.move(c, old, "noted", Became.CONFLICT, None))
    assert tz.run(lambda c: store.forget(c, [old])) == 0
