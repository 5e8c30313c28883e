"""Two operators are two people: founders are two, a PIN is its owner's, nobody approves for two."""

import secrets
import threading
from contextlib import suppress

import pytest
from sqlalchemy import Connection, text, update

from gateway.audit import store as trail_store
from gateway.errors import BadInput
from gateway.people.staff import entrance, roster, store
from gateway.people.staff.entrance import TRIES_MAX
from gateway.people.staff.roster import Placed
from gateway.people.staff.store import Role
from tests.people.test_staff import PHONES, PIN, WRONG, Office
from tests.support.races import race
from tests.support.wired import Wired

NEW = "8052"
FIRST, SECOND, THIRD, FOURTH = (f"staff:{n + 1}:Person {n}" for n in range(4))


@pytest.fixture
def office(wired: Wired) -> Office:
    """Two founders, and a third operator whom the first has taken on."""
    made = Office(wired)
    for n in (0, 1):
        made.hire(n, actor="cli:ops" if n == 0 else FIRST)
    made.approve(made.hire(2, actor=FIRST).approval, SECOND)
    return made


def refusal(office: Office, asker: str, approver: str) -> str:
    """Why an approval is refused; it is never about anybody real, so something always is."""
    subject, details = secrets.token_hex(4), {"name": "x", "role": "operator"}
    given = (roster.HIRE, subject, details, asker, "needed", office.now())
    number = office.wired.run(lambda c: office.wired.gateway.approvals.ask(c, *given))
    try:
        office.approve(number, approver)
    except BadInput as error:
        return str(error)
    raise AssertionError("nobody was to be placed")


def change(office: Office, n: int, old: str = PIN, new: str = NEW) -> store.Member:
    """`staff pin`."""
    return office.wired.gateway.roster.change_pin(PHONES[n], old, new)


NOBODY = "it is somebody else by now"  # the executor's word: the two were far enough apart


def test_who_asked_cannot_approve_as_somebody_whose_pin_they_have_set(office: Office) -> None:
    assert "has set your PIN: change it first, with gateway staff pin" in refusal(
        office, FIRST, THIRD
    )
    assert NOBODY in refusal(office, SECOND, THIRD)
    change(office, 2)
    assert NOBODY in refusal(office, FIRST, THIRD)


def test_who_asked_as_somebody_whose_pin_they_have_set_cannot_approve_as_themselves(
    office: Office,
) -> None:
    assert "you have set the PIN" in refusal(office, THIRD, FIRST)
    assert NOBODY in refusal(office, THIRD, SECOND)
    change(office, 2)
    assert NOBODY in refusal(office, THIRD, FIRST)


def test_one_who_has_set_two_pins_does_not_approve_for_one_as_the_other(office: Office) -> None:
    office.approve(office.hire(3, actor=FIRST).approval, SECOND)
    assert "one person has set your PIN" in refusal(office, THIRD, FOURTH)
    change(office, 3)
    assert NOBODY in refusal(office, THIRD, FOURTH)


def test_founders_work_at_once_whoever_typed_their_pins(office: Office) -> None:
    assert NOBODY in refusal(office, FIRST, SECOND)
    assert NOBODY in refusal(office, SECOND, FIRST)


def test_who_has_not_made_their_pin_their_own_takes_on_nobody(office: Office) -> None:
    with pytest.raises(BadInput, match="change it first"):
        office.hire(4, actor=THIRD)
    change(office, 2)
    assert office.hire(4, actor=THIRD).approval is not None


def test_a_pin_that_was_set_before_that_was_kept_is_its_owners(office: Office) -> None:
    forgotten = update(store.staff).values(pin_set_by=None, founder=None)
    office.wired.run(lambda c: c.execute(forgotten).rowcount)
    assert NOBODY in refusal(office, FIRST, THIRD)


def test_a_changed_pin_is_the_one_that_counts_and_is_in_the_trail(office: Office) -> None:
    assert change(office, 2).name == "Person 2"
    assert (office.proves(2), office.proves(2, NEW)) == (entrance.WRONG, "Person 2")
    member = office.wired.run(lambda c: store.by_msisdn(c, PHONES[2]))
    assert member is not None
    assert member.pin_set_by == THIRD
    last = office.wired.run(lambda c: trail_store.about(c, PHONES[2]))[-1]
    assert (last.actor, last.action) == (THIRD, "staff.pin")


def test_a_cashier_changes_theirs_too_and_is_no_operator_by_it(office: Office) -> None:
    office.hire(5, Role.CASHIER, actor=FIRST)
    change(office, 5)
    assert office.proves(5, NEW) == entrance.WRONG
    change(office, 5, NEW, "6138")


def test_wrong_old_pins_are_counted_as_ever(office: Office) -> None:
    for _ in range(TRIES_MAX):
        with pytest.raises(BadInput, match="no operator's"):
            change(office, 2, WRONG)
    with pytest.raises(BadInput, match="too many wrong PINs"):
        change(office, 2)
    assert "too many" in office.proves(2)


@pytest.mark.parametrize(
    ("new", "said"),
    [(PIN, "as it was"), ("49", "4 to 6 digits"), ("1234", "too easy"), ("", "4 to 6 digits")],
)
def test_a_new_pin_that_is_none_is_refused_and_the_old_one_stays(
    office: Office, new: str, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        change(office, 2, PIN, new)
    assert office.proves(2) == "Person 2"


def test_of_changes_at_once_one_is_made(office: Office) -> None:
    pins = ["8052", "6138", "9275", "3581"]
    outcomes = race(4, lambda n: change(office, 2, PIN, pins[n]))
    made = [pin for pin, done in zip(pins, outcomes, strict=True) if isinstance(done, store.Member)]
    # Only that one is tried: a racer who came late has used up a try already.
    assert [office.proves(2, pin) for pin in made] == ["Person 2"]


# --- founders at once -------------------------------------------------------------------------


def hired_at_once(office: Office, monkeypatch: pytest.MonkeyPatch, racers: int = 4) -> list[str]:
    """How as many stand as are hired by transactions that have all counted before one writes."""
    office.hashes[PIN] = office.wired.gateway.roster.hashed(PIN, PHONES[9])
    counted, count = threading.Barrier(racers), store.operators

    def counting(connection: Connection) -> int:
        found = count(connection)
        with suppress(threading.BrokenBarrierError):
            counted.wait(2)  # SQLite lets one after the other begin: nobody meets there
        return found

    monkeypatch.setattr(store, "operators", counting)
    outcomes = race(racers, office.hire)
    monkeypatch.undo()
    return sorted(
        outcome.member.status if isinstance(outcome, Placed) else repr(outcome)
        for outcome in outcomes
    )


@pytest.mark.parametrize("before", [0, 1])
def test_of_operators_hired_at_once_two_are_founders(
    wired: Wired, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    made = Office(wired)
    if before:
        made.hire(9)
    active = 2 - before
    assert hired_at_once(made, monkeypatch) == ["active"] * active + ["waiting"] * (4 - active)
    assert wired.run(store.operators) == 2


def test_without_their_unique_numbers_all_of_them_would_be(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_sqlite = wired.gateway.database.is_sqlite
    table = "" if is_sqlite else " ON staff"
    wired.run(lambda c: c.execute(text(f"DROP INDEX uq_staff_founder{table}")).rowcount)
    found = hired_at_once(Office(wired), monkeypatch)
    assert found.count("active") == (2 if is_sqlite else 4)
