"""The nightly run over deposits as callbacks, answers and operators have left them."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest

from gateway.deposits.store import Deposit
from gateway.providers.base.messages import Outcome, Status
from gateway.reconciliation.run import Plan
from gateway.reconciliation.runs import store
from gateway.reconciliation.runs.store import Finding
from tests.deposits.staging import Till, till
from tests.support.clock import SteppedClock

KAMAU, RECEIPT = "+254700000001", "TK00000001"


@pytest.fixture
def ke(database_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway in Kenya, in shillings."""
    with till(database_url, clock, "KE") as made:
        yield made


def today(ke: Till) -> date:
    """The local day."""
    return ke.clock.now().astimezone(ke.gateway.reconciler.zone).date()


def night(ke: Till, provider: str = "") -> list[Finding]:
    """What a run over today finds."""
    run = ke.gateway.reconciler.run(Plan(today(ke), provider, "cli:ada"), lambda _: None)
    return ke.run(lambda c: store.findings_of(c, run.id, 100))


def answered(ke: Till, order: Deposit, txn_id: str) -> None:
    """Its provider says that it was paid, and by what."""
    answers, now = ke.gateway.deposits.answers, ke.clock.now()
    paid = Status(Outcome.SUCCEEDED, txn_id=txn_id, amount=Decimal("1500.00"))
    ke.run(lambda c: answers.answered(c, order.reference, paid, now))


@pytest.mark.parametrize("is_late", [False, True])
def test_an_order_that_was_joined_with_its_payment_is_found_in_the_statement(
    ke: Till, is_late: bool
) -> None:
    order = ke.order("1500", "mpesa", KAMAU)
    if is_late:
        answered(ke, order, "")
    ke.c2b(RECEIPT, "1500")
    answered(ke, order, RECEIPT)
    payment = ke.all()[1]
    assert (payment.state, payment.txn_id) == ("joined", None)
    order = ke.seen(order)
    assert (order.state, order.txn_id) == ("completed", RECEIPT)
    assert order.occurred_at == payment.occurred_at is not None
    ke.c2b(RECEIPT, "1500")
    assert ke.became() == ["suspense", "duplicate"]
    ke.stated("mpesa", RECEIPT, "1500")
    assert night(ke, "mpesa") == []
    assert ke.breaches() == []
