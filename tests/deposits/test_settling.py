"""What a callback does to an order, by what it proves and what is known already."""

import json

import pytest

from tests.deposits.staging import JUMA, NEEMA, Till, snippe_body, snippe_headers
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import SECRET


@pytest.mark.parametrize("pause", [{"seconds": 1}, {"minutes": 10}, {"hours": 25}])
def test_the_same_event_again_after_a_while_credits_no_more(
    tz: Till, clock: SteppedClock, pause: dict[str, float]
) -> None:
    body = snippe_body(tz.order().reference)
    first = tz.snippe(body)
    clock.advance(**pause)
    again = tz.snippe(body)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.data == again.data
    assert tz.became() == ["credited", "duplicate"]
    assert str(tz.has()) == "15000.00"
    assert tz.movements() == 1
    assert tz.breaches() == []


def test_the_same_transaction_over_another_amount_is_kept_and_alarmed(tz: Till) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference))
    with captured_log() as log:
        assert tz.snippe(snippe_body(order.reference, 99000)).status_code == 200
        alarms = [line["level"] for line in log.lines() if line["event"] == "deposit_conflict"]
    assert alarms == ["error"]
    assert tz.became() == ["credited", "conflict"]
    assert str(tz.has()) == "15000.00"
    assert tz.breaches() == []


def test_another_amount_than_ordered_waits_in_suspense_and_parks_the_order(tz: Till) -> None:
    order = tz.order("15000")
    with captured_log() as log:
        assert tz.snippe(snippe_body(order.reference, 14000)).status_code == 200
        assert "deposit_conflict" in log.text()
    assert tz.became() == ["conflict"]
    assert (str(tz.has()), str(tz.suspense("snippe"))) == ("0.00", "14000.00")
    parked = tz.seen(order)
    assert (parked.state, parked.parked) == ("pending", "14000.00 TZS came for it")
    assert tz.snippe(snippe_body(order.reference, 14000)).status_code == 200
    assert tz.snippe(snippe_body(order.reference, 15000)).status_code == 200
    assert tz.became() == ["conflict", "duplicate", "conflict"]
    assert (str(tz.has()), str(tz.suspense("snippe"))) == ("0.00", "14000.00")
    assert tz.breaches() == []


def test_the_right_amount_for_a_parked_order_waits_for_an_operator(tz: Till) -> None:
    order = tz.order("15000")
    tz.snippe(snippe_body(order.reference, 14000, "TX1"))
    tz.snippe(snippe_body(order.reference, 15000, "TX2"))
    assert (str(tz.has()), str(tz.suspense("snippe"))) == ("0.00", "29000.00")
    assert tz.breaches() == []


def test_a_second_payment_of_a_paid_order_waits_in_suspense(tz: Till) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference, txn_id="TX1"))
    tz.snippe(snippe_body(order.reference, txn_id="TX2"))
    assert tz.became() == ["credited", "suspense"]
    assert (str(tz.has()), str(tz.suspense("snippe"))) == ("15000.00", "15000.00")
    assert [d.reason for d in tz.all()] == [None, f"the order {order.reference} is paid"]
    assert tz.breaches() == []


def test_ids_of_a_provider_are_compared_exactly(tz: Till) -> None:
    order = tz.order()
    for txn_id in ("Qk7", "qK7", "Qk7 "):
        tz.snippe(snippe_body(order.reference, txn_id=txn_id))
    assert [deposit.txn_id for deposit in tz.all()] == ["Qk7", "qK7", "Qk7 "]
    assert (str(tz.has()), str(tz.suspense("snippe"))) == ("15000.00", "30000.00")
    assert tz.breaches() == []


def test_a_failure_is_no_end_and_a_late_success_is_credited_once(tz: Till) -> None:
    order = tz.order()
    failed = snippe_body(order.reference, event="payment.failed", failure_reason="no PIN")
    tz.snippe(failed)
    assert (tz.seen(order).state, tz.seen(order).reason) == ("failed", "no PIN")
    tz.snippe(failed)
    tz.snippe(snippe_body(order.reference))
    tz.snippe(snippe_body(order.reference))
    assert tz.became() == ["failed", "duplicate", "credited", "duplicate"]
    assert (tz.seen(order).state, str(tz.has())) == ("completed", "15000.00")
    assert tz.breaches() == []


def test_a_failure_after_the_success_takes_nothing_back(tz: Till) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference))
    tz.snippe(snippe_body(order.reference, event="payment.failed"))
    assert tz.became() == ["credited", "ignored_late"]
    assert (tz.seen(order).state, str(tz.has())) == ("completed", "15000.00")
    assert tz.breaches() == []


def test_a_payment_of_nobody_we_know_lies_in_suspense_and_not_away(tz: Till) -> None:
    assert tz.snippe(snippe_body("ORD-1001")).status_code == 200
    assert tz.snippe(snippe_body("ORD-1001")).status_code == 200
    assert tz.became() == ["suspense", "duplicate"]
    assert str(tz.suspense("snippe")) == "15000.00"
    assert tz.breaches() == []


