"""Each invariant of withdrawals finds the fault it is for, and is quiet on healthy books."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, update

from gateway.ledger import store as ledger
from gateway.ledger.store import FEES, HELD, SETTLEMENT, accounts
from gateway.providers.base.messages import Outcome
from gateway.withdrawals.invariants.check import INVARIANTS
from gateway.withdrawals.store import withdrawals
from tests.support.clock import START
from tests.withdrawals.staging import Desk, naira

CENT = naira("0.01")
Fault = Callable[[Connection, dict[str, str]], object]


def lived(desk: Desk) -> dict[str, str]:
    """One withdrawal in every state; their references."""
    desk.fund("300.00")
    made = {
        state: desk.request("60.00", intent=state, fee=naira("1.00"))
        for state in ("held", "paid", "rejected")
    }
    desk.hear(made["paid"], Outcome.SUCCEEDED, txn_id="T")
    desk.hear(made["rejected"], Outcome.FAILED)
    return {state: one.reference for state, one in made.items()}


def change(connection: Connection, reference: str, **values: object) -> None:
    """Change a withdrawal past every rule."""
    row = withdrawals.c.reference == reference
    connection.execute(update(withdrawals).where(row).values(values))


def book(connection: Connection, kind: str, subject: str) -> None:
    """A movement past every rule: a cent from the fees to what is held."""
    made = ledger.add_movement(connection, f"planted:{kind}", kind, subject, START)
    fees, held = (ledger.find(connection, one, "", "NGN") for one in (FEES, HELD))
    assert fees is not None
    assert held is not None
    ledger.add_entries(connection, made, [(fees.id, -CENT), (held.id, CENT)])


def a_cent_more(connection: Connection, made: dict[str, str]) -> None:
    change(connection, made["held"], amount=naira("60.01"))


def a_cent_on_the_account(connection: Connection, _: dict[str, str]) -> None:
    connection.execute(
        update(accounts).where(accounts.c.kind == "wallet").values(held=accounts.c.held + CENT)
    )


def held_again(connection: Connection, made: dict[str, str]) -> None:
    change(connection, made["rejected"], state="held")


def rejected_without_a_movement(connection: Connection, made: dict[str, str]) -> None:
    change(connection, made["held"], state="rejected")


def rejected_though_paid(connection: Connection, made: dict[str, str]) -> None:
    change(connection, made["paid"], state="rejected", paid_through=None, provider_txn_id=None)


def paid_twice(connection: Connection, made: dict[str, str]) -> None:
    book(connection, "payout", made["paid"])


def paid_by_another(connection: Connection, made: dict[str, str]) -> None:
    change(connection, made["paid"], paid_through="bank")


def another_fee(connection: Connection, made: dict[str, str]) -> None:
    change(connection, made["paid"], fee=naira("0.99"), amount=naira("60.01"))


def a_hold_of_nobody(connection: Connection, _: dict[str, str]) -> None:
    book(connection, "hold", "NOBODY")


FAULTS: tuple[tuple[str, Fault], ...] = (
    ("accounts_hold_their_withdrawals", a_cent_more),
    ("accounts_hold_their_withdrawals", a_cent_on_the_account),
    ("accounts_hold_their_withdrawals", held_again),
    ("withdrawal_state_has_its_movement", held_again),
    ("withdrawal_state_has_its_movement", rejected_without_a_movement),
    ("withdrawal_state_has_its_movement", rejected_though_paid),
    ("withdrawal_state_has_its_movement", paid_twice),
    ("withdrawals_are_booked_exactly", a_cent_more),
    ("withdrawals_are_booked_exactly", paid_by_another),
    ("withdrawals_are_booked_exactly", another_fee),
    ("holds_belong_to_withdrawals", a_hold_of_nobody),
)


def test_books_with_withdrawals_in_every_state_are_healthy(desk: Desk) -> None:
    lived(desk)
    assert desk.wired.breaches() == []
    settled = desk.wired.run(lambda c: ledger.find(c, SETTLEMENT, "snippe", "NGN"))
    assert settled is not None


@pytest.mark.parametrize(
    ("invariant", "fault"), FAULTS, ids=lambda part: getattr(part, "__name__", part)
)
def test_a_planted_fault_is_found_by_its_invariant(
    desk: Desk, invariant: str, fault: Fault
) -> None:
    made = lived(desk)
    desk.wired.run(lambda c: fault(c, made))
    assert [breach.row for breach in desk.wired.breaches() if breach.invariant == invariant]


def test_every_invariant_has_a_fault_that_it_finds() -> None:
    names = [invariant.name for invariant in INVARIANTS]
    assert sorted(names) == sorted({name for name, _ in FAULTS})
