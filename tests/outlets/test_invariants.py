"""The outlets' invariants: each finds the row that was tampered with."""

from typing import Any

import pytest
from sqlalchemy import Table, update

from gateway.ledger.store import accounts
from gateway.outlets.invariants.check import INVARIANTS
from gateway.outlets.payments.store import payments
from gateway.outlets.shifts.store import shifts
from gateway.outlets.store import outlets, tills
from tests.outlets.staging import Shop, naira
from tests.tokens.staging import change


def tamper(shop: Shop, table: Table, which: Any, **values: Any) -> None:
    """Change rows behind the product's back."""
    shop.wired.run(lambda c: c.execute(update(table).where(which).values(**values)).rowcount)


def broken(shop: Shop) -> set[str]:
    """The outlets' invariants that are broken."""
    names = {one.name for one in INVARIANTS}
    return {breach.invariant for breach in shop.wired.breaches()} & names


@pytest.fixture
def busy(shop: Shop) -> Shop:
    """An outlet with a payment, a voided one and a closed shift."""
    shop.shift()
    shop.pay("60.00")
    shop.void(shop.pay("40.00").reference)
    shop.accept(shop.count("439.00"))
    shop.shift()
    shop.pay("5.00")
    assert broken(shop) == set()
    return shop


def test_a_total_that_no_payment_explains_is_found(busy: Shop) -> None:
    tamper(busy, shifts, shifts.c.state == "open", paid=naira("6.00"))
    assert broken(busy) == {
        "shift_totals_are_its_payments",
        "tills_were_credited_by_their_shifts",
    }


def test_money_that_stays_in_a_closed_till_is_found(busy: Shop) -> None:
    tamper(busy, accounts, accounts.c.owner == "LAG-1/2", balance=naira("1.00"))
    assert broken(busy) == {"closed_tills_owe_nothing"}


def test_a_token_that_went_elsewhere_is_found(busy: Shop) -> None:
    paid = busy.pay("7.00")
    change(busy.wired, paid.serial, redeemed_by="LAG-1/2")
    assert broken(busy) == {"payments_redeemed_their_tokens"}


def test_a_second_payment_of_a_token_is_found(busy: Shop) -> None:
    first, second = busy.pay("7.00"), busy.pay("7.00")
    tamper(busy, payments, payments.c.id == second.id, token_id=first.token_id)
    assert broken(busy) == {"payments_redeemed_their_tokens"}


def test_a_fresh_token_of_another_value_is_found(busy: Shop) -> None:
    tamper(busy, payments, payments.c.state == "voided", fresh_serial="BBBBBBBB")
    assert broken(busy) == {"voided_payments_were_renewed"}


@pytest.mark.parametrize("change", [{"variance": naira("0.00")}, {"accepted_by": None}])
def test_a_variance_that_nobody_accepted_is_found(busy: Shop, change: dict[str, Any]) -> None:
    tamper(busy, shifts, shifts.c.state == "closed", **change)
    assert broken(busy) == {"variances_are_accepted"}


@pytest.mark.parametrize("table", [tills, accounts])
def test_a_till_that_is_half_closed_is_found(busy: Shop, table: Table) -> None:
    which = busy.till(2)
    number = which.id if table is tills else which.account_id
    tamper(busy, table, table.c.id == number, status="closed")
    assert broken(busy) == {"ended_tills_are_empty"}


def test_an_outlet_that_is_closed_over_its_tills_is_found(busy: Shop) -> None:
    tamper(busy, outlets, outlets.c.code == "LAG-1", status="closed")
    assert broken(busy) == {"ended_outlets_are_empty"}
