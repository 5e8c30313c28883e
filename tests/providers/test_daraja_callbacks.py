"""Daraja's callbacks: raw bodies in, notices out, and the acknowledgement's bytes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType

import pytest

from gateway.providers.base.daraja import STK_RESULTS
from gateway.providers.base.messages import (
    Callback,
    Decision,
    Dialect,
    Kind,
    Malformed,
    Notice,
    Outcome,
)
from gateway.providers.daraja_callbacks import (
    PAYOUT_RESULTS,
    PAYOUT_STATUSES,
    DarajaB2c,
    DarajaC2b,
    DarajaStk,
)
from gateway.settings.providers import SAFARICOM, Daraja
from tests.providers.contract import NEW, DialectContract, changed, sample
from tests.support.clock import START

NOON = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)  # of Nairobi
SETTINGS = Daraja(
    consumer_secret=NEW, shortcode="600000", allowed_addresses=("safaricom", "127.0.0.1")
)
CHECKOUT = "ws_CO_010120261200000001"


def came(body: bytes, part: str, address: str = SAFARICOM[0]) -> Callback:
    return Callback(part=part, headers=[], body=body, address=address, received_at=START)


def stk(body: bytes) -> Notice:
    return DarajaStk(SETTINGS).parse(came(body, "stk"))


def confirmation(body: bytes) -> Notice:
    return DarajaC2b(SETTINGS).parse(came(body, "c2b/confirmation"))


def b2c(body: bytes, part: str = "b2c/result") -> Notice:
    return DarajaB2c(SETTINGS).parse(came(body, part))


class TestStk(DialectContract):
    sample_name = "daraja/stk.json"
    part = "stk"
    words = STK_RESULTS
    expected = Notice(
        kind=Kind.PAYMENT,
        outcome=Outcome.SUCCEEDED,
        txn_id="SYN0000001",
        provider_ref=CHECKOUT,
        amount=Decimal("1500.00"),
        currency="KES",
        payer="254700000001",
        occurred_at=NOON,
        reason="The service request is processed successfully.",
    )

    def dialect(self, secrets: Sequence[str] = (NEW,)) -> Dialect:
        return DarajaStk(replace(SETTINGS, consumer_secret=secrets[0]))

    def body_saying(self, word: str) -> bytes:
        return changed(sample(self.sample_name), "Body", "stkCallback", "ResultCode", value=word)


class TestC2b(DialectContract):
    sample_name = "daraja/c2b.json"
    part = "c2b/confirmation"
    questions: Mapping[str, str] = {"c2b/validation": "daraja/c2b.json"}
    words: Mapping[str, Outcome] = MappingProxyType({})
    never_by_an_unknown_word = ()  # a confirmation has no status: it is one
    expected = Notice(
        kind=Kind.PAYMENT,
        outcome=Outcome.SUCCEEDED,
        txn_id="SYN0000002",
        reference="ORD-1001",
        amount=Decimal("1500.00"),
        currency="KES",
        payer="25470****001",
        occurred_at=NOON,
        reason="Pay Bill",
    )

    def dialect(self, secrets: Sequence[str] = (NEW,)) -> Dialect:
        return DarajaC2b(replace(SETTINGS, consumer_secret=secrets[0]))

    def body_saying(self, word: str) -> bytes:
        return changed(sample(self.sample_name), "TransactionType", value=word)


class TestB2cResult(DialectContract):
    sample_name = "daraja/b2c-result.json"
    part = "b2c/result"
    words = PAYOUT_RESULTS
    expected = Notice(
        kind=Kind.PAYOUT,
        outcome=Outcome.SUCCEEDED,
        txn_id="SYN0000003",
        reference="P1001",
        provider_ref="AG_SYN_1",
        amount=Decimal("1500.00"),
        currency="KES",
        occurred_at=NOON,
        reason="The service request is processed successfully.",
    )

    def dialect(self, secrets: Sequence[str] = (NEW,)) -> Dialect:
        return DarajaB2c(replace(SETTINGS, consumer_secret=secrets[0]))

    def body_saying(self, word: str) -> bytes:
        return changed(sample(self.sample_name), "Result", "ResultCode", value=word)


class TestB2cAnswer(TestB2cResult):
    sample_name = "daraja/b2c-answer.json"
    words = PAYOUT_STATUSES
    expected = replace(TestB2cResult.expected, event_id="AG_SYN_QUESTION", reason="Completed")

    def body_saying(self, word: str) -> bytes:
        document = json.loads(sample(self.sample_name))
        for item in document["Result"]["ResultParameters"]["ResultParameter"]:
            if item["Key"] == "TransactionStatus":
                item["Value"] = word
        return json.dumps(document).encode()


def test_items_are_read_by_name_in_any_order() -> None:
    notice = stk(sample("daraja/stk-shuffled.json"))
    assert notice.txn_id == "TK00000001"
    assert notice.amount == Decimal("1.00")
    assert notice.payer == "254700000001"
    assert notice.occurred_at == NOON


def test_a_cancelled_push_has_no_items_and_is_a_failure() -> None:
    notice = stk(sample("daraja/stk-cancelled.json"))
    assert (notice.outcome, notice.txn_id, notice.amount) == (Outcome.FAILED, "", None)


@pytest.mark.parametrize(
    ("written", "outcome"),
    [
        (b"0", Outcome.SUCCEEDED),
        (b'"0"', Outcome.SUCCEEDED),
        (b'"SFC_IC0003"', Outcome.FAILED),
        (b"1037", Outcome.FAILED),
        (b"0.0", Outcome.PENDING),
        (b'"0.0"', Outcome.PENDING),
        (b"true", Outcome.PENDING),
        (b"false", Outcome.PENDING),
        (b"null", Outcome.PENDING),
        (b"[0]", Outcome.PENDING),
        (b'{"a":0}', Outcome.PENDING),
    ],
)
def test_success_is_the_text_zero_and_nothing_like_it(written: bytes, outcome: Outcome) -> None:
    body = sample("daraja/stk.json").replace(b'"ResultCode":0', b'"ResultCode":' + written)
    assert stk(body).outcome is outcome


def test_a_missing_result_code_is_never_a_success() -> None:
    body = sample("daraja/stk.json").replace(b'"ResultCode":0,', b"")
    assert stk(body).outcome is Outcome.PENDING


@pytest.mark.parametrize("written", [b'"1.00"', b'"1"', b"1", b"1.0"])
def test_four_ways_to_write_one_shilling_are_exactly_one(written: bytes) -> None:
    body = sample("daraja/c2b.json").replace(b'"1500"', written)
    assert confirmation(body).amount == Decimal("1.00")


@pytest.mark.parametrize(
    "written", [b'"1,030.00"', b'" 1.00 "', b'""', b"0", b"-1", b"1e3", b"1.001", b"true", b"null"]
)
def test_a_doubtful_amount_is_malformed(written: bytes) -> None:
    with pytest.raises(Malformed):
        confirmation(sample("daraja/c2b.json").replace(b'"1500"', written))
    if written != b"null":  # an item without a value is usual in the other form
        with pytest.raises(Malformed):
            stk(sample("daraja/stk.json").replace(b"1500.00", written))


@pytest.mark.parametrize(
    "body",
    [
        b'{"Body":[]}',
        b'{"Body":{"stkCallback":null}}',
        b'{"Body":{"stkCallback":{"CheckoutRequestID":""}}}',
        b'{"Body":{"stkCallback":{"CheckoutRequestID":true}}}',
        b'{"amount":true}',
        b'{"Body":{"stkCallback":{"CheckoutRequestID":"c","CallbackMetadata":{"Item":[1]}}}}',
    ],
)
def test_an_object_without_what_is_essential_is_malformed(body: bytes) -> None:
    for read in (stk, confirmation, b2c):
        with pytest.raises(Malformed):
            read(body)


def test_an_item_that_stands_twice_is_malformed() -> None:
    body = sample("daraja/stk.json").replace(b'"Balance"', b'"Amount","Value":999')
    with pytest.raises(Malformed):
        stk(body)


def test_times_are_those_of_nairobi() -> None:
    late = sample("daraja/c2b.json").replace(b"20260101120000", b"20251231235930")
    assert confirmation(late).occurred_at == datetime(2025, 12, 31, 20, 59, 30, tzinfo=UTC)
    numeric = sample("daraja/stk.json").replace(b"20260101120000", b"20251231235930")
    assert stk(numeric).occurred_at == datetime(2025, 12, 31, 20, 59, 30, tzinfo=UTC)
    assert confirmation(late.replace(b"20251231", b"20251331")).occurred_at is None


@pytest.mark.parametrize(
    ("typed", "reference"),
    [("ord-1001\n", "ORD-1001"), ("", ""), ("\u0000\u202e", ""), ("x" * 70, "X" * 64), (5, "5")],
)
def test_whatever_a_customer_types_does_not_hold_up_a_payment(
    typed: object, reference: str
) -> None:
    notice = confirmation(changed(sample("daraja/c2b.json"), "BillRefNumber", value=typed))
    assert notice.reference == reference
    assert notice.outcome is Outcome.SUCCEEDED


def test_a_hashed_phone_is_kept_as_it_came() -> None:
    hashed = "a1" * 32
    notice = confirmation(changed(sample("daraja/c2b.json"), "MSISDN", value=hashed))
    assert notice.payer == hashed


def test_a_receipt_is_the_same_in_both_kinds_of_callback() -> None:
    receipt = changed(sample("daraja/c2b.json"), "TransID", value="TK00000001")
    assert confirmation(receipt).txn_id == stk(sample("daraja/stk-shuffled.json")).txn_id
    assert DarajaC2b.books_as == DarajaStk.books_as


def test_a_payment_to_another_short_code_is_not_ours() -> None:
    with pytest.raises(Malformed):
        confirmation(changed(sample("daraja/c2b.json"), "BusinessShortCode", value="600001"))


@pytest.mark.parametrize(
    ("decision", "code"),
    [
        (Decision.TAKEN, "0"),
        (Decision.UNKNOWN_REFERENCE, "C2B00012"),
        (Decision.WRONG_AMOUNT, "C2B00013"),
        (Decision.TOO_MUCH, "C2B00013"),
        (Decision.TOO_LITTLE, "C2B00013"),
        (Decision.NOT_NOW, "C2B00016"),
    ],
)
def test_a_validation_is_a_question_with_an_answer_for_each_decision(
    decision: Decision, code: str
) -> None:
    dialect = DarajaC2b(SETTINGS)
    callback = came(sample("daraja/c2b.json"), "c2b/validation")
    notice = dialect.parse(callback)
    assert (notice.kind, notice.outcome) == (Kind.QUESTION, Outcome.PENDING)
    answer = dialect.acknowledge(callback, notice, decision)
    assert json.loads(answer.body)["ResultCode"] == code
    assert answer.status == 200


@pytest.mark.parametrize("decision", Decision)
def test_what_is_no_question_is_always_acknowledged(decision: Decision) -> None:
    for dialect, part, name in (
        (DarajaStk(SETTINGS), "stk", "stk"),
        (DarajaC2b(SETTINGS), "c2b/confirmation", "c2b"),
        (DarajaB2c(SETTINGS), "b2c/result", "b2c-result"),
    ):
        callback = came(sample(f"daraja/{name}.json"), part)
        answer = dialect.acknowledge(callback, dialect.parse(callback), decision)
        assert answer.body == b'{"ResultCode":0,"ResultDesc":"Success"}'
