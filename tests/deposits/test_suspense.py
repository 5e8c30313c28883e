"""Money in suspense, and what two operators do with it."""

import pytest

from gateway.errors import BadInput
from gateway.ledger import wallets
from gateway.ledger.limits import InsufficientFunds
from tests.deposits.staging import JUMA, NEEMA, Till, snippe_body
from tests.support.races import race

ONE, TWO = "cli:one", "cli:two"


def asked(tz: Till, kind: str, subject: str, **details: str) -> int:
    """A request that waits for a second operator."""
    approvals, now = tz.gateway.approvals, tz.clock.now()
    return tz.run(lambda c: approvals.ask(c, kind, subject, details, ONE, "seen", now))


def approved(tz: Till, number: int) -> str | None:
    """What came of it."""
    approvals, now = tz.gateway.approvals, tz.clock.now()
    return tz.run(lambda c: approvals.approve(c, number, TWO, now)).outcome


def suspended(tz: Till) -> str:
    """A payment in suspense; its reference."""
    tz.snippe(snippe_body("ORD-1001"))
    return tz.all()[-1].reference


def test_a_second_operator_releases_what_waits_to_its_owner_once(tz: Till) -> None:
    reference = suspended(tz)
    number = asked(tz, "suspense.release", reference, to=NEEMA)
    with pytest.raises(BadInput, match="yourself"):
        tz.run(lambda c: tz.gateway.approvals.approve(c, number, ONE, tz.clock.now()))
    assert approved(tz, number) == "15000.00 TZS released to +25568*****02"
    assert (str(tz.has(NEEMA)), str(tz.suspense("snippe"))) == ("15000.00", "0.00")
    again = asked(tz, "suspense.release", reference, to=JUMA)
    with pytest.raises(BadInput, match="not in suspense"):
        approved(tz, again)
    assert tz.breaches() == []


def test_an_order_of_a_number_whose_wallet_has_moved_waits_in_suspense(tz: Till) -> None:
    order, after = tz.order(), "+255680000009"
    moved = (tz.wallet(), after, lambda *_: False, lambda *_: ())
    tz.run(lambda c: wallets.move(c, *moved))
    tz.snippe(snippe_body(order.reference))
    assert (str(tz.suspense("snippe")), tz.became()) == ("15000.00", ["suspense"])
    assert (str(tz.has()), str(tz.has(after))) == ("0.00", "0.00")
    approved(tz, asked(tz, "suspense.release", order.reference, to=after))
    assert (str(tz.has(after)), tz.breaches()) == ("15000.00", [])


def test_releases_at_once_give_it_away_once(tz: Till) -> None:
    reference = suspended(tz)
    undoing, now = tz.gateway.deposits.undoing, tz.clock.now()
    race(8, lambda n: tz.run(lambda c: undoing.release(c, reference, (JUMA, NEEMA)[n % 2], now)))
    assert tz.has(JUMA) + tz.has(NEEMA) == 15000
    assert tz.movements("suspense_release") == 1
    assert tz.breaches() == []


def test_a_deposit_is_reversed_by_two_out_of_the_wallet_that_got_it(tz: Till) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference))
    approved(tz, asked(tz, "deposit.reverse", order.reference))
    assert (tz.seen(order).state, str(tz.has())) == ("reversed", "0.00")
    tz.snippe(snippe_body(order.reference))
    assert tz.became() == ["credited", "duplicate"]
    assert (str(tz.has()), tz.breaches()) == ("0.00", [])


def test_what_was_spent_cannot_be_reversed(tz: Till) -> None:
    order = tz.order()
    wallet = tz.wallet()
    number = asked(tz, "deposit.reverse", order.reference)
    with pytest.raises(BadInput, match="pending"):
        approved(tz, number)
    tz.snippe(snippe_body(order.reference))
    spend = f"UPDATE accounts SET balance = 0 WHERE id = {wallet.id}"
    tz.run(lambda c: c.exec_driver_sql(spend))
    with pytest.raises(InsufficientFunds):
        approved(tz, number)
    assert tz.seen(order).state == "completed"
