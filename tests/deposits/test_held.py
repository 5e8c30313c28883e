"""Whoever topped up is told when the money lies in suspense, in their language, and only once."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from sqlalchemy import Connection, select

from gateway.deposits.store import Deposit
from gateway.ledger import wallets
from gateway.outbox import store as outbox
from gateway.settings.limits import Money
from tests.deposits.staging import JUMA, Till, snippe_body, till
from tests.support.clock import SteppedClock


@pytest.fixture
def small(database_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway whose wallets hold up to 20000.00."""
    basic = {"basic": {"balance": Decimal("20000.00")}}
    with till(database_url, clock, money=Money(tiers=basic)) as made:
        yield made


def told(tz: Till) -> list[tuple[str, str]]:
    """Whom an SMS about a deposit goes to, and what it says."""
    query, renderers = select(outbox.outbox.c.id), tz.gateway.renderers()

    def work(connection: Connection) -> list[tuple[str, str]]:
        rows = connection.execute(query.order_by(outbox.outbox.c.id)).scalars().all()
        messages = [outbox.by_id(connection, row) for row in rows]
        return [
            (one.recipient, renderers[one.template](connection, one).body)
            for one in messages
            if one.template in renderers
        ]

    return tz.run(work)


def held(order: Deposit, amount: str) -> str:
    """The text."""
    return (
        f"We received TZS {amount} from you and hold it safely until we have looked at it."
        f" Ref {order.reference}."
    )


def test_a_full_wallet_tells_its_owner_that_the_money_is_held(small: Till) -> None:
    first, second = small.order(), small.order()
    small.snippe(snippe_body(first.reference, txn_id="TX1"))
    for _ in range(2):
        small.snippe(snippe_body(second.reference, txn_id="TX2"))
    assert small.became() == ["credited", "suspense", "duplicate"]
    assert told(small)[1:] == [(JUMA, held(second, "15000.00"))]


def test_another_amount_is_told_to_whoever_ordered_in_french_too(tz: Till) -> None:
    tz.dial(JUMA, "5*1*2")
    order = tz.order()
    tz.snippe(snippe_body(order.reference, 14000, "TX1"))
    payment = tz.all()[-1]
    text = (
        "Nous avons recu TZS 14000.00 de votre part et gardons la somme le temps d'une"
        f" v\xe9rification. R\xe9f {payment.reference}."
    )
    assert told(tz) == [(JUMA, text)]


def test_a_second_payment_of_an_order_is_told(tz: Till) -> None:
    order = tz.order()
    for txn_id in ("TX1", "TX2"):
        tz.snippe(snippe_body(order.reference, txn_id=txn_id))
    assert told(tz)[1:] == [(JUMA, held(tz.all()[-1], "15000.00"))]


def test_a_payment_of_nobody_we_know_tells_nobody(tz: Till) -> None:
    tz.snippe(snippe_body("ORD-1001"))
    order = tz.order()
    moved = (tz.wallet(), "+255680000009", lambda *_: False, lambda *_: ())
    tz.run(lambda c: wallets.move(c, *moved))
    tz.snippe(snippe_body(order.reference, txn_id="TX2"))
    assert tz.became() == ["suspense", "suspense"]
    assert told(tz) == []
