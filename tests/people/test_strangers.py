"""Nobody learns who works here from how wrong PINs are refused."""

from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import update

from gateway.people.staff.entrance import LOCKED_FOR, TRIES_MAX, Locked, Wrong
from gateway.people.staff.store import Role, Status, staff
from gateway.people.staff.tries import store
from gateway.people.staff.tries.limits import KNOWN_FOR
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import Wired
from tests.web.staffed import PHONES, PIN, Staffed

WRONG_PIN, NOBODY, OTHER = "8264", "+2348030000999", "+2348030000888"
PLACES = [f"192.0.2.{n}" for n in range(9)]
DAY = timedelta(days=1)


@pytest.fixture
def staffed(wired: Wired) -> Staffed:
    """One of each role."""
    return Staffed(wired)


def refused(staffed: Staffed, phone: str, place: str, pin: str = WRONG_PIN) -> str:
    """How somebody is refused, and until when."""
    try:
        return staffed.wired.gateway.roster.entrance.entered(phone, pin, place=place).name
    except (Locked, Wrong) as error:
        return f"{type(error).__name__}: {error}"


@pytest.fixture(params=["nobody", "let go", "not yet taken on"])
def stranger(request: pytest.FixtureRequest, staffed: Staffed) -> str:
    """A phone that lets nobody in."""
    if request.param == "nobody":
        return NOBODY
    status = Status.DISABLED if request.param == "let go" else Status.WAITING
    phone = PHONES[Role.MANAGER]
    moved = update(staff).where(staff.c.msisdn == phone).values(status=status.value)
    staffed.wired.run(lambda c: c.execute(moved).rowcount)
    return phone


def test_a_phone_of_nobody_is_refused_as_a_cashiers_is(
    staffed: Staffed, stranger: str, clock: SteppedClock
) -> None:
    """From several places, beyond the lock, and beyond its end."""
    said: dict[str, list[str]] = {stranger: [], PHONES[Role.CASHIER]: []}
    for step in (0, 0, 1, 1):  # hours
        clock.advance(hours=step)
        for place in PLACES[: TRIES_MAX - 2]:
            for phone, heard in said.items():
                heard.append(refused(staffed, phone, place))
    assert said[stranger] == said[PHONES[Role.CASHIER]]
    assert [line[:6] for line in said[stranger][:6]] == ["Wrong:"] * TRIES_MAX + ["Locked"]
    assert staffed.wired.breaches() == []


def test_a_few_tries_a_day_are_remembered_as_a_cashiers_are(
    staffed: Staffed, stranger: str, clock: SteppedClock
) -> None:
    forget = staffed.wired.gateway.chores()["staff_tries_purged"]
    said: dict[str, list[str]] = {stranger: [], PHONES[Role.CASHIER]: []}
    for n in range(TRIES_MAX + 1):
        for phone, heard in said.items():
            heard.append(refused(staffed, phone, PLACES[n])[:6])
        clock.advance(seconds=(LOCKED_FOR if n == TRIES_MAX - 1 else DAY).total_seconds() - 1)
        forget()
    assert said[stranger] == said[PHONES[Role.CASHIER]]
    assert said[stranger][-1] == "Locked"
    clock.advance(seconds=(KNOWN_FOR + DAY).total_seconds())
    forget()
    query = store.staff_tries.select().where(store.staff_tries.c.place.startswith("phone:"))
    assert staffed.wired.run(lambda c: c.execute(query).all()) == []


def test_the_tries_of_a_phone_of_nobody_name_no_phone(staffed: Staffed) -> None:
    refused(staffed, NOBODY, PLACES[0])
    refused(staffed, OTHER, PLACES[0])
    rows = staffed.wired.run(lambda c: c.execute(store.staff_tries.select()).all())
    names = {row.place for row in rows} - {PLACES[0]}
    assert len(names) == 2
    assert not [name for name in names if NOBODY[-9:] in name or OTHER[-9:] in name]


def test_whoever_is_taken_on_with_a_phone_that_was_tried_is_let_in(staffed: Staffed) -> None:
    for n in range(TRIES_MAX + 1):
        refused(staffed, NOBODY, PLACES[n])
    staffed.hire(Role.CASHIER, "New One", NOBODY)
    assert refused(staffed, NOBODY, "203.0.113.7", PIN) == "New One"


def at_place(staffed: Staffed, phone: str, number: int) -> str:
    """How one of several is refused who try at once."""
    return refused(staffed, phone, PLACES[number])


def test_racers_have_no_more_tries_at_a_phone_of_nobody_than_at_a_cashiers(
    staffed: Staffed,
) -> None:
    for phone in (NOBODY, PHONES[Role.CASHIER]):
        found = race(8, partial(at_place, staffed, phone))
        assert sum(str(line).startswith("Wrong") for line in found) == TRIES_MAX, found
