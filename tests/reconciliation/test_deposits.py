"""The nightly run over deposits as callbacks, answers and operators have left them."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import partial

import pytest
from sqlalchemy import Connection

from gateway.deposits.book import Booking
from gateway.deposits.store import Deposit
from gateway.errors import BadInput
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


def test_a_callback_that_is_in_no_books_is_told_once(ke: Till, clock: SteppedClock) -> None:
    order = ke.order("1500", "mpesa", KAMAU)
    ke.c2b(RECEIPT, "1500", BillRefNumber=order.reference)
    ke.c2b(RECEIPT, "9900", BillRefNumber=order.reference)
    ke.c2b("TK2", "1,500")
    ke.stk("ws_nobody", 0, MpesaReceiptNumber="TK3")
    assert ke.became() == ["credited", "conflict", "malformed", "unmatched"]
    clock.advance(minutes=1)
    told = [one for one in night(ke) if one.kind == "callback"]
    assert [(one.txn_id, one.reference) for one in told] == [
        (RECEIPT, order.reference),
        ("", ""),
        ("TK3", "ws_nobody"),
    ]
    assert told[0].note == ("callback 2, conflict: its transaction came again over 9900.00 KES")
    clock.advance(minutes=1)
    assert [one.kind for one in night(ke)] == ["no_statement"]
    ke.c2b(RECEIPT, "9900")
    clock.advance(minutes=1)
    assert "callback" not in [one.kind for one in night(ke, "snippe")]
    assert [one.kind for one in night(ke)] == ["callback", "no_statement"]


def test_a_run_of_one_provider_does_not_hide_what_the_next_whole_run_tells(ke: Till) -> None:
    ke.c2b("TK2", "1,500")
    kinds = [[one.kind for one in night(ke, of)] for of in ("mpesa", "mpesa", "")]
    assert kinds == [["callback", "no_statement"]] * 2 + [["callback"]]


def test_what_was_given_up_is_told_though_it_came_a_week_before(
    ke: Till, clock: SteppedClock
) -> None:
    with ke.unable_to_settle():
        ke.c2b(RECEIPT, "1500")
    clock.advance(minutes=1)
    assert [one.kind for one in night(ke)] == ["callback"]
    clock.advance(hours=24 * 6)
    assert night(ke) == []
    clock.advance(hours=25)
    with ke.unable_to_settle():
        ke.gateway.chores()["callbacks_settled"]()
    (told,) = night(ke)
    assert told.note.startswith("callback 1, given_up: ")


@pytest.mark.parametrize("is_ordered", [False, True])
def test_money_that_only_a_statement_has_is_booked_into_suspense_by_two(
    ke: Till, is_ordered: bool
) -> None:
    order = ke.order("1500", "mpesa", KAMAU)
    if is_ordered:
        ke.c2b(RECEIPT, "1500", BillRefNumber=order.reference)
    ke.stated("mpesa", "TK2", "1500", reference=order.reference if is_ordered else "x")
    booking, approvals = ke.gateway.deposits.booking, ke.gateway.approvals
    now, about = ke.clock.now(), ("mpesa", "TK2")
    details = ke.run(lambda c: booking.request(c, *about))
    asked = ("deposit.book", "TK2", details, "cli:one", "on the statement", now)
    number = ke.run(lambda c: approvals.ask(c, *asked))
    assert ke.suspense("mpesa") == 0
    ke.run(lambda c: approvals.approve(c, number, "cli:two", now))
    assert str(ke.suspense("mpesa")) == "1500.00"
    with pytest.raises(BadInput, match="is booked as"):
        ke.run(lambda c: booking.request(c, *about))
    ke.c2b("TK2", "1500")
    assert ke.became()[-1] == "duplicate"
    assert ke.breaches() == []


def test_nothing_is_booked_but_what_a_statement_has(ke: Till) -> None:
    booking, order = ke.gateway.deposits.booking, ke.order("1500", "mpesa", KAMAU)
    ke.stated("mpesa", "OUT1", "1500", direction="out")
    ke.stated("mpesa", "TK2", "1500", by="cli:one")
    ke.stated("mpesa", "TK2", "1600", by="cli:two")
    ke.stated("mpesa", "TK3", "1500", reference=order.reference)
    refused = {"OUT1": "no statement", "TK2": "different amounts", "TK3": "confirm that"}
    for txn_id, words in {**refused, "MADE-UP": "no statement"}.items():
        about = ("mpesa", txn_id)
        with pytest.raises(BadInput, match=words):
            ke.run(partial(request, booking, about))
    assert ke.movements() == 0


def request(booking: Booking, about: tuple[str, str], connection: Connection) -> object:
    """Ask to book it."""
    return booking.request(connection, *about)
