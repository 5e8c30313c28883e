"""Racing tries from one place, with the guards off and on."""

from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import bindparam, update

from gateway.people.staff.entrance import Crowded, Wrong
from gateway.people.staff.tries import limits, store
from gateway.people.staff.tries.store import WHOEVER, staff_tries
from tests.support.races import race
from tests.support.wired import Wired

PLACE, MEMBER = "203.0.113.7", 7
RACERS, MOST = 16, 5
HOUR = timedelta(hours=1)
_ROW = (staff_tries.c.place == PLACE, staff_tries.c.staff_id == WHOEVER)


def count(wired: Wired, member: int = WHOEVER) -> bool:
    """Count one try as the product does."""
    now = wired.clock.now()
    if member == WHOEVER:
        return wired.run(lambda c: store.count_whoever(c, PLACE, now, now + HOUR, MOST))
    return wired.run(lambda c: store.count_member(c, PLACE, member, now, now + HOUR, MOST))


def check_then_count(wired: Wired, barrier: Barrier) -> bool:
    """What a limit must not be: look at the tries, judge, count afterwards."""
    query = staff_tries.select().where(*_ROW)
    found = wired.run(lambda c: c.execute(query).one())
    barrier.wait(30)
    if found.tries >= MOST:
        return False
    unguarded = update(staff_tries).where(*_ROW).values(tries=staff_tries.c.tries + 1)
    wired.run(lambda c: c.execute(unguarded))
    return True


def test_checking_and_then_counting_lets_many_racers_through(wired: Wired) -> None:
    count(wired)
    barrier = Barrier(RACERS)
    assert race(RACERS, lambda _: check_then_count(wired, barrier)).count(True) > MOST


@pytest.mark.parametrize("guarded", [False, True])
@pytest.mark.parametrize("member", [WHOEVER, MEMBER])
def test_of_sixteen_racing_tries_five_are_judged(
    wired: Wired, monkeypatch: pytest.MonkeyPatch, guarded: bool, member: int
) -> None:
    if member != WHOEVER:
        wired.run(lambda c: store.proved(c, PLACE, member, wired.clock.now()))
    if not guarded:
        row = (
            staff_tries.c.place == bindparam("at"),
            staff_tries.c.staff_id == bindparam("of"),
        )
        unguarded = update(staff_tries).where(*row).values(tries=staff_tries.c.tries + 1)
        name = "COUNT_WHOEVER" if member == WHOEVER else "COUNT_MEMBER"
        monkeypatch.setattr(store, name, unguarded)
    counted = race(RACERS, lambda _: count(wired, member))
    assert (counted.count(True) == MOST) is guarded
    assert counted.count(True) + counted.count(False) == RACERS


def test_a_flood_from_one_place_is_judged_so_often_and_no_more(wired: Wired) -> None:
    entrance = wired.gateway.roster.entrance
    outcomes = race(
        limits.TRIES_MAX + 12,
        lambda n: entrance.entered(f"+23480399900{n:02}", "8264", place=PLACE),
    )
    kinds = [type(outcome) for outcome in outcomes]
    assert (kinds.count(Wrong), kinds.count(Crowded)) == (limits.TRIES_MAX, 12)


def test_who_is_right_many_times_at_once_at_a_new_place_is_known_there_once(wired: Wired) -> None:
    now = wired.clock.now()
    done = race(8, lambda _: wired.run(lambda c: store.proved(c, PLACE, MEMBER, now)))
    assert done == [None] * 8
    assert [one.place for one in wired.run(lambda c: limits.known(c, MEMBER, now))] == [PLACE]
