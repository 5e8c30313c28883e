"""The way back for staff: unlocked once a day, and a PIN for once that two operators give."""

import pytest

from gateway.audit import store as trail_store
from gateway.errors import BadInput
from gateway.people.staff import entrance, store
from gateway.people.staff.entrance import TRIES_MAX
from gateway.people.staff.roster import Placed
from tests.people.test_one_alone import ADA, BOB, PUPPET, asked, owned
from tests.people.test_staff import PHONES, PIN, WRONG, Office
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import Wired

ONCE, OWN = "6138", "9275"


@pytest.fixture
def office(wired: Wired) -> Office:
    """Three operators, each with a PIN of their own."""
    made = Office(wired)
    for n in (0, 1):
        made.hire(n)
    made.approve(asked(made, 2, ADA), BOB)
    owned(made, 2)
    return made


def locked(office: Office, n: int) -> None:
    """Too many wrong PINs."""
    for _ in range(TRIES_MAX):
        office.proves(n, WRONG)
    assert office.proves(n).startswith("too many")


def unlock(office: Office, n: int) -> Placed:
    """`staff unlock`."""
    of = office.wired.gateway.core.way_back
    return office.wired.run(lambda c: of.unlock(c, PHONES[n], BOB, "she called", office.now()))


def reset(office: Office, n: int, actor: str = BOB) -> int:
    """`staff reset-pin`; the approval it waits for."""
    of = office.wired.gateway.core.way_back
    hashed = office.wired.gateway.roster.hashed(ONCE, PHONES[n])
    number = office.wired.run(
        lambda c: of.reset_pin(c, PHONES[n], hashed, actor, "forgot it", office.now())
    ).approval
    assert number is not None
    return number


def test_a_lock_is_ended_once_a_day(office: Office, clock: SteppedClock) -> None:
    locked(office, 0)
    assert unlock(office, 0).member.locked_until is None
    assert office.proves(0) == "Person 0"
    last = office.wired.run(lambda c: trail_store.about(c, PHONES[0]))[-1]
    assert (last.actor, last.action, last.reason) == (BOB, "staff.unlock", "she called")
    locked(office, 0)
    with pytest.raises(BadInput, match="unlocked within a day already: locked until 2026"):
        unlock(office, 0)
    clock.advance(days=1)
    locked(office, 0)
    unlock(office, 0)


def test_who_is_not_locked_or_not_there_is_not_unlocked(office: Office) -> None:
    with pytest.raises(BadInput, match="Person 0 is not locked"):
        unlock(office, 0)
    with pytest.raises(BadInput, match="nobody's"):
        unlock(office, 9)
    locked(office, 0)
    office.disable(0)
    with pytest.raises(BadInput, match="Person 0 is disabled"):
        unlock(office, 0)


def test_of_several_who_unlock_at_once_one_does(office: Office) -> None:
    locked(office, 0)
    outcomes = race(4, lambda _: unlock(office, 0))
    assert sum(isinstance(outcome, Placed) for outcome in outcomes) == 1


def test_a_pin_for_once_counts_when_another_operator_has_approved_it(office: Office) -> None:
    locked(office, 0)
    number = reset(office, 0)
    for actor in (BOB, ADA):  # whoever asked, and its owner
        with pytest.raises(BadInput, match="somebody else must approve it"):
            office.approve(number, actor)
    assert office.approve(number, PUPPET).outcome == f"{ADA} has a PIN for once"
    assert office.proves(0) == entrance.WRONG
    assert "set your own at /counter/pin or /console/pin" in office.proves(0, ONCE)
    office.wired.gateway.roster.change_pin(PHONES[0], ONCE, OWN)
    assert office.proves(0, OWN) == "Person 0"


def test_its_owner_decides_a_day_later_and_not_with_whoever_typed_it(
    office: Office, clock: SteppedClock
) -> None:
    office.approve(reset(office, 0), PUPPET)
    with pytest.raises(BadInput, match="can approve from"):
        office.approve(asked(office, 3, PUPPET), ADA)
    clock.advance(days=1)
    number = asked(office, 4, BOB)
    with pytest.raises(BadInput, match="has set your PIN"):
        office.approve(number, ADA)
    with pytest.raises(BadInput, match="change it first"):
        reset(office, 1, ADA)
    office.wired.gateway.roster.change_pin(PHONES[0], ONCE, OWN)
    assert office.approve(number, ADA).state == "approved"


def test_until_it_is_approved_the_old_pin_counts_and_it_is_not_exchanged(office: Office) -> None:
    number = reset(office, 0)
    assert (office.proves(0), office.proves(0, ONCE)) == ("Person 0", entrance.WRONG)
    before = office.wired.run(lambda c: store.by_msisdn(c, PHONES[0]))
    with pytest.raises(BadInput, match="waits for this already"):
        reset(office, 0, PUPPET)
    assert office.wired.run(lambda c: store.by_msisdn(c, PHONES[0])) == before
    assert PIN not in repr(before)
    office.disable(0)
    with pytest.raises(BadInput, match="Person 0 is disabled"):
        office.approve(number, PUPPET)
