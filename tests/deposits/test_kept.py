"""What could only be stored when it came: settled later under its names, or told and listed."""

import json
from datetime import timedelta

from sqlalchemy import select

from gateway.deposits.callbacks.store import callbacks
from tests.deposits.staging import Till
from tests.support.clock import SteppedClock
from tests.support.log import captured_log

KAMAU, RECEIPT, CHECKOUT = "+254700000001", "TK00000001", "ws_CO_1"
TOKEN = "902100000000000014"


def swept(ke: Till) -> int:
    """How many the sweep settles."""
    return ke.gateway.chores()["callbacks_settled"]()


def names(ke: Till) -> list[tuple[str | None, str | None, str | None]]:
    """What each stored callback calls its payment."""
    c = callbacks.c
    query = select(c.txn_id, c.provider_ref, c.reference).order_by(c.id)
    return ke.run(lambda connection: [tuple(row) for row in connection.execute(query)])


def test_a_payment_that_could_not_be_settled_is_settled_by_the_sweep(ke: Till) -> None:
    order = ke.order("1500", "mpesa", KAMAU)
    with ke.unable_to_settle():
        assert ke.c2b(RECEIPT, "1500", BillRefNumber=order.reference).status_code == 200
    assert (ke.became(), names(ke)) == (["kept"], [(RECEIPT, None, order.reference)])
    assert swept(ke) == 1
    assert (ke.became(), str(ke.has(KAMAU)), swept(ke)) == (["credited"], "1500.00", 0)
    assert ke.breaches() == []


def test_a_hint_that_was_kept_waits_for_its_order_under_its_name(ke: Till) -> None:
    order = ke.order("1500", "mpesa", KAMAU)
    with ke.unable_to_settle():
        ke.stk(CHECKOUT, Amount=1500, MpesaReceiptNumber=RECEIPT)
    swept(ke)
    assert (ke.became(), names(ke)) == (["unmatched"], [(RECEIPT, CHECKOUT, None)])
    order = ke.learn(order, provider_ref=CHECKOUT)
    rematch, now = ke.gateway.deposits.rematcher.order, ke.clock.now()
    assert ke.run(lambda c: rematch(c, order, now)) == 1
    assert (ke.became(), ke.seen(order).hinted_txn_id) == (["asked"], RECEIPT)


def test_what_is_never_settled_is_an_alarm_once_and_stays(ke: Till, clock: SteppedClock) -> None:
    with ke.unable_to_settle():
        ke.c2b(RECEIPT, "1500")
        clock.advance(hours=24 * 7)
        swept(ke)
        assert ke.became() == ["kept"]
        clock.advance(seconds=1)
        with captured_log() as log:
            for _ in range(2):
                swept(ke)
            given_up = [one for one in log.lines() if one["event"] == "callback_given_up"]
    assert [one["level"] for one in given_up] == ["error"]
    clock.advance(hours=timedelta(days=400) / timedelta(hours=1))
    ke.gateway.chores()["callbacks_purged"]()
    assert ke.became() == ["given_up"]


def test_a_token_in_what_was_kept_is_in_no_row_before_or_after_it_is_settled(ke: Till) -> None:
    with ke.unable_to_settle():
        ke.c2b(RECEIPT, "1500", BillRefNumber=f"PAY {TOKEN}#")
    for _ in range(2):
        rows = ke.run(lambda c: [str(row) for row in c.execute(select(callbacks))])
        assert TOKEN not in json.dumps([*rows, *map(str, ke.all())])
        swept(ke)
    assert ke.became() == ["suspense"]
    assert [deposit.known_as for deposit in ke.all()] == [f"PAY {'#' * 18}#"]
