"""Racing tries, repeats and changes of one PIN, with the guards off and on."""

from collections import Counter
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import bindparam, update

from gateway.people.pins import store
from gateway.people.pins.choose import Chosen
from gateway.people.pins.prove import Verdict
from gateway.people.pins.store import LOCK_AT, pins
from tests.people.pinned import OTHER, PIN, cause, choose, first, prove, row, second
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.ussd.posting import play, post

RACERS = 16
HOUR = timedelta(hours=1)


def check_then_count(wired: Wired, barrier: Barrier) -> bool:
    """What a lock must not be: look at the tries, judge, count afterwards."""
    found = row(wired)
    barrier.wait(30)
    if found.tries >= LOCK_AT:
        return False
    count_unguarded = update(pins).where(pins.c.msisdn == ADA).values(tries=pins.c.tries + 1)
    wired.run(lambda c: c.execute(count_unguarded))
    return True


def test_checking_and_then_counting_lets_many_racers_through(wired: Wired) -> None:
    choose(wired, PIN)
    barrier = Barrier(RACERS)
    assert race(RACERS, lambda _: check_then_count(wired, barrier)).count(True) > LOCK_AT


@pytest.mark.parametrize("guarded", [False, True])
def test_of_sixteen_racing_tries_five_are_judged(
    wired: Wired, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    choose(wired, PIN)
    if not guarded:
        unguarded = update(pins).where(pins.c.msisdn == bindparam("phone"))
        monkeypatch.setattr(store, "COUNT", unguarded.values(tries=pins.c.tries + 1))
    now = wired.clock.now()
    counted = race(
        RACERS, lambda _: wired.run(lambda c: store.count(c, ADA, cause(), now + HOUR, now))[0]
    )
    assert (counted.count(True) == LOCK_AT) is guarded
    assert counted.count(True) + counted.count(False) == RACERS


def test_racing_wrong_pins_over_the_menus_lock_after_five(wired: Wired) -> None:
    wired.set_pin(PIN)
    for number in range(8):
        play(wired, "", "4", "4*1", session=f"S{number}")
    replies = race(8, lambda n: post(wired, f"4*1*90{n}7", f"S{n}"))
    told = Counter(str(reply)[2:17] for reply in replies)
    assert told["CON Wrong PIN. "] == LOCK_AT - 1
    assert told["END Too many wr"] == 8 - (LOCK_AT - 1)
    assert row(wired).tries == LOCK_AT


def test_one_request_made_many_times_at_once_takes_one_try(wired: Wired) -> None:
    choose(wired, PIN)
    name = cause()
    verdicts = race(6, lambda _: prove(wired, OTHER, named=name))
    assert [v.left for v in verdicts if isinstance(v, Verdict)] == [4] * 6
    assert row(wired).tries == 1


def test_a_right_pin_sent_many_times_at_once_is_never_counted_as_wrong(wired: Wired) -> None:
    wired.set_pin(PIN)
    play(wired, "", "4", "4*1")
    replies = race(6, lambda _: post(wired, f"4*1*{PIN}"))
    assert replies == [b"END Balance NGN 0.00"] * 6
    assert post(wired, f"4*1*{PIN}") == b"END Balance NGN 0.00"
    assert row(wired).tries == 0


def test_the_last_try_is_not_taken_by_its_own_repeat(wired: Wired) -> None:
    choose(wired, PIN)
    for _ in range(LOCK_AT - 1):
        prove(wired, OTHER)
    name = cause()
    verdicts = race(4, lambda _: prove(wired, PIN, named=name))
    assert verdicts == [Verdict.RIGHT] * 4
    assert row(wired).tries == 0


def test_a_wrong_pin_sent_many_times_at_once_gets_one_reply_and_one_count(wired: Wired) -> None:
    wired.set_pin(PIN)
    play(wired, "", "4", "4*1")
    replies = race(6, lambda _: post(wired, f"4*1*{OTHER}"))
    assert replies == [b"CON Wrong PIN. 4 tries left.\nEnter your PIN:\n0 Back 00 Home"] * 6
    assert row(wired).tries == 1


def test_of_two_dialogues_that_set_a_pin_at_once_one_does(wired: Wired) -> None:
    chosen = race(2, lambda n: first(wired, (PIN, OTHER)[n], 0))
    assert chosen == [Chosen.KEPT] * 2  # the later one waits for its second entry
    confirmed = race(2, lambda n: second(wired, (PIN, OTHER)[n], 0))
    assert confirmed.count(Chosen.KEPT) == 1
    assert set(confirmed) <= {Chosen.KEPT, Chosen.DIFFERS, Chosen.STALE}
    entry = (PIN, OTHER)[confirmed.index(Chosen.KEPT)]
    assert prove(wired, entry) is Verdict.RIGHT
    assert row(wired).version == 1


@pytest.mark.parametrize("guarded", [False, True])
def test_a_change_happens_once_however_often_it_is_confirmed_at_once(
    wired: Wired, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    first(wired, PIN, 0)
    if not guarded:
        values = {"hash": bindparam("hashed"), "version": pins.c.version + 1}
        unguarded = update(pins).where(pins.c.msisdn == bindparam("phone")).values(values)
        monkeypatch.setattr(store, "_PROMOTE", unguarded)
    pending = row(wired).pending_hash
    assert pending is not None
    now = wired.clock.now()
    done = race(6, lambda _: wired.run(lambda c: store.promote(c, ADA, 0, pending, now)))
    assert (done.count(True) == 1) is guarded
