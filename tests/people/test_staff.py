"""Staff: who is taken on alone and who with an approval, and how a PIN proves who acts."""

from dataclasses import dataclass, field
from datetime import datetime

import pytest
from sqlalchemy import Connection

from gateway.audit import store as trail_store
from gateway.audit.decisions.store import Approval
from gateway.errors import BadInput
from gateway.people.staff import entrance, store
from gateway.people.staff.entrance import LOCKED_FOR, TRIES_MAX
from gateway.people.staff.roster import Hire, Placed
from gateway.people.staff.store import Role
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import Wired

PHONES = [f"+23480300001{n:02}" for n in range(20)]
PIN, WRONG = "4907", "4908"
BY = "cli:ops"


@dataclass
class Office:
    """Where staff is taken on."""

    wired: Wired
    hashes: dict[str, str] = field(default_factory=dict)

    def now(self) -> datetime:
        """The clock's time."""
        return self.wired.clock.now()

    def hire(
        self, n: int, role: Role = Role.OPERATOR, name: str = "", actor: str = BY, pin: str = PIN
    ) -> Placed:
        """Take somebody on, with the n-th phone."""
        hashed = self.hashes.get(pin) or self.wired.gateway.roster.hashed(pin, PHONES[n])
        self.hashes[pin] = hashed
        wanted = Hire(name or f"Person {n}", PHONES[n], role, hashed, "Shop 1")
        return self.wired.run(
            lambda c: self.wired.gateway.roster.hire(c, wanted, actor, "needed", self.now())
        )

    def break_glass(self, n: int, role: Role = Role.OPERATOR, reason: str = "he left") -> Placed:
        """Take somebody on though nobody can approve it."""
        gateway = self.wired.gateway
        wanted = Hire(f"Person {n}", PHONES[n], role, gateway.roster.hashed(PIN, PHONES[n]), None)
        return self.wired.run(
            lambda c: gateway.roster.break_glass(c, wanted, BY, reason, self.now())
        )

    def disable(self, n: int) -> Placed:
        """Disable, as anybody."""
        of = self.wired.gateway.roster
        return self.wired.run(lambda c: of.disable(c, PHONES[n], BY, "he left", self.now()))

    def enable(self, n: int) -> Placed:
        """Enable, as anybody."""
        of = self.wired.gateway.roster
        return self.wired.run(lambda c: of.enable(c, PHONES[n], BY, "he left", self.now()))

    def approve(self, number: int | None, actor: str = "staff:1:Person 0") -> Approval:
        """Approve."""
        assert number is not None
        of = self.wired.gateway.approvals
        return self.wired.run(lambda c: of.approve(c, number, actor, self.now()))

    def status(self, n: int) -> str | None:
        """How somebody stands."""
        member = self.wired.run(lambda c: store.by_msisdn(c, PHONES[n]))
        return member.status if member else None

    def proves(self, n: int, pin: str = PIN) -> str:
        """Who is proved by a PIN, or why nobody is."""
        try:
            return self.wired.gateway.roster.proved(PHONES[n], pin).name
        except BadInput as error:
            return str(error)


@pytest.fixture
def office(wired: Wired) -> Office:
    """An office without anybody."""
    return Office(wired)


def test_the_first_two_operators_are_taken_on_freely_and_the_third_is_not(office: Office) -> None:
    assert [office.hire(n).approval for n in (0, 1)] == [None, None]
    third = office.hire(2, Role.ADMIN)
    assert (third.approval, office.status(2)) == (1, "waiting")
    assert office.proves(2) == entrance.WRONG
    office.approve(third.approval)
    assert (office.status(2), office.proves(2)) == ("active", "Person 2")


def test_cashiers_and_managers_need_no_approval(office: Office) -> None:
    for n in (0, 1):
        office.hire(n)
    assert office.hire(3, Role.CASHIER).approval is None
    assert office.hire(4, Role.MANAGER).approval is None
    assert office.proves(3) == entrance.WRONG  # right, but no operator


def test_an_operator_who_is_gone_does_not_let_the_other_make_an_accomplice(
    office: Office,
) -> None:
    for n in (0, 1):
        office.hire(n)
    office.disable(1)
    assert office.hire(2).approval is not None
    assert office.enable(1).approval is not None
    assert (office.status(1), office.status(2)) == ("disabled", "waiting")


def test_disabling_is_at_once_and_enabling_an_operator_needs_an_approval(office: Office) -> None:
    for n in (0, 1):
        office.hire(n)
    office.hire(2, Role.CASHIER)
    assert office.disable(0).member.status == "disabled"
    assert office.proves(0) == entrance.WRONG
    office.disable(2)
    assert office.enable(2).member.status == "active"
    waits = office.enable(0)
    office.approve(waits.approval, "staff:2:Person 1")
    assert office.proves(0) == "Person 0"
    with pytest.raises(BadInput, match="is active"):
        office.enable(0)
    with pytest.raises(BadInput, match="nobody's"):
        office.enable(9)
    office.disable(1)
    with pytest.raises(BadInput, match="is disabled"):
        office.disable(1)


