"""What is believed of Daraja's unsigned callbacks: addresses, and answers to our own questions."""

import json

import pytest

from gateway.errors import Misconfigured
from gateway.providers.base.daraja import question
from gateway.providers.base.messages import Callback, Dialect, Notice, Outcome, Trust, Unauthorized
from gateway.providers.daraja_callbacks import DarajaB2c, DarajaC2b, DarajaStk
from gateway.settings.providers import SAFARICOM, Daraja
from tests.providers.contract import FOREIGN, NEW, changed, sample
from tests.support.clock import START

SETTINGS = Daraja(consumer_secret=NEW, shortcode="600000", allowed_addresses=("safaricom",))
DIALECTS: tuple[Dialect, ...] = (DarajaStk(SETTINGS), DarajaC2b(SETTINGS), DarajaB2c(SETTINGS))


def came(body: bytes, part: str, address: str = SAFARICOM[0]) -> Callback:
    return Callback(part=part, headers=[], body=body, address=address, received_at=START)


def b2c(body: bytes, part: str = "b2c/result") -> Notice:
    return DarajaB2c(SETTINGS).parse(came(body, part))


def echoing(occasion: object) -> bytes:
    document = json.loads(sample("daraja/b2c-answer.json"))
    document["Result"]["ReferenceData"]["ReferenceItem"] = {"Key": "Occasion", "Value": occasion}
    return json.dumps(document).encode()


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.parts[0])
def test_a_perfect_callback_from_elsewhere_is_unauthorized(dialect: Dialect) -> None:
    body = sample("daraja/stk.json")
    for address in SAFARICOM:
        dialect.authenticate(came(body, dialect.parts[0], address))
    for address in ("203.0.113.9", "127.0.0.1", "", "196.201.214.200.example"):
        with pytest.raises(Unauthorized):
            dialect.authenticate(came(body, dialect.parts[0], address))


def test_every_dialect_stands_behind_the_secret_path() -> None:
    assert all(dialect.guarded and dialect.path == "daraja" for dialect in DIALECTS)
    parts = [part for dialect in DIALECTS for part in dialect.parts]
    assert parts == ["stk", "c2b/validation", "c2b/confirmation", "b2c/result", "b2c/timeout"]
    assert [dialect.trust for dialect in DIALECTS] == [Trust.QUERIED, Trust.LINE, Trust.QUERIED]


def test_what_is_credited_by_its_own_word_needs_an_address_list() -> None:
    with pytest.raises(Misconfigured, match="ALLOWED_ADDRESSES"):
        DarajaC2b(Daraja(shortcode="600000"))
    for kind in (DarajaStk, DarajaC2b, DarajaB2c):
        with pytest.raises(Misconfigured, match="ALLOWED_ADDRESSES"):
            kind(Daraja(shortcode="600000", allowed_addresses=("safaricom.example",)))


def test_a_callback_shows_nothing_of_itself_in_a_log() -> None:
    callback = came(sample("daraja/stk.json"), "stk")
    assert "254700000001" not in repr(callback)


def test_an_answer_with_our_proof_counts_as_an_answer_to_us() -> None:
    notice = b2c(sample("daraja/b2c-answer.json"))
    assert (notice.outcome, notice.event_id) == (Outcome.SUCCEEDED, "AG_SYN_QUESTION")
    assert (notice.reference, notice.provider_ref) == ("P1001", "AG_SYN_1")


@pytest.mark.parametrize(
    "occasion",
    [
        None,
        "",
        "P1001",
        question(FOREIGN, "P1001"),
        question(NEW, "P1001")[:-1],
        question(NEW, "P1001") + "0",
        "P1002" + question(NEW, "P1001")[5:],
        "P1001" + "\xe9" * 64,
        ["x"],
    ],
)
def test_an_answer_without_our_proof_decides_nothing(occasion: object) -> None:
    notice = b2c(echoing(occasion))
    assert (notice.outcome, notice.event_id) == (Outcome.PENDING, "")
    assert notice.reference == "P1001"


def test_a_proof_is_for_the_payout_that_was_asked_about() -> None:
    notice = b2c(echoing(question(NEW, "P2002")))
    assert notice.reference == "P2002"


@pytest.mark.parametrize("code", ["2001", "1", "17", "SFC_IC0003"])
def test_a_question_that_could_not_be_answered_is_no_failed_payout(code: str) -> None:
    notice = b2c(changed(sample("daraja/b2c-answer.json"), "Result", "ResultCode", value=code))
    assert (notice.outcome, notice.event_id) == (Outcome.PENDING, "")


@pytest.mark.parametrize("code", ["2001", "15", "17", "26", "8006", "500", "SFC_IC0003", "0.0"])
def test_a_result_that_may_mean_something_else_leaves_a_payout_open(code: str) -> None:
    body = changed(sample("daraja/b2c-result.json"), "Result", "ResultCode", value=code)
    assert b2c(body).outcome is Outcome.PENDING


@pytest.mark.parametrize("name", ["b2c-result", "b2c-answer"])
def test_a_time_out_says_that_nothing_is_known(name: str) -> None:
    notice = b2c(sample(f"daraja/{name}.json"), "b2c/timeout")
    assert notice.outcome is Outcome.PENDING
    assert not notice.event_id
    assert notice.reference


def test_a_time_out_is_read_with_and_without_its_wrapping() -> None:
    bare = b'{"OriginatorConversationID":"P1001","ConversationID":"AG_SYN_1"}'
    notice = b2c(bare, "b2c/timeout")
    assert (notice.outcome, notice.reference) == (Outcome.PENDING, "P1001")


def test_a_result_may_name_its_references_as_a_list_or_as_one() -> None:
    document = json.loads(sample("daraja/b2c-result.json"))
    data = document["Result"]["ReferenceData"]
    data["ReferenceItem"] = [data["ReferenceItem"]]
    assert b2c(json.dumps(document).encode()) == b2c(sample("daraja/b2c-result.json"))


def test_a_failed_result_has_no_parameters() -> None:
    document = json.loads(sample("daraja/b2c-result.json"))
    document["Result"] |= {"ResultCode": 1, "TransactionID": "SYN0000009"}
    del document["Result"]["ResultParameters"]
    notice = b2c(json.dumps(document).encode())
    assert (notice.outcome, notice.amount, notice.occurred_at) == (Outcome.FAILED, None, None)


def test_an_occasion_of_a_payout_makes_its_result_no_answer() -> None:
    document = json.loads(sample("daraja/b2c-result.json"))
    for occasion in ({"Key": "Occasion"}, {"Key": "Occasion", "Value": "P1001"}):
        document["Result"]["ReferenceData"]["ReferenceItem"] = [occasion]
        assert b2c(json.dumps(document).encode()) == b2c(sample("daraja/b2c-result.json"))


@pytest.mark.parametrize("code", [1, 8, 2001])
def test_a_question_that_failed_without_a_word_is_known_by_its_proof(code: int) -> None:
    document = json.loads(sample("daraja/b2c-answer.json"))
    document["Result"]["ResultCode"] = code
    del document["Result"]["ResultParameters"]
    notice = b2c(json.dumps(document).encode())
    assert (notice.outcome, notice.reference, notice.event_id) == (Outcome.PENDING, "P1001", "")
