"""Callbacks that come before we know the order's name at its provider: kept, then matched."""

import json
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from gateway.deposits import references, store
from gateway.deposits.store import Deposit
from gateway.outbox import store as outbox
from gateway.outbox.store import Message
from gateway.providers.base.messages import Pushed
from tests.deposits.staging import Till
from tests.support.races import race
from tests.support.wired import SECRET

KAMAU, RECEIPT = "+254700000001", "TK00000001"
CHECKOUT = "ws_CO_010120261200000001"


def recorded(tz: Till, order: Deposit, pushed: Pushed) -> None:
    """What the worker does when the push has returned."""
    task, now = tz.gateway.deposits.tasks()["deposit.push"], tz.clock.now()
    message = tz.run(lambda c: _message(c, order))
    tz.run(lambda c: task.done(c, message, pushed, now))


def _message(connection: Connection, order: Deposit) -> Message:
    (message,) = [m for m in outbox.about(connection, order.reference) if m.line == "push"]
    return message


def tigo(tz: Till, reference: str, amount: str = "15000", txn_id: str = "TG1") -> int:
    """A push callback of Tigo Pesa."""
    said = {
        "Status": True,
        "Description": "Payment successful",
        "MFSTransactionID": txn_id,
        "ReferenceID": reference,
        "Amount": amount,
    }
    return tz.post(f"tigopesa/{SECRET}/push", json.dumps(said).encode()).status_code


def tigo_order(tz: Till) -> Deposit:
    """An order that Tigo Pesa is asked for."""
    now, reference = tz.clock.now(), references.new()
    tz.wallet("+255650000001")
    values: dict[str, Any] = {
        "reference": reference,
        "origin": store.ORDER,
        "provider": "tigopesa",
        "msisdn": "+255650000001",
        "amount": Decimal("15000.00"),
        "fee": Decimal("0.00"),
        "currency": "TZS",
        "state": "pending",
        "created_at": now,
        "changed_at": now,
    }
    row = tz.run(lambda c: store.add(c, **values))
    return tz.run(lambda c: store.locked(c, row))


def test_a_callback_by_an_id_we_have_not_recorded_waits_for_the_record(ke: Till) -> None:
    order = ke.order("1500", "mpesa", KAMAU)
    assert ke.stk(CHECKOUT, Amount=1500, MpesaReceiptNumber=RECEIPT).status_code == 200
    assert ke.became() == ["unmatched"]
    recorded(ke, order, Pushed(provider_ref=CHECKOUT))
    assert ke.became() == ["asked"]
    assert (ke.seen(order).state, ke.seen(order).hinted_txn_id) == ("pending", RECEIPT)


def test_a_callback_racing_with_the_record_of_its_push_is_never_lost(ke: Till) -> None:
    order = ke.order("1500", "mpesa", KAMAU)

    def both(number: int) -> None:
        if number:
            ke.stk(CHECKOUT, Amount=1500, MpesaReceiptNumber=RECEIPT)
        else:
            recorded(ke, order, Pushed(provider_ref=CHECKOUT))

    race(2, both)
    assert ke.became() in (["asked"], ["unmatched"])
    # Whichever of the two did not see the other: the question that follows looks again.
    task = ke.gateway.deposits.tasks()["deposit.ask"]
    message = ke.run(lambda c: _asked(c, order))
    assert ke.run(lambda c: task.begin(c, message, ke.clock.now())) is not None
    assert (ke.became(), ke.seen(order).hinted_txn_id) == (["asked"], RECEIPT)


def _asked(connection: Connection, order: Deposit) -> Message:
    return next(m for m in outbox.about(connection, order.reference) if m.line == "query")


def test_a_billers_prefix_stands_before_our_reference(tz: Till) -> None:
    order = tigo_order(tz)
    order = tz.learn(order, known_as=f"900001{order.reference}")
    assert tigo(tz, f"900001{order.reference}") == 200
    assert (tz.seen(order).state, tz.became()) == ("completed", ["credited"])
    assert tz.breaches() == []


def test_another_billers_prefix_is_another_order(tz: Till) -> None:
    order = tigo_order(tz)
    order = tz.learn(order, known_as=f"900001{order.reference}")
    tigo(tz, f"900002{order.reference}")
    assert (tz.seen(order).state, tz.became()) == ("pending", ["suspense"])


def test_a_push_whose_answer_was_lost_is_still_found_by_its_callback(tz: Till) -> None:
    order = tigo_order(tz)
    assert tigo(tz, f"900001{order.reference}") == 200
    assert (tz.seen(order).state, str(tz.has("+255650000001"))) == ("completed", "15000.00")
    assert tz.breaches() == []


@pytest.mark.parametrize("status", ["false", False])
def test_a_failure_that_reads_like_a_truth_fails_the_order(tz: Till, status: object) -> None:
    order = tigo_order(tz)
    said = {"Status": status, "Description": "no", "ReferenceID": f"900001{order.reference}"}
    body = json.dumps(said).encode()
    assert tz.post(f"tigopesa/{SECRET}/push", body).status_code == 200
    assert (tz.seen(order).state, tz.movements()) == ("failed", 0)