@pytest.mark.parametrize("status", ["frozen", "closed"])
def test_a_wallet_that_is_stopped_gets_nothing_and_loses_nothing(tz: Till, status: str) -> None:
    order = tz.order()
    wallet = tz.wallet()
    change = f"UPDATE accounts SET status = '{status}' WHERE id = {wallet.id}"
    tz.run(lambda c: c.exec_driver_sql(change))
    assert tz.snippe(snippe_body(order.reference)).status_code == 200
    assert tz.became() == ["suspense"]
    assert (str(tz.has()), str(tz.suspense("snippe"))) == ("0.00", "15000.00")
    assert tz.seen(order).reason == f"the account is {status}"
    assert tz.breaches() == []


def test_a_signed_event_that_is_too_old_is_asked_about_before_it_counts(
    tz: Till, clock: SteppedClock
) -> None:
    body = snippe_body(tz.order().reference)
    stamp = str(int(clock.now().timestamp()))
    clock.advance(seconds=400)
    assert tz.post("snippe", body, snippe_headers(body, stamp)).status_code == 200
    assert tz.became() == ["asked"]
    assert str(tz.has()) == "0.00"


@pytest.mark.parametrize("word", ["TIP", "TI", "TA", "ts", "XX", "TF"])
def test_no_word_but_the_documented_success_moves_money(tz: Till, word: str) -> None:
    order = tz.order(provider="airtelmoney")
    assert tz.airtel(order.reference, word).status_code == 200
    assert (tz.became(), tz.seen(order).state) == (["asked"], "pending")
    assert tz.movements() == 0


def test_a_hint_of_success_only_makes_us_ask_and_once(tz: Till) -> None:
    order = tz.order(provider="airtelmoney")
    for _ in range(3):
        assert tz.airtel(order.reference).status_code == 200
    assert tz.became() == ["asked"] * 3
    assert (tz.seen(order).state, tz.seen(order).hinted_txn_id) == ("pending", "MP1")
    query = "SELECT COUNT(*) FROM outbox WHERE line = 'query'"
    assert tz.run(lambda c: c.exec_driver_sql(query).scalar_one()) == 1
    assert tz.movements() == 0


def test_a_hint_about_no_order_of_ours_is_kept(tz: Till) -> None:
    assert tz.airtel("ORD-1001").status_code == 200
    assert tz.became() == ["unmatched"]


def test_a_bill_paid_with_the_reference_of_another_providers_order_waits(tz: Till) -> None:
    order = tz.order()
    tz.wallet(NEEMA)
    body = (
        "<COMMAND><TYPE>SYNC_BILLPAY_REQUEST</TYPE><TXNID>TG1</TXNID><MSISDN>680000002</MSISDN>"
        f"<AMOUNT>15000</AMOUNT><COMPANYNAME>900001</COMPANYNAME><CUSTOMERREFERENCEID>"
        f"{order.reference.lower()}</CUSTOMERREFERENCEID><SENDERNAME>X</SENDERNAME></COMMAND>"
    ).encode()
    answers = {tz.post(f"tigopesa/{SECRET}/billpay", body).data for _ in range(2)}
    assert len(answers) == 1
    assert b"<RESULT>TS</RESULT>" in answers.pop()
    # Paid over another line than it was ordered from: two operators say whose it is.
    assert tz.became() == ["suspense", "duplicate"]
    assert (str(tz.has(JUMA)), str(tz.has(NEEMA))) == ("0.00", "0.00")
    assert (tz.seen(order).state, str(tz.suspense("tigopesa"))) == ("pending", "15000.00")
    assert tz.breaches() == []


@pytest.mark.parametrize("event", ["payment.failed", "payment.pending", "payment.reversed"])
def test_no_other_provider_has_a_say_about_an_order(tz: Till, event: str) -> None:
    order = tz.order(provider="airtelmoney")
    tz.snippe(snippe_body(order.reference, event=event))
    assert (tz.became(), tz.seen(order)) == (["unmatched"], order)


def test_no_hint_of_another_provider_is_noted_or_asked_about(tz: Till) -> None:
    order = tz.order(provider="snippe")
    tz.airtel(order.reference, "TS", "MPX")
    assert (tz.became(), tz.seen(order)) == (["unmatched"], order)


def test_a_question_about_another_providers_order_is_answered_with_a_no(tz: Till) -> None:
    order = tz.order()
    tz.wallet(NEEMA)
    body = (
        "<COMMAND><TYPE>SYNC_LOOKUP_REQUEST</TYPE><MSISDN>680000002</MSISDN>"
        f"<CUSTOMERREFERENCEID>{order.reference}</CUSTOMERREFERENCEID></COMMAND>"
    ).encode()
    answer = tz.post(f"tigopesa/{SECRET}/billpay", body).data
    assert b"<ERRORCODE>error010</ERRORCODE>" in answer


def test_an_order_says_when_its_provider_saw_the_payment(tz: Till) -> None:
    order = tz.order()
    body = json.loads(snippe_body(order.reference))
    body["data"]["completed_at"] = "2025-12-31T23:59:30+03:00"
    tz.snippe(json.dumps(body).encode())
    found = tz.seen(order).occurred_at
    assert found is not None
    assert found.isoformat() == "2025-12-31T20:59:30+00:00"