def test_a_phone_is_one_persons(office: Office) -> None:
    office.hire(0, Role.CASHIER)
    with pytest.raises(BadInput, match="this phone is Person 0's, who is active"):
        office.hire(0, Role.MANAGER, "Else")
    outcomes = race(4, lambda n: office.hire(5, Role.CASHIER, f"Racer {n}"))
    assert sum(isinstance(outcome, Placed) for outcome in outcomes) == 1


def test_what_was_refused_may_be_proposed_anew_but_not_exchanged_while_it_waits(
    office: Office,
) -> None:
    for n in (0, 1):
        office.hire(n)
    first = office.hire(2, name="Chidi").approval
    with pytest.raises(BadInput, match="waits for this already"):
        office.hire(2, name="Mallory")
    assert first is not None
    refuse = office.wired.gateway.approvals.refuse
    office.wired.run(lambda c: refuse(c, first, "staff:1:Person 0", "no", office.now()))
    second = office.hire(2, name="Dada").approval
    assert office.approve(second).outcome == "Dada is an active operator"


def test_an_approval_is_of_just_that_person(office: Office) -> None:
    for n in (0, 1):
        office.hire(n)
    number = office.hire(2, name="Chidi").approval

    def exchanged(connection: Connection) -> None:
        member = store.by_msisdn(connection, PHONES[2])
        assert member is not None
        assert store.propose_anew(
            connection, member.id, "Mallory", Role.ADMIN, "x", store.Status.WAITING, None, BY
        )

    office.wired.run(exchanged)
    with pytest.raises(BadInput, match="it is somebody else by now"):
        office.approve(number)
    assert office.status(2) == "waiting"


def test_wrong_pins_lock_an_operator_out_for_an_hour(office: Office, clock: SteppedClock) -> None:
    office.hire(0)
    assert [office.proves(0, WRONG) for _ in range(TRIES_MAX)] == [entrance.WRONG] * TRIES_MAX
    assert office.proves(0) == "too many wrong PINs: locked until 2026-03-02T10:00:00Z"
    clock.advance(seconds=LOCKED_FOR.total_seconds())
    assert office.proves(0, WRONG) == entrance.WRONG
    assert office.proves(0).startswith("too many")  # each further wrong one locks again
    clock.advance(seconds=LOCKED_FOR.total_seconds())
    assert office.proves(0) == "Person 0"
    assert [office.proves(0, WRONG) for _ in range(TRIES_MAX - 1)][-1] == entrance.WRONG
    assert office.proves(0) == "Person 0"


def test_many_guesses_at_once_get_no_more_tries_than_one_after_another(office: Office) -> None:
    office.hire(0)
    outcomes = race(12, lambda n: office.proves(0, f"49{n + 10}"))
    assert outcomes.count(entrance.WRONG) == TRIES_MAX
    assert sum("too many" in str(outcome) for outcome in outcomes) == 12 - TRIES_MAX


def test_what_cannot_be_a_pin_is_no_try_and_an_unknown_phone_is_no_different(
    office: Office,
) -> None:
    office.hire(0)
    for entry in ("", "49", "abcd", "4907000"):
        assert office.proves(0, entry) == "a PIN has 4 to 6 digits"
    assert office.proves(9) == entrance.WRONG
    assert office.proves(0) == "Person 0"


@pytest.mark.parametrize(
    ("pin", "said"),
    [("49", "4 to 6 digits"), ("7777", "too easy"), ("1234", "too easy"), ("0001", "too easy")],
)
def test_a_weak_pin_is_refused_when_somebody_is_taken_on(
    office: Office, pin: str, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        office.wired.gateway.roster.hashed(pin, "+2348030000001")


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "Ada\x07"])
def test_a_name_that_cannot_be_shown_is_refused(office: Office, name: str) -> None:
    hire = Hire(name, PHONES[0], Role.CASHIER, "hash")
    with pytest.raises(BadInput, match="1 to 40 characters"):
        office.wired.run(lambda c: office.wired.gateway.roster.hire(c, hire, BY, "", office.now()))


def test_everything_is_in_the_trail_and_no_pin_is_anywhere(office: Office) -> None:
    placed = office.hire(0)
    office.disable(0)
    lines = office.wired.run(lambda c: trail_store.about(c, PHONES[0]))
    assert [(line.actor, line.action) for line in lines] == [
        (BY, "staff.create"),
        (BY, "staff.disable"),
    ]
    assert PIN not in placed.member.pin_hash
    assert "argon2" not in repr(placed)
    assert placed.member.locked_until is None
