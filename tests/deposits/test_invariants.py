"""What `books check` says of deposits: nothing of healthy books, and each kind of fault by name."""

import pytest

from tests.deposits.staging import Till, snippe_body

# A fault planted by hand, and the invariant that finds it.
FAULTS: dict[str, tuple[str, str]] = {
    "completed without being booked": (
        "UPDATE deposits SET state = 'completed' WHERE state = 'pending'",
        "deposits_booked_once",
    ),
    "booked and still pending": (
        "UPDATE deposits SET state = 'pending' WHERE state = 'completed'",
        "deposits_booked_once",
    ),
    "another amount than was booked": (
        "UPDATE deposits SET amount = amount + 1 WHERE state = 'completed'",
        "deposits_booked_once",
    ),
    "a movement without its deposit": (
        "UPDATE deposits SET reference = 'DZZZZZZZZ' WHERE origin = 'payment'",
        "deposit_movements_have_a_deposit",
    ),
    "suspense that is nobody's": (
        "UPDATE deposits SET account_id = (SELECT id FROM accounts WHERE kind = 'wallet')"
        " WHERE origin = 'payment'",
        "suspense_is_open_deposits",
    ),
    "credited elsewhere than it says": (
        "UPDATE deposits SET account_id = (SELECT id FROM accounts WHERE kind = 'suspense')"
        " WHERE origin = 'order'",
        "deposits_credited_where_they_say",
    ),
    "a fee that was not taken": (
        "UPDATE deposits SET fee = 1 WHERE origin = 'order' AND state = 'completed'",
        "deposits_credited_where_they_say",
    ),
}


@pytest.fixture
def booked(tz: Till) -> Till:
    """One order paid, one pending, one payment in suspense."""
    paid = tz.order()
    tz.order()
    tz.snippe(snippe_body(paid.reference, txn_id="TX1"))
    tz.snippe(snippe_body("ORD-1001", txn_id="TX2"))
    return tz


def test_healthy_books_break_none_of_them(booked: Till) -> None:
    assert booked.breaches() == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_by_its_name(booked: Till, fault: str) -> None:
    statement, invariant = FAULTS[fault]
    booked.run(lambda c: c.exec_driver_sql(statement))
    assert invariant in {breach.invariant for breach in booked.breaches()}
