"""When too few operators are left for four eyes, one is taken on alone, and never unseen."""

import pytest

from gateway.audit import store as trail_store
from gateway.errors import BadInput
from gateway.people.staff import store
from gateway.people.staff.roster import BREAK_GLASS, Placed
from gateway.people.staff.store import Role
from tests.people.test_staff import BY, PHONES, Office
from tests.support.log import captured_log
from tests.support.races import race
from tests.support.wired import Wired


@pytest.fixture
def office(wired: Wired) -> Office:
    """Two operators, one of them gone."""
    made = Office(wired)
    for n in (0, 1):
        made.hire(n)
    made.disable(1)
    return made


def test_one_who_is_left_replaces_the_other_and_everybody_sees_it(office: Office) -> None:
    with captured_log() as log:
        placed = office.break_glass(2)
    assert (placed.approval, office.status(2), office.proves(2)) == (None, "active", "Person 2")
    (line,) = [line for line in log.lines() if line["event"] == "staff_break_glass"]
    assert (line["level"], line["actor"], line["active_operators"]) == ("error", BY, 1)
    trail = office.wired.run(lambda c: trail_store.about(c, BREAK_GLASS))
    assert [one.reason for one in trail] == ["Person 2, operator, 1 were left: he left"]
    assert [one.actor for one in office.wired.run(lambda c: trail_store.about(c, PHONES[2]))] == [
        BY
    ]
    assert office.hire(3).approval is not None  # from here on with four eyes again


def test_nobody_is_left_at_all(office: Office) -> None:
    office.disable(0)
    for n in (2, 3):
        office.break_glass(n, Role.ADMIN)
    with pytest.raises(BadInput, match="2 operators are active"):
        office.break_glass(4)


@pytest.mark.parametrize(
    ("role", "reason"), [(Role.CASHIER, "he left"), (Role.OPERATOR, " "), (Role.MANAGER, "")]
)
def test_it_needs_a_reason_and_is_for_operators(office: Office, role: Role, reason: str) -> None:
    with pytest.raises(BadInput, match="with a reason"):
        office.break_glass(2, role, reason)


def test_while_two_are_active_it_is_refused_and_before_there_were_two_it_is_not_needed(
    wired: Wired,
) -> None:
    office = Office(wired)
    office.hire(0)
    with pytest.raises(BadInput, match="leave out"):
        office.break_glass(1)
    office.hire(1)
    with pytest.raises(BadInput, match="can approve"):
        office.break_glass(2)
    assert office.status(2) is None


def test_a_disabled_operator_does_not_come_back_by_it(office: Office) -> None:
    with pytest.raises(BadInput, match="disabled"):
        office.break_glass(1)


def test_of_several_at_once_one_is_taken_on(office: Office) -> None:
    results = race(4, lambda n: office.break_glass(n + 2))
    assert sum(isinstance(result, Placed) for result in results) == 1
    assert office.wired.run(store.active_operators) == 2


def test_counted_without_the_lock_several_would_be(office: Office) -> None:
    counted = [office.wired.run(store.active_operators) for _ in range(3)]
    assert counted == [1, 1, 1]  # each of three would go on
