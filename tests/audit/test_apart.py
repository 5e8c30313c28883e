"""Nobody approves what is about them: not as its owner, nor as whom it pays, nor as who asked."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pytest
from click.testing import CliRunner
from sqlalchemy import Connection

from gateway.audit.approvals import concerning
from gateway.audit.decisions import store
from gateway.cli.main import command_group
from gateway.errors import BadInput
from gateway.people.staff import store as staff
from gateway.people.staff.roster import Hire
from gateway.people.staff.store import Role, Status
from gateway.settings.limits import Money
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import ADA, BELLO, Wired
from tests.withdrawals.staging import Desk, naira
from wiring.approvals import known

CHIDI = "+2348030000003"
PIN = "4907"
AS_ADA, AS_BELLO = "staff:1:Ada", "staff:2:Bello"
ABOUT_YOU = "this is about you"


@dataclass
class House:
    """Ada and Bello are founders, by the very phones they bank with; payouts may be large."""

    wired: Wired
    desk: Desk

    def ask(self, kind: str, subject: str, details: Mapping[str, str], actor: str) -> int:
        """Ask for something; the number."""
        now = self.wired.clock.now()
        asked: Callable[[Connection], int] = lambda c: self.desk.requests.ask(  # noqa: E731
            c, kind, subject, details, actor, "why", now
        )
        return self.wired.run(asked)

    def approve(self, number: int, actor: str) -> str:
        """Approve by the wired gateway: the outcome, or why not."""
        now = self.wired.clock.now()
        try:
            found = self.wired.run(
                lambda c: self.wired.gateway.approvals.approve(c, number, actor, now)
            )
        except BadInput as error:
            return str(error)
        return found.outcome or ""

    def latest(self) -> store.Approval:
        """What was asked for last."""
        return self.wired.run(lambda c: store.latest(c, 1, waiting_since=None))[0]

    def run(self, *words: str, actor: str) -> int:
        """Run a command as an operator; the exit code."""
        given = (*words, "--as", actor, "--pin-stdin")
        with captured_log():
            parts = self.wired.gateway.parts
            return CliRunner().invoke(command_group(parts), given, input=f"{PIN}\n").exit_code


@pytest.fixture
def house(database_url: str, clock: SteppedClock) -> Iterator[House]:
    """Payouts above 50.00 need a second operator."""
    wired = Wired(database_url, clock, money=Money(payout_alone_max=naira("50.00")))
    roster, now = wired.gateway.roster, clock.now()
    for name, phone in (("Ada", ADA), ("Bello", BELLO)):
        hire = Hire(name, phone, Role.OPERATOR, roster.hashed(PIN, phone))
        wired.run(lambda c, h=hire: roster.hire(c, h, "cli:ops", "", now))  # type: ignore[misc]
    yield House(wired, Desk(wired))
    wired.close()


def test_a_caller_who_is_an_operator_does_not_approve_their_own_withdrawal(house: House) -> None:
    house.desk.fund("100.00", ADA)
    made = house.desk.request("60.00", ADA, actor=ADA)
    found = house.latest()
    assert (found.asked_by, found.details["concerns"]) == (ADA, ADA)
    assert ABOUT_YOU in house.approve(found.id, AS_ADA)
    assert house.desk.now(made).payout == "none"
    assert house.approve(found.id, AS_BELLO) == "queued"


def test_who_asks_for_it_again_does_not_let_its_owner_approve_it(house: House) -> None:
    house.desk.fund("100.00", ADA)
    made = house.desk.request("60.00", ADA, actor=ADA, destination=CHIDI)
    first, now = house.latest().id, house.wired.clock.now()
    house.wired.run(lambda c: house.wired.gateway.approvals.refuse(c, first, AS_ADA, "no", now))
    assert house.run("withdrawals", "send", made.reference, "--reason", "x", actor=BELLO) == 0
    assert ABOUT_YOU in house.approve(house.latest().id, AS_ADA)
    assert house.approve(house.latest().id, "cli:third") == "queued"


@pytest.mark.parametrize(
    ("kind", "subject", "details"),
    [
        ("wallet.move", ADA, {"to": CHIDI, "wallet": "1"}),
        ("wallet.move", CHIDI, {"to": ADA, "wallet": "1"}),
        ("wallet.reset_pin", ADA, {}),
        ("suspense.release", "D1", {"to": ADA}),
        ("deposit.reverse", "D1", concerning(ADA)),
        ("dispute.refund", "D1", concerning(CHIDI, ADA)),
        ("payout.pay", "W1", concerning("", AS_ADA)),
    ],
)
def test_whom_a_request_concerns_does_not_approve_it(
    house: House, kind: str, subject: str, details: Mapping[str, str]
) -> None:
    number = house.ask(kind, subject, details, AS_BELLO)
    assert ABOUT_YOU in house.approve(number, AS_ADA)
    assert ABOUT_YOU not in house.approve(number, "cli:somebody")


@pytest.mark.parametrize("again", [False, True])
def test_what_somebody_asked_for_who_was_let_go_is_not_done(house: House, *, again: bool) -> None:
    """Also when it was asked for before; and it is, once they work here again."""
    number, wired = house.ask("partner.fund", "FT1", {"amount": "1000.00"}, AS_ADA), house.wired
    wired.run(lambda c: staff.move(c, 1, Status.ACTIVE, Status.DISABLED))
    assert "was let go since" in house.approve(number, AS_BELLO)
    found = wired.run(lambda c: store.by_id(c, number))
    assert found is not None
    now, of = wired.clock.now(), wired.gateway.approvals
    assert "was let go since" in wired.run(lambda c: of.objection(c, found, AS_BELLO, now))
    if again:
        wired.run(lambda c: staff.move(c, 1, Status.DISABLED, Status.ACTIVE))
        assert "was let go since" not in house.approve(number, AS_BELLO)
    else:  # anybody ends it, and it can be asked for anew
        wired.run(lambda c: of.refuse(c, number, AS_BELLO, "she left", now))
        assert house.ask("partner.fund", "FT1", {}, AS_BELLO) > number


def test_whoever_was_let_go_since_they_were_proved_approves_nothing(house: House) -> None:
    number = house.ask("partner.fund", "FT1", {"amount": "1000.00"}, AS_BELLO)
    house.wired.run(lambda c: staff.move(c, 1, Status.ACTIVE, Status.DISABLED))
    assert house.approve(number, AS_ADA) == "you do not work here any more"


def test_the_staff_is_known_by_number_whatever_the_name(house: House) -> None:
    def look(who: str) -> str:
        return house.wired.run(lambda c: known(c, who)).phone

    assert [look("staff:1"), look("staff:2:Any"), look(ADA)] == [ADA, BELLO, ""]
    assert [look("staff:9"), look("staff:x"), look("staff:"), look("cli:1")] == [""] * 4
