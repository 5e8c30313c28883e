"""Tigo Pesa's bill pay: XML without declarations, and an answer that is the decision."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

from gateway.errors import Misconfigured
from gateway.providers.base import flat_xml
from gateway.providers.base.messages import (
    Callback,
    Decision,
    Kind,
    Malformed,
    Notice,
    Outcome,
    Trust,
    Unauthorized,
)
from gateway.providers.tigopesa_billpay import TigoPesaBillPay
from gateway.settings.providers import TigoPesa
from tests.providers.contract import NEW, DialectContract, sample
from tests.support.clock import START

BODY = sample("tigopesa/billpay.xml")
LOOKUP = sample("tigopesa/lookup.xml")
SETTINGS = TigoPesa(allowed_addresses=("127.0.0.1",))
BOMB = b"<!DOCTYPE C [<!ENTITY a 'x'><!ENTITY b '&a;&a;&a;&a;'>]>"
NO_COMMANDS: Mapping[str, bytes] = {
    "empty": b"",
    "JSON": b'{"TYPE":"SYNC_BILLPAY_REQUEST"}',
    "cut off": BODY[:-3],
    "two roots": BODY + BODY,
    "another root": b"<X><TYPE>SYNC_BILLPAY_REQUEST</TYPE></X>",
    "not UTF-8": BODY.replace(b"TEST", b"\xe9"),
    "UTF-16": BODY.decode().encode("utf-16"),
    "a NUL": BODY.replace(b"TEST", b"\x00"),
    "an entity": BOMB + BODY.replace(b"ORD-1001", b"&b;"),
    "an outer entity": b'<!DOCTYPE C [<!ENTITY f SYSTEM "file:///etc/hostname">]>'
    + BODY.replace(b"ORD-1001", b"&f;"),
    "an outer document type": b'<!DOCTYPE C SYSTEM "http://127.0.0.1:9/c.dtd">' + BODY,
    "an unknown entity": BODY.replace(b"ORD-1001", b"&f;"),
    "a document type in UTF-7": b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE C+AD4-'
    + BODY,
    "a name twice": BODY.replace(b"<AMOUNT>", b"<AMOUNT>1</AMOUNT><AMOUNT>"),
    "nested deeply": b"<COMMAND>" * 200_000,
    "nested deeply and closed": b"<COMMAND>" * 50_000 + b"</COMMAND>" * 50_000,
    "many elements": b"<COMMAND>" + b"<A/>" * 100_000 + b"</COMMAND>",
    "an unknown type": BODY.replace(b"SYNC_BILLPAY_REQUEST", b"SYNC_REVERSAL_REQUEST"),
    "a type in lower case": BODY.replace(b"SYNC_BILLPAY_REQUEST", b"sync_billpay_request"),
    "no type": BODY.replace(b"TYPE>", b"KIND>"),
}


class TestTigoPesaBillPay(DialectContract):
    """The shared contract, on a payment."""

    sample_name = "tigopesa/billpay.xml"
    part = "billpay"
    expected = Notice(
        kind=Kind.PAYMENT,
        outcome=Outcome.SUCCEEDED,
        txn_id="SYN00000002",
        reference="ORD-1001",
        amount=Decimal("15000.00"),
        currency="TZS",
        payer="+255700000001",
        echo={"TXNID": "SYN00000002", "MSISDN": "700000001"},
    )
    words: Mapping[str, Outcome] = {}  # a payment is a success, it has no word
    unknown_words = ()
    unreadable = NO_COMMANDS
    questions: Mapping[str, str] = {"billpay": "tigopesa/lookup.xml"}

    def dialect(self, secrets: Sequence[str] = (NEW,)) -> TigoPesaBillPay:
        return TigoPesaBillPay(SETTINGS)

    def body_saying(self, word: str) -> bytes:
        return BODY

    def with_more(self, body: bytes) -> bytes:
        return body.replace(b"<TXNID>", b"<ZZ_NEW><A>1</A><A/></ZZ_NEW><TXNID>")


def call(body: bytes, address: str = "127.0.0.1") -> Callback:
    """A request from an address."""
    return Callback(part="billpay", headers=[], body=body, address=address, received_at=START)


def read(body: bytes) -> Notice:
    """What a request says."""
    return TigoPesaBillPay(SETTINGS).parse(call(body))


def answer(body: bytes, decision: Decision) -> bytes:
    """What a request is answered."""
    dialect = TigoPesaBillPay(SETTINGS)
    return dialect.acknowledge(call(body), dialect.parse(call(body)), decision).body


def with_text(name: str, text: str) -> bytes:
    """The payment with another text in one element."""
    return flat_xml.written(flat_xml.texts(BODY) | {name: text})


@pytest.mark.parametrize("name", ["nested deeply and closed", "many elements"])
def test_a_body_of_many_elements_is_refused_before_it_is_parsed(name: str) -> None:
    with pytest.raises(Malformed, match="too many elements"):
        read(NO_COMMANDS[name])


def test_a_lookup_asks_for_a_reference_alone() -> None:
    asked = read(LOOKUP)
    assert (asked.kind, asked.outcome) == (Kind.QUESTION, Outcome.PENDING)
    assert (asked.reference, asked.amount, asked.txn_id) == ("ORD-1001", None, "")


def test_a_first_line_and_a_mark_of_byte_order_are_passed_over() -> None:
    line = b'\xef\xbb\xbf<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>\n'
    assert read(line + BODY) == TestTigoPesaBillPay.expected


@pytest.mark.parametrize("name", ["TXNID", "AMOUNT"])
def test_a_payment_without_id_or_amount_is_malformed(name: str) -> None:
    for body in (with_text(name, ""), BODY.replace(f"{name}>".encode(), b"OTHER>")):
        with pytest.raises(Malformed):
            read(body)


@pytest.mark.parametrize("amount", ["15000.505", "1,500", "0", "-1", " 15000 ", "x"])
def test_an_amount_that_is_none_is_malformed(amount: str) -> None:
    with pytest.raises(Malformed):
        read(with_text("AMOUNT", amount))


@pytest.mark.parametrize("txn_id", ["7" * 65, "a\tb"])
def test_an_id_that_cannot_be_kept_is_malformed(txn_id: str) -> None:
    with pytest.raises(Malformed):
        read(with_text("TXNID", txn_id))


@pytest.mark.parametrize("txn_id", ["Qk7", "qK7", "Qk7 ", " Qk7"])
def test_an_id_is_kept_exactly(txn_id: str) -> None:
    assert read(with_text("TXNID", txn_id)).txn_id == txn_id


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("", ""),
        ("  ord 1001 ", "ord 1001"),
        ("<&>", "<&>"),
        ("0700 000 001", "0700 000 001"),
        ("\U0001f600", "\U0001f600"),
        ("B" * 300, "B" * 64),
        ("ord\u200b-1001\n", "ord-1001"),
    ],
)
def test_what_the_payer_typed_may_be_anything(typed: str, kept: str) -> None:
    assert read(with_text("CUSTOMERREFERENCEID", typed)).reference == kept


def test_a_number_that_is_too_long_holds_up_no_payment() -> None:
    assert read(with_text("MSISDN", "9" * 300)).payer == "9" * 64


def test_cents_are_taken_as_they_came() -> None:
    assert read(with_text("AMOUNT", "1000.50")).amount == Decimal("1000.50")


@pytest.mark.parametrize(
    ("msisdn", "payer"),
    [
        ("700000001", "+255700000001"),
        ("255700000001", "255700000001"),
        ("0700000001", "0700000001"),
        ("", ""),
        ("\u0667\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661",) * 2,
    ],
)
def test_the_country_that_tigo_leaves_out_is_put_before_the_number(msisdn: str, payer: str) -> None:
    assert read(with_text("MSISDN", msisdn)).payer == payer


def test_a_payment_that_is_taken_is_answered_with_these_bytes() -> None:
    assert answer(BODY, Decision.TAKEN) == sample("tigopesa/billpay-taken.xml")


def test_a_repeat_of_an_id_is_answered_with_the_same_bytes() -> None:
    repeats = [
        BODY,
        b'<?xml version="1.0"?>\n' + BODY,
        with_text("SENDERNAME", "PAYER TEST"),
        with_text("CUSTOMERREFERENCEID", "ord-1001"),
    ]
    for decision in Decision:
        assert len({answer(body, decision) for body in repeats}) == 1


@pytest.mark.parametrize(
    ("decision", "result", "code", "flag"),
    [
        (Decision.TAKEN, "TS", "error000", "Y"),
        (Decision.UNKNOWN_REFERENCE, "TF", "error010", "N"),
        (Decision.WRONG_AMOUNT, "TF", "error012", "N"),
        (Decision.TOO_MUCH, "TF", "error014", "N"),
        (Decision.TOO_LITTLE, "TF", "error015", "N"),
        (Decision.NOT_NOW, "TF", "error100", "N"),
    ],
)
def test_every_decision_has_its_code(decision: Decision, result: str, code: str, flag: str) -> None:
    for body, name in ((BODY, "SYNC_BILLPAY_RESPONSE"), (LOOKUP, "SYNC_LOOKUP_RESPONSE")):
        said = flat_xml.texts(answer(body, decision))
        assert (said["TYPE"], said["RESULT"], said["ERRORCODE"]) == (name, result, code)
        assert (said["FLAG"], said["MSISDN"]) == (flag, "700000001")
        assert ("TXNID" in said) == (body is BODY)


def test_an_answer_cannot_be_broken_by_what_it_repeats() -> None:
    hostile = "</TXNID><RESULT>TS</RESULT>"
    said = flat_xml.texts(answer(with_text("TXNID", hostile), Decision.UNKNOWN_REFERENCE))
    assert (said["TXNID"], said["RESULT"]) == (hostile, "TF")


def test_only_a_listed_address_is_let_in() -> None:
    with pytest.raises(Unauthorized):
        TigoPesaBillPay(SETTINGS).authenticate(call(BODY, "127.0.0.2"))
    with pytest.raises(Misconfigured):
        TigoPesaBillPay(TigoPesa())
    dialect = TigoPesaBillPay(SETTINGS)
    assert (dialect.guarded, dialect.trust, dialect.path) == (True, Trust.LINE, "tigopesa")
