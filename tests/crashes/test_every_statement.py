"""A process killed between any two statements of a movement leaves every row as it was."""

import pytest

from tests.crashes.acts import MOVEMENTS
from tests.support.clock import SteppedClock
from tests.support.crashes import Movement, killed_before, rows, settled

STATEMENTS_MAX = 60


@pytest.mark.parametrize("movement", MOVEMENTS, ids=lambda movement: movement.name)
def test_a_kill_between_any_two_statements_changes_nothing(
    database_url: str, clock: SteppedClock, movement: Movement
) -> None:
    wired = movement.make(database_url, clock)
    act = movement.prepare(wired)
    before = rows(wired)
    number = 1
    while killed_before(number, wired, act):
        assert settled(wired, before), f"killed before statement {number}, something stayed"
        number += 1
        assert number < STATEMENTS_MAX
    assert number > 3, "nothing was cut off"
    assert rows(wired) != before
    assert wired.breaches() == []
    wired.close()


def test_each_movement_is_cut_off_under_a_name_of_its_own() -> None:
    assert len({movement.name for movement in MOVEMENTS}) == len(MOVEMENTS)
