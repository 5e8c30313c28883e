"""Operators who decide at the same moment: whatever was asked for is done once or not at all."""

import time
from datetime import datetime

import pytest
from sqlalchemy import Connection, update

from gateway.audit.decisions import store
from gateway.audit.decisions.store import Approval, State
from gateway.database.engine import Database
from gateway.errors import BadInput
from tests.audit.test_approvals import OTHER, PARTNER, Desk, Funds
from tests.support.clock import START
from tests.support.races import race

OPERATORS = 5


class SlowlyFunds(Funds):
    """Takes its time, so that the others come while it works."""

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Do it."""
        time.sleep(0.1)
        return super().execute(connection, approval, now)


@pytest.fixture
def desk(database: Database) -> Desk:
    """A desk whose executor is slow."""
    return Desk(database, SlowlyFunds())


def unguarded(desk: Desk, number: int) -> str:
    """Look whether it waits, then do it: without the before-state in the UPDATE."""
    (approval,) = desk.listed()
    time.sleep(0.1)

    def work(connection: Connection) -> str:
        outcome = desk.funds.execute(connection, approval, START)
        c = store.approvals.c
        connection.execute(
            update(store.approvals).where(c.id == number).values(state=State.APPROVED.value)
        )
        return outcome

    return desk.database.run(work)


def done(desk: Desk) -> int:
    """How often it was done, as far as that was committed."""
    return [action for _, action in desk.trail()].count("funded")


def test_looking_first_and_doing_then_does_it_twice(desk: Desk) -> None:
    number = desk.ask()
    race(2, lambda _: unguarded(desk, number))
    assert done(desk) == 2


def test_of_many_who_approve_at_once_one_does_it(desk: Desk) -> None:
    number = desk.ask()
    outcomes = race(OPERATORS, lambda n: desk.approve(number, f"staff:{n + 2}:O").state)
    refusals = [outcome for outcome in outcomes if isinstance(outcome, BadInput)]
    assert outcomes.count("approved") == 1
    assert len(refusals) == OPERATORS - 1
    assert all("is approved by" in str(refusal) for refusal in refusals)
    assert done(desk) == 1


def test_an_approval_and_a_refusal_at_once_end_in_one_of_them(desk: Desk) -> None:
    number = desk.ask()

    def decide(n: int) -> str:
        decided = desk.approve(number) if n else desk.refuse(number, "staff:3:Chidi")
        return decided.state

    outcomes = race(2, decide)
    (state,) = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert sum(isinstance(outcome, BadInput) for outcome in outcomes) == 1
    (approval,) = desk.listed(also_decided=True)
    assert (approval.state, done(desk)) == (state, int(state == "approved"))


def test_the_asker_among_many_who_approve_never_does_it(desk: Desk) -> None:
    number = desk.ask(OTHER)
    outcomes = race(4, lambda _: desk.approve(number, OTHER))
    assert all(isinstance(outcome, BadInput) for outcome in outcomes)
    assert done(desk) == 0


def test_of_many_who_ask_for_the_same_at_once_one_waits(desk: Desk) -> None:
    outcomes = race(OPERATORS, lambda n: desk.ask(f"staff:{n}:O"))
    assert sum(isinstance(outcome, int) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, BadInput) for outcome in outcomes) == OPERATORS - 1
    assert len(desk.listed()) == 1
    assert [action for _, action in desk.trail(PARTNER)] == ["approval.ask"]
