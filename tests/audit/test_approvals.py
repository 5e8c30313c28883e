"""Four eyes: what one person asks for, another one approves, and it is then done once."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from gateway.audit import store as trail_store
from gateway.audit import trail
from gateway.audit.approvals import EXPIRES_AFTER, Approvals, Requests
from gateway.audit.decisions.store import Approval
from gateway.database.engine import Database
from gateway.errors import BadInput
from gateway.formats.facts import fact
from tests.support.clock import START, SteppedClock
from tests.support.log import captured_log

FUND, PARTNER = "partner.fund", "P1"
ASKER, OTHER = "staff:1:Ada", "staff:2:Bello"


@dataclass
class Funds:
    """Writes into the trail that it was done, unless it is told to refuse."""

    refuses: bool = False
    seen: list[Approval] = field(default_factory=list)

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Do it."""
        trail.record(connection, "executor", "funded", approval.subject, now)
        self.seen.append(approval)
        if self.refuses:
            raise BadInput("the reference is used already")
        return fact("funded with {sum}", sum=Decimal("500.00"))


@dataclass
class Desk:
    """Asks and decides in a database, at one time."""

    database: Database
    funds: Funds = field(default_factory=Funds)
    now: datetime = START

    @property
    def approvals(self) -> Approvals:
        """What decides."""
        return Approvals({FUND: self.funds})

    def ask(self, actor: str = ASKER, subject: str = PARTNER, kind: str = FUND) -> int:
        """Ask; the number."""
        given = (kind, subject, {"amount": "500.00"}, actor, "their transfer", self.now)
        return self.database.run(lambda c: Requests().ask(c, *given), keyed=True)

    def approve(self, number: int, actor: str = OTHER) -> Approval:
        """Approve."""
        return self.database.run(lambda c: self.approvals.approve(c, number, actor, self.now))

    def refuse(self, number: int, actor: str = OTHER) -> Approval:
        """Refuse."""
        return self.database.run(
            lambda c: self.approvals.refuse(c, number, actor, "not so", self.now)
        )

    def listed(self, **options: Any) -> list[Approval]:
        """What is shown."""
        return list(self.database.run(lambda c: self.approvals.listed(c, self.now, **options)))

    def trail(self, subject: str = PARTNER) -> list[tuple[str, str]]:
        """(who, what) about a subject."""
        lines = self.database.run(lambda c: trail_store.about(c, subject))
        return [(line.actor, line.action) for line in lines]


@pytest.fixture
def desk(database: Database) -> Desk:
    """A desk over a fresh database."""
    return Desk(database)


def test_what_another_one_approves_is_done_and_recorded(desk: Desk) -> None:
    number = desk.ask()
    done = desk.approve(number)
    assert (done.state, done.decided_by, done.outcome) == ("approved", OTHER, "funded with 500.00")
    assert desk.funds.seen[0].details == {"amount": "500.00"}
    assert desk.funds.seen[0].asked_by == ASKER
    assert desk.trail() == [
        (ASKER, "approval.ask"),
        ("executor", "funded"),
        (OTHER, "approval.approve"),
    ]
    assert desk.listed() == []
    assert desk.listed(also_decided=True) == [done]


@pytest.mark.parametrize(
    ("asker", "approver"),
    [
        (ASKER, ASKER),
        ("staff:1:Ada", "staff:1:Ada (married)"),
        ("cli:ops", "cli:ops"),
        ("cli:ops", "cli:Ops"),
        ("cli:ops", " cli:ops "),
        ("cli:ops", "cli: op\u200bs"),
        ("cli:Straße", "cli:STRASSE"),
        ("cli:ops", "cli:\uff4f\uff50\uff53"),
    ],
)
def test_nobody_approves_a_request_of_their_own_however_the_name_is_written(
    desk: Desk, asker: str, approver: str
) -> None:
    number = desk.ask(asker)
    with pytest.raises(BadInput, match="you asked for this yourself"):
        desk.approve(number, approver)
    assert (desk.listed()[0].state, desk.funds.seen) == ("waiting", [])


@pytest.mark.parametrize("approver", ["staff:11:Ada", "staff:2:Ada", "cli:staff:1:Ada", "cli:ops2"])
def test_somebody_with_a_similar_name_is_somebody_else(desk: Desk, approver: str) -> None:
    assert desk.approve(desk.ask(), approver).state == "approved"


