"""One operator alone makes nobody who could approve at once, and leaves nobody alone."""

import pytest

from gateway.audit.decisions import store as decisions
from gateway.errors import BadInput
from gateway.people.staff import store
from gateway.people.staff.roster import Placed
from tests.people.test_staff import PHONES, Office
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import Wired

ADA, BOB, PUPPET = (f"staff:{n + 1}:Person {n}" for n in range(3))
DAY = "2026-03-03T09:00:00Z"  # a day after the clock's start


@pytest.fixture
def office(wired: Wired) -> Office:
    """Two founders."""
    made = Office(wired)
    for n in (0, 1):
        made.hire(n)
    return made


def leaves(office: Office, n: int) -> Placed:
    """Somebody disables themselves."""
    actor = f"staff:{n + 1}:Person {n}"
    of = office.wired.gateway.roster
    return office.wired.run(lambda c: of.disable(c, PHONES[n], actor, "I quit", office.now()))


def asked(office: Office, n: int, actor: str) -> int:
    """The approval that taking on the n-th waits for."""
    number = office.hire(n, actor=actor).approval
    assert number is not None
    return number


def owned(office: Office, n: int) -> None:
    """The PIN becomes its owner's, so that nothing but the day stands in the way."""
    office.wired.gateway.roster.change_pin(PHONES[n], "4907", "8052")


def test_who_was_let_in_by_one_alone_approves_nothing_for_a_day(
    office: Office, clock: SteppedClock
) -> None:
    office.disable(0)
    office.break_glass(2)
    owned(office, 2)
    number = asked(office, 3, BOB)
    clock.advance(seconds=86_399)
    with pytest.raises(BadInput, match=f"you can approve from {DAY} on"):
        office.approve(number, PUPPET)
    assert office.status(3) == "waiting"
    clock.advance(seconds=1)
    assert office.approve(number, PUPPET).outcome == "Person 3 is an active operator"


def test_nor_is_what_they_asked_for_approved(office: Office, clock: SteppedClock) -> None:
    office.disable(0)
    office.break_glass(2)
    owned(office, 2)
    number = asked(office, 3, PUPPET)
    with pytest.raises(BadInput, match=f"what they asked for can be approved from {DAY} on"):
        office.approve(number, BOB)
    clock.advance(seconds=86_400)
    assert office.approve(number, BOB).state == "approved"


def test_two_who_were_let_in_so_do_not_approve_for_each_other(office: Office) -> None:
    office.disable(0)
    office.break_glass(2)
    owned(office, 2)
    office.disable(1)
    office.break_glass(4)
    with pytest.raises(BadInput, match="on, not before"):
        office.approve(asked(office, 5, PUPPET), "staff:4:Person 4")


def test_they_may_refuse_at_once(office: Office) -> None:
    office.disable(0)
    office.break_glass(2)
    number = asked(office, 3, BOB)
    refuse = office.wired.gateway.approvals.refuse
    done = office.wired.run(lambda c: refuse(c, number, PUPPET, "no", office.now()))
    assert done.state == decisions.State.REFUSED


def test_founders_and_who_was_approved_decide_at_once(office: Office) -> None:
    office.approve(asked(office, 2, ADA), BOB)
    owned(office, 2)
    assert office.approve(asked(office, 3, BOB), PUPPET).state == "approved"


def test_nobody_leaves_fewer_than_two_behind_but_a_rogue_is_stopped_at_once(
    office: Office,
) -> None:
    with pytest.raises(BadInput, match="fewer than two operators would be left"):
        leaves(office, 1)
    office.approve(asked(office, 2, ADA), BOB)
    assert leaves(office, 2).member.status == "disabled"
    of = office.wired.gateway.roster
    office.wired.run(lambda c: of.disable(c, PHONES[1], ADA, "a rogue", office.now()))
    assert office.status(1) == "disabled"
    with pytest.raises(BadInput, match="fewer than two"):
        leaves(office, 0)


def test_of_several_who_leave_at_once_two_stay(office: Office) -> None:
    for n in (2, 3):
        office.approve(asked(office, n, ADA), BOB)
    race(4, lambda n: leaves(office, n))
    assert office.wired.run(store.active_operators) == 2


def test_counted_without_the_lock_all_of_them_would(office: Office) -> None:
    for n in (2, 3):
        office.approve(asked(office, n, ADA), BOB)
    assert [office.wired.run(store.active_operators) for _ in range(4)] == [4] * 4
