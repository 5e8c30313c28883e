"""Tigo Pesa's push callback: a bool that may be a text, an id that failures lack."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

from gateway.errors import Misconfigured
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
from gateway.providers.tigopesa import TigoPesaPush
from gateway.settings.providers import TigoPesa
from tests.providers.contract import NEW, DialectContract, changed, sample
from tests.support.clock import START

BODY = sample("tigopesa/push.json")
SETTINGS = TigoPesa(allowed_addresses=("127.0.0.1", "41.222.176.0/24"))


class TestTigoPesaPush(DialectContract):
    """The shared contract."""

    sample_name = "tigopesa/push.json"
    part = "push"
    expected = Notice(
        kind=Kind.PAYMENT,
        outcome=Outcome.SUCCEEDED,
        txn_id="SYN00000001",
        reference="900001ORD1001",
        amount=Decimal("15000.00"),
        currency="TZS",
        reason="Payment successful",
        echo={"ReferenceID": "900001ORD1001"},
    )
    words: Mapping[str, Outcome] = {"true": Outcome.SUCCEEDED, "false": Outcome.FAILED}

    def dialect(self, secrets: Sequence[str] = (NEW,)) -> TigoPesaPush:
        return TigoPesaPush(SETTINGS)

    def body_saying(self, word: str) -> bytes:
        return changed(BODY, "Status", value=word)


def read(body: bytes) -> Notice:
    """What a callback says."""
    return TigoPesaPush(SETTINGS).parse(call(body))


def call(body: bytes, address: str = "127.0.0.1") -> Callback:
    """A callback from an address."""
    return Callback(part="push", headers=[], body=body, address=address, received_at=START)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (True, Outcome.SUCCEEDED),
        (False, Outcome.FAILED),
        (1, Outcome.PENDING),
        (0, Outcome.PENDING),
        (None, Outcome.PENDING),
        ([], Outcome.PENDING),
        ({"Status": True}, Outcome.PENDING),
        ("True", Outcome.PENDING),
    ],
)
def test_nothing_but_a_bool_or_its_word_decides(status: object, outcome: Outcome) -> None:
    assert read(changed(BODY, "Status", value=status)).outcome is outcome


def test_a_failure_has_no_transaction_and_no_amount() -> None:
    failed = read(sample("tigopesa/push-failed.json"))
    assert (failed.outcome, failed.txn_id, failed.amount) == (Outcome.FAILED, "", None)
    assert failed.reference == "900001ORD1001"


@pytest.mark.parametrize("txn_id", [None, "", True, "7" * 65, "a\nb"])
def test_a_success_without_an_id_that_can_be_kept_is_malformed(txn_id: object) -> None:
    with pytest.raises(Malformed):
        read(changed(BODY, "MFSTransactionID", value=txn_id))


@pytest.mark.parametrize("reference", [None, "", [], "7" * 65])
def test_a_callback_without_a_reference_is_malformed(reference: object) -> None:
    for name in ("tigopesa/push.json", "tigopesa/push-failed.json"):
        with pytest.raises(Malformed):
            read(changed(sample(name), "ReferenceID", value=reference))


@pytest.mark.parametrize("reference", ["900001ORD1001", "90000190ORD", "ORD1001", " 900001X "])
def test_the_reference_stays_whole(reference: str) -> None:
    assert read(changed(BODY, "ReferenceID", value=reference)).reference == reference


@pytest.mark.parametrize("amount", ["15000.505", "1,500", "0", True, [], "x"])
def test_a_success_over_no_amount_of_money_is_malformed(amount: object) -> None:
    with pytest.raises(Malformed):
        read(changed(BODY, "Amount", value=amount))


@pytest.mark.parametrize("amount", [15000, "15000", "15000.00"])
def test_an_amount_is_read_from_its_text(amount: object) -> None:
    assert read(changed(BODY, "Amount", value=amount)).amount == Decimal("15000.00")


def test_a_success_may_leave_its_amount_to_the_order() -> None:
    assert read(changed(BODY, "Amount", value=None)).amount is None


@pytest.mark.parametrize("address", ["127.0.0.2", "41.222.177.1", "", "x", "::1"])
def test_another_address_is_unauthorized(address: str) -> None:
    with pytest.raises(Unauthorized):
        TigoPesaPush(SETTINGS).authenticate(call(BODY, address))


@pytest.mark.parametrize("address", ["41.222.176.143", "::ffff:41.222.176.143"])
def test_an_address_of_the_list_is_let_in(address: str) -> None:
    TigoPesaPush(SETTINGS).authenticate(call(BODY, address))


@pytest.mark.parametrize("addresses", [(), ("",), ("yas",), ("41.222.176.143/24",)])
def test_without_a_list_of_addresses_it_does_not_start(addresses: tuple[str, ...]) -> None:
    with pytest.raises(Misconfigured, match="GATEWAY_TIGOPESA_ALLOWED_ADDRESSES"):
        TigoPesaPush(TigoPesa(allowed_addresses=addresses))


@pytest.mark.parametrize(
    ("series", "good", "bad"),
    [
        ("18", "BILLER-18-0000-S", "BILLER-18-3020-E"),
        ("30", "BILLER-30-0000-S", "BILLER-30-3030-E"),
    ],
)
def test_the_acknowledgement_is_of_the_contracts_series(series: str, good: str, bad: str) -> None:
    dialect = TigoPesaPush(TigoPesa(allowed_addresses=("0.0.0.0/0",), ack_series=series))
    notice = read(sample("tigopesa/push-failed.json"))
    taken = json.loads(dialect.acknowledge(call(BODY), notice, Decision.TAKEN).body)
    assert taken == {
        "ResponseCode": good,
        "ResponseStatus": True,
        "ResponseDescription": "Callback successful",
        "ReferenceID": "900001ORD1001",
    }
    refused = json.loads(dialect.acknowledge(call(BODY), notice, Decision.NOT_NOW).body)
    assert (refused["ResponseCode"], refused["ResponseStatus"]) == (bad, False)


def test_another_series_does_not_start() -> None:
    with pytest.raises(Misconfigured, match="GATEWAY_TIGOPESA_ACK_SERIES"):
        TigoPesaPush(TigoPesa(allowed_addresses=("0.0.0.0/0",), ack_series="19"))


def test_the_path_secret_stands_before_it() -> None:
    dialect = TigoPesaPush(SETTINGS)
    assert (dialect.guarded, dialect.trust) == (True, Trust.LINE)
    assert dialect.allowed_addresses == SETTINGS.allowed_addresses