def test_a_refusal_of_what_was_to_be_done_leaves_the_request_waiting(desk: Desk) -> None:
    number = desk.ask()
    desk.funds.refuses = True
    with pytest.raises(BadInput, match="the reference is used already"):
        desk.approve(number)
    assert [approval.state for approval in desk.listed()] == ["waiting"]
    assert desk.trail() == [(ASKER, "approval.ask")]
    desk.funds.refuses = False
    assert desk.approve(number).state == "approved"


def test_the_same_request_is_not_asked_for_twice_while_it_waits(desk: Desk) -> None:
    number = desk.ask()
    with pytest.raises(BadInput, match=f"approval {number} waits for this already"):
        desk.ask(OTHER)
    desk.ask(subject="P2")
    desk.ask(kind="partner.close")
    desk.approve(number)
    assert desk.ask() > number


def test_a_decided_request_is_decided_once(desk: Desk) -> None:
    number = desk.ask()
    desk.approve(number)
    with pytest.raises(BadInput, match=f"approval {number} is approved by {OTHER}"):
        desk.approve(number, "staff:3:Chidi")
    with pytest.raises(BadInput, match="is approved"):
        desk.refuse(number)
    refused = desk.ask()
    assert desk.refuse(refused).outcome == "not so"
    with pytest.raises(BadInput, match="is refused"):
        desk.approve(refused)
    assert len(desk.funds.seen) == 1


def test_whoever_asked_may_take_it_back(desk: Desk) -> None:
    number = desk.ask()
    assert desk.refuse(number, ASKER).state == "refused"
    assert desk.trail()[-1] == (ASKER, "approval.refuse")


def test_a_request_expires_after_seven_days_and_may_be_asked_for_anew(desk: Desk) -> None:
    number = desk.ask()
    desk.now = START + EXPIRES_AFTER - timedelta(seconds=1)
    assert [approval.state for approval in desk.listed()] == ["waiting"]
    desk.now = START + EXPIRES_AFTER
    assert desk.listed() == []
    for decide in (desk.approve, desk.refuse):
        with pytest.raises(BadInput, match=f"approval {number} is expired"):
            decide(number)
    again = desk.ask()
    assert [a.state for a in desk.listed(also_decided=True)] == ["waiting", "expired"]
    assert desk.approve(again).state == "approved"


def test_what_expired_is_closed_by_the_sweep_once(desk: Desk) -> None:
    desk.ask()
    clock = SteppedClock()
    assert desk.approvals.sweep(desk.database, clock) == 0
    clock.advance(days=EXPIRES_AFTER.days)
    assert desk.approvals.sweep(desk.database, clock) == 1
    assert desk.approvals.sweep(desk.database, clock) == 0


def test_one_that_cannot_be_closed_holds_up_no_other(desk: Desk, clock: SteppedClock) -> None:
    class Minding(Funds):
        def refused(self, _: Connection, approval: Approval, __: datetime) -> None:
            heard.append((approval.subject, approval.state))
            if approval.subject == "P0":
                raise ZeroDivisionError

    heard: list[tuple[str, str]] = []
    desk.funds = Minding()
    for subject in ("P0", "P1"):
        desk.ask(subject=subject)
    clock.advance(days=EXPIRES_AFTER.days)
    with captured_log() as log:
        assert desk.approvals.sweep(desk.database, clock) == 1
        assert "approval_not_expired" in log.text()
    assert heard == [("P0", "expired"), ("P1", "expired")]
    assert [a.subject for a in desk.listed(also_decided=True)] == ["P1", "P0"]


def test_an_unknown_number_and_an_unknown_kind_change_nothing(desk: Desk) -> None:
    with pytest.raises(BadInput, match="there is no approval 7"):
        desk.approve(7)
    number = desk.ask(kind="launder")
    with pytest.raises(BadInput, match="nothing here can do launder"):
        desk.approve(number)
    assert desk.listed()[0].state == "waiting"


def test_a_reason_is_kept_without_its_digits(desk: Desk) -> None:
    words = "she read 902100000000000014"
    number = desk.database.run(lambda c: Requests().ask(c, FUND, PARTNER, {}, ASKER, words, START))
    assert desk.listed()[0].reason == "she read ####"
    desk.database.run(lambda c: desk.approvals.refuse(c, number, OTHER, words, START))
    assert desk.listed(also_decided=True)[0].outcome == "she read ####"
