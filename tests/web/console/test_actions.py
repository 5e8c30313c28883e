"""What the trail's actions are called on the console: each in words, its own name beside them."""

from gateway.people.staff.store import Role
from gateway.web.console.actions import ACTIONS
from tests.support.wired import ADA
from tests.web.console.recorded import recorded
from tests.web.counter.desk import words
from tests.web.staffed import Staffed, Visitor


def test_every_action_that_the_code_records_has_words_and_no_other_has() -> None:
    assert {action for _, action in recorded()} == set(ACTIONS)


def test_no_two_actions_are_called_the_same() -> None:
    assert len(set(ACTIONS.values())) == len(ACTIONS)


def test_the_trail_says_it_in_words_with_the_code_beside_it(
    staffed: Staffed, operator: Visitor
) -> None:
    serial = staffed.wired.issue(to=ADA).serial
    operator.post(f"/console/tokens/{serial}/suspend", reason="a call")
    said = words(operator.get("/console/audit"))
    assert f"Token suspended token.suspend {serial} Ope Ade a call" in said
    staffed.within(Role.ADMIN).post("/console/switches/sms/pause", reason="a storm")
    assert "Paused switch.pause sms Ada Min a storm" in words(operator.get("/console/audit"))
