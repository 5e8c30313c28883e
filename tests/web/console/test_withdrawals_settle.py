"""Settling with tills and partners on the console: held once, paid after a clean day."""

import re

import pytest
from sqlalchemy import Connection

from gateway.people.staff.store import Role
from gateway.reconciliation.runs import store as runs
from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from tests.tokens.till_staging import cash, pay, till
from tests.web.console.answers import MARKUP, led_to, refusal, text
from tests.web.staffed import Staffed, Visitor

ROOT = "/console/withdrawals"
FORM = {
    "kind": "till",
    "owner": "till-1",
    "amount": "60.00",
    "destination": "GB00BANK1",
    "reason": "week 9",
}


@pytest.fixture
def owed(wired: Wired) -> Wired:
    """A till that has paid 80.00 out for us."""
    pay(wired, cash(wired, "80.00").reveal(), till(wired))
    return wired


def intent(operator: Visitor) -> str:
    """The name under which a form would be done."""
    page = operator.get(f"{ROOT}/settle").text
    found = re.search('name="intent" value="(settle:[0-9A-Z]{12})"', page)
    assert found is not None
    return found[1]


def clean(wired: Wired, clock: SteppedClock) -> None:
    """A clean run over the day that was."""
    day = clock.now().date()
    clock.advance(days=1)

    def work(connection: Connection) -> None:
        number = runs.begin(connection, day, "", "cli:root", clock.now())
        runs.finish(connection, number, 0, 0, 0, clock.now())

    wired.run(work)


def test_a_settlement_is_held_once_and_paid_after_a_clean_day(
    staffed: Staffed, operator: Visitor, owed: Wired, clock: SteppedClock
) -> None:
    form = FORM | {"intent": intent(operator)}
    ways = {led_to(operator.post(f"{ROOT}/settle", **form)) for _ in range(3)}
    (way,) = ways
    assert way.endswith("?done=held")
    path = way.partition("?")[0]
    shown = text(operator.get(way))
    assert "Held: it is paid once its day is reconciled and clean." in shown
    assert "From till till-1" in shown
    assert "To GB00BANK1" in shown
    early = operator.post(f"{path}/pay", txn_id="B1", reason="paid")
    assert refusal(early) == "The day it was asked for has no clean reconciliation yet."
    clean(owed, clock)
    operator = staffed.within(Role.ADMIN)
    assert led_to(operator.post(f"{path}/pay", txn_id="B1", reason="paid")) == f"{path}?done=paid"
    assert owed.breaches() == []


def test_what_it_waits_for_is_said_and_nobody_is_called_before(
    staffed: Staffed, operator: Visitor, owed: Wired, clock: SteppedClock
) -> None:
    run, manual = "the clean run of 2 Mar, tomorrow 02:00", "Withdrawals that need an operator"
    assert f"Held today, it waits for {run}" in text(operator.get(f"{ROOT}/settle"))
    form = FORM | {"intent": intent(operator)}
    path = led_to(operator.post(f"{ROOT}/settle", **form)).partition("?")[0]
    assert f"It waits for {run}. Before that nobody can record it" in text(operator.get(path))
    assert f"waits for {run}" in text(operator.get(f"{ROOT}?show=manual"))
    front = text(operator.get("/console"))
    assert f"1 Settlement waits for {run}" in front
    assert manual not in front
    clock.advance(days=1)
    operator = staffed.within(Role.ADMIN)
    late = text(operator.get("/console"))
    assert "1 Settlement waits for a clean run of 2 Mar, which there is not yet" in late
    assert manual not in late
    clock.advance(days=-1)
    clean(owed, clock)
    operator = staffed.within(Role.ADMIN)
    front = text(operator.get("/console"))
    assert f"1 Urgent: {manual}" in front
    assert "Settlement waits" not in front
    assert "It waits for" not in text(operator.get(path))


REFUSED: tuple[tuple[dict[str, str], str], ...] = (
    ({"owner": MARKUP}, f"There is no till {MARKUP} with money."),
    ({"kind": "partner", "owner": "P9"}, "There is no partner P9 with money."),
    ({"kind": "wallet"}, "This is no settlement: begin anew."),
    ({"intent": "hold:wallet:1"}, "This is no settlement: begin anew."),
    ({"intent": ""}, "This is no settlement: begin anew."),
    ({"amount": "1,000"}, "An amount reads like 500 or 500.00."),
    ({"amount": "80.01"}, "The balance is below the amount."),
    ({"destination": " "}, "A bank account takes 1 to 64 characters."),
    ({"reason": ""}, "Say why: the reason is blank."),
)


@pytest.mark.parametrize(("changes", "said"), REFUSED)
def test_a_settlement_that_cannot_be_comes_back_in_its_form(
    operator: Visitor, owed: Wired, changes: dict[str, str], said: str
) -> None:
    form = FORM | {"intent": intent(operator)} | changes
    answer = operator.post(f"{ROOT}/settle", **form)
    assert refusal(answer) == said
    assert MARKUP not in answer.text
    assert "No money is held" in text(operator.get(f"{ROOT}?show=held"))


def test_a_form_that_was_done_is_no_other_settlement(operator: Visitor, owed: Wired) -> None:
    form = FORM | {"intent": intent(operator)}
    led_to(operator.post(f"{ROOT}/settle", **form))
    other = operator.post(f"{ROOT}/settle", **(form | {"amount": "20.00"}))
    assert refusal(other) == "This was confirmed before, as another withdrawal."
    again = FORM | {"intent": intent(operator), "amount": "20.00"}
    led_to(operator.post(f"{ROOT}/settle", **again))
    listed = text(operator.get(f"{ROOT}?show=held"))
    assert ("NGN 60.00" in listed, "NGN 20.00" in listed) == (True, True)
    assert owed.breaches() == []
