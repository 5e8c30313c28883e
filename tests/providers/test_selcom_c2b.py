"""Selcom's C2B utility: two questions and a payment behind our bearer token."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

from gateway.providers.base.messages import (
    Callback,
    Decision,
    Kind,
    Malformed,
    Notice,
    Outcome,
    Trust,
)
from gateway.providers.selcom_c2b import SelcomC2B
from gateway.settings.providers import Selcom
from tests.providers.contract import NEW, ProvenContract, changed, sample
from tests.support.clock import START

BODY = sample("selcom/c2b.json")


class TestSelcomC2B(ProvenContract):
    """The shared contract, on the notification."""

    sample_name = "selcom/c2b.json"
    part = "notification"
    expected = Notice(
        kind=Kind.PAYMENT,
        outcome=Outcome.SUCCEEDED,
        txn_id="0000000002",
        reference="ORD-1001",
        amount=Decimal("15000.00"),
        currency="TZS",
        payer="255700000001",
        reason="MPESA-TZ",
        echo={"reference": "0000000002"},
    )
    words: Mapping[str, Outcome] = {}  # a notification is a success, it has no word
    unknown_words = ()
    covers_the_body = False
    questions: Mapping[str, str] = dict.fromkeys(("lookup", "validation"), "selcom/c2b.json")

    def dialect(self, secrets: Sequence[str] = (NEW,)) -> SelcomC2B:
        return SelcomC2B(Selcom(c2b_token=tuple(secrets)))

    def body_saying(self, word: str) -> bytes:
        return BODY

    def credential(self, body: bytes, secret: str) -> str:
        return f"Bearer {secret}"

    def carrying(self, body: bytes, credentials: Sequence[str]) -> Callback:
        return self.callback(body, [("Authorization", value) for value in credentials])


def read(part: str, body: bytes = BODY) -> Notice:
    """What a call says."""
    return SelcomC2B(Selcom()).parse(call(part, body))


def call(part: str, body: bytes = BODY) -> Callback:
    """A call of a part."""
    return Callback(part=part, headers=[], body=body, address="127.0.0.1", received_at=START)


@pytest.mark.parametrize("scheme", ["Basic", "SELCOM", "", "Bearer\t"])
def test_no_other_scheme_is_believed(scheme: str) -> None:
    contract = TestSelcomC2B()
    contract.refused(contract.carrying(BODY, [f"{scheme} {NEW}"]))


@pytest.mark.parametrize("part", ["lookup", "validation"])
def test_lookup_and_validation_ask_for_a_reference_and_an_amount(part: str) -> None:
    asked = read(part)
    assert (asked.kind, asked.reference, asked.amount) == (
        Kind.QUESTION,
        "ORD-1001",
        Decimal("15000.00"),
    )
    assert asked.outcome is Outcome.PENDING


@pytest.mark.parametrize("amount", [None, "", "0"])
def test_a_name_check_may_come_without_an_amount(amount: str | None) -> None:
    body = changed(BODY, "amount", value=amount)
    assert read("lookup", body).amount is None
    for part in ("validation", "notification"):
        with pytest.raises(Malformed):
            read(part, body)


@pytest.mark.parametrize("amount", ["15000.505", "1,500", "-5", True, [], "x", "1e3"])
def test_an_amount_that_is_none_is_malformed(amount: object) -> None:
    for part in ("lookup", "validation", "notification"):
        with pytest.raises(Malformed):
            read(part, changed(BODY, "amount", value=amount))


def test_cents_are_taken_as_they_came() -> None:
    for part in ("lookup", "validation", "notification"):
        body = changed(BODY, "amount", value="15000.50")
        assert read(part, body).amount == Decimal("15000.50")
    found = SelcomC2B(Selcom()).acknowledge(
        call("lookup"), read("lookup", changed(BODY, "amount", value="15000.50")), Decision.TAKEN
    )
    assert json.loads(found.body)["amount"] == "15000.50"


@pytest.mark.parametrize(
    ("name", "typed", "kept"),
    [
        ("utilityref", "A" * 200, "A" * 64),
        ("utilityref", "\x00ord-1001\ud83d\n", "ord-1001"),
        ("utilityref", ["x"], ""),
        ("msisdn", "9" * 300, "9" * 64),
        ("msisdn", None, ""),
    ],
)
def test_what_a_payer_typed_never_holds_up_a_payment(name: str, typed: object, kept: str) -> None:
    found = read("notification", changed(BODY, name, value=typed))
    assert {"utilityref": found.reference, "msisdn": found.payer}[name] == kept
    assert found.amount == Decimal("15000.00")


@pytest.mark.parametrize("amount", [15000, "15000.00"])
def test_an_amount_may_be_a_number(amount: object) -> None:
    assert read("notification", changed(BODY, "amount", value=amount)).amount == Decimal("15000")


@pytest.mark.parametrize("reference", [None, "", "7" * 65, "a\nb", True])
def test_a_notification_needs_an_id_that_can_be_kept(reference: object) -> None:
    with pytest.raises(Malformed):
        read("notification", changed(BODY, "reference", value=reference))


@pytest.mark.parametrize("reference", ["Qk7", "qK7", "Qk7 "])
def test_an_id_is_kept_exactly(reference: str) -> None:
    body = changed(BODY, "reference", value=reference)
    assert read("notification", body).txn_id == reference


@pytest.mark.parametrize(
    ("decision", "code", "result"),
    [
        (Decision.TAKEN, "000", "SUCCESS"),
        (Decision.UNKNOWN_REFERENCE, "010", "FAIL"),
        (Decision.WRONG_AMOUNT, "012", "FAIL"),
        (Decision.TOO_MUCH, "014", "FAIL"),
        (Decision.TOO_LITTLE, "015", "FAIL"),
        (Decision.NOT_NOW, "400", "FAIL"),
    ],
)
def test_every_decision_has_its_code(decision: Decision, code: str, result: str) -> None:
    for part in ("lookup", "validation", "notification"):
        answer = SelcomC2B(Selcom()).acknowledge(call(part), read(part), decision)
        said = json.loads(answer.body)
        assert (said["resultcode"], said["result"]) == (code, result)
        assert said["reference"] == "0000000002"
        assert answer.status == 200


def test_a_lookup_learns_a_name_and_the_amount_and_nobody_elses() -> None:
    dialect = SelcomC2B(Selcom())
    found = json.loads(dialect.acknowledge(call("lookup"), read("lookup"), Decision.TAKEN).body)
    assert (found["name"], found["amount"]) == ("Token wallet", "15000")
    unknown = dialect.acknowledge(call("lookup"), read("lookup"), Decision.UNKNOWN_REFERENCE)
    assert b"name" not in unknown.body


def test_another_part_is_malformed() -> None:
    with pytest.raises(Malformed):
        read("reversal")
    assert SelcomC2B(Selcom()).trust is Trust.SIGNED
