"""Vodacom's callbacks: both conversation ids in, a hint out, and its own acknowledgement."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from gateway.errors import Misconfigured
from gateway.providers.base.messages import (
    Callback,
    Decision,
    Dialect,
    Kind,
    Malformed,
    Notice,
    Outcome,
    Trust,
    Unauthorized,
)
from gateway.providers.vodacom import RESULTS, VodacomDialect
from gateway.settings.providers import Vodacom
from tests.providers.contract import NEW, DialectContract, changed, sample
from tests.support.clock import START

SETTINGS = Vodacom(api_key=NEW, allowed_addresses=("127.0.0.1", "192.0.2.0/24"))
DIALECT = VodacomDialect(SETTINGS)
BODY = "vodacom/callback.json"


def came(body: bytes, address: str = "127.0.0.1") -> Callback:
    return Callback(part="", headers=[], body=body, address=address, received_at=START)


class TestVodacom(DialectContract):
    sample_name = BODY
    words = RESULTS
    expected = Notice(
        kind=Kind.PAYMENT,
        outcome=Outcome.SUCCEEDED,
        txn_id="SYNTXN0001",
        reference="ORD1001",
        provider_ref="synconv0001",
        reason="Request processed successfully",
        echo={"original": "synconv0001", "third_party": "inORD1001"},
    )

    def dialect(self, secrets: Sequence[str] = (NEW,)) -> Dialect:
        return VodacomDialect(replace(SETTINGS, api_key=secrets[0]))

    def body_saying(self, word: str) -> bytes:
        return changed(sample(BODY), "input_ResultCode", value=word)


def test_a_hint_says_no_amount_no_phone_and_no_currency() -> None:
    notice = DIALECT.parse(came(sample(BODY)))
    assert (notice.amount, notice.payer, notice.currency) == (None, "", "")
    assert (DIALECT.trust, DIALECT.guarded) == (Trust.QUERIED, True)


def test_a_conversation_that_we_began_for_a_payout_is_about_one() -> None:
    body = changed(sample(BODY), "input_ThirdPartyConversationID", value="outPAY1001")
    notice = DIALECT.parse(came(body))
    assert (notice.kind, notice.reference) == (Kind.PAYOUT, "PAY1001")
    answer = json.loads(DIALECT.acknowledge(came(body), notice, Decision.TAKEN).body)
    assert answer["output_ThirdPartyConversationID"] == "outPAY1001"


def test_a_conversation_that_is_not_of_ours_keeps_its_whole_id() -> None:
    body = changed(sample(BODY), "input_ThirdPartyConversationID", value="somebody")
    assert DIALECT.parse(came(body)).reference == "somebody"


@pytest.mark.parametrize("word", ["INS-1", "INS-9", "INS-10", "INS-993", "INS-997", "ins-0", "00"])
def test_a_code_that_leaves_it_open_is_asked_about(word: str) -> None:
    body = changed(sample(BODY), "input_ResultCode", value=word)
    assert DIALECT.parse(came(body)).outcome is Outcome.PENDING


@pytest.mark.parametrize("value", [True, None, ["INS-0"], {"INS-0": 0}, 0.0])
def test_a_code_that_is_no_text_is_never_a_success(value: object) -> None:
    body = changed(sample(BODY), "input_ResultCode", value=value)
    assert DIALECT.parse(came(body)).outcome is Outcome.PENDING


@pytest.mark.parametrize("value", ["", " ", None, True, "x" * 65, "in\u0000"])
def test_a_callback_without_our_conversation_id_is_malformed(value: object) -> None:
    with pytest.raises(Malformed):
        DIALECT.parse(came(changed(sample(BODY), "input_ThirdPartyConversationID", value=value)))


@pytest.mark.parametrize("value", ["N/A", "0", "", None])
def test_a_failure_often_has_no_transaction_id(value: object) -> None:
    assert (
        DIALECT.parse(came(changed(sample(BODY), "input_TransactionID", value=value))).txn_id == ""
    )


@pytest.mark.parametrize("decision", Decision)
def test_a_callback_is_acknowledged_in_vodacoms_words(decision: Decision) -> None:
    answer = DIALECT.acknowledge(came(b""), DIALECT.parse(came(sample(BODY))), decision)
    assert answer.body == (
        b'{"output_OriginalConversationID":"synconv0001","output_ResponseCode":"0",'
        b'"output_ResponseDesc":"Successfully Accepted Result",'
        b'"output_ThirdPartyConversationID":"inORD1001"}'
    )
    assert (answer.status, answer.content_type) == (200, "application/json")


def test_a_perfect_callback_from_elsewhere_is_unauthorized() -> None:
    DIALECT.authenticate(came(sample(BODY), "192.0.2.77"))
    for address in ("203.0.113.9", "", "192.0.2"):
        with pytest.raises(Unauthorized):
            DIALECT.authenticate(came(sample(BODY), address))


def test_an_address_list_that_cannot_be_read_is_named_at_start() -> None:
    with pytest.raises(Misconfigured, match="GATEWAY_VODACOM_ALLOWED_ADDRESSES"):
        VodacomDialect(replace(SETTINGS, allowed_addresses=("vodacom.example",)))
