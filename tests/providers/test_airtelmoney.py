"""Airtel Money's callbacks: a hash within the body, three forms it may cover, and a hint."""

import base64
import hashlib
import hmac
import json
from collections.abc import Sequence

import pytest

from gateway.providers.airtelmoney import AirtelMoneyDialect
from gateway.providers.base.messages import (
    Callback,
    Kind,
    Malformed,
    Notice,
    Outcome,
    Trust,
    Unauthorized,
)
from gateway.settings.providers import AirtelMoney
from tests.providers.contract import FOREIGN, NEW, ProvenContract, changed, sample
from tests.support.clock import START
from tests.support.log import captured_log

KEY = "synthetic-airtel-private-key"
WRAPPER_VECTOR = "5+038zNdqzxpr/BX7aNohpJtbEu1B2tMEuexKXO6vqw="
INNER_VECTOR = "oWn06FQuFCe05lVymq2te6yM/6oHXT24Sp+pyU0HbUg="
PAID = Notice(
    kind=Kind.PAYMENT,
    outcome=Outcome.SUCCEEDED,
    txn_id="MP260101.1200.S00001",
    reference="ORD1001A",
)
WORDS = {
    "TS": Outcome.SUCCEEDED,
    "TF": Outcome.PENDING,  # may be intermediate
    "TA": Outcome.PENDING,
    "TIP": Outcome.PENDING,
    "TI": Outcome.PENDING,
    "TE": Outcome.PENDING,
}


def hash_of(message: bytes, key: str = NEW) -> str:
    """As a callback holds it."""
    return base64.b64encode(hmac.new(key.encode(), message, hashlib.sha256).digest()).decode()


def callback(body: bytes) -> Callback:
    return Callback(part="", headers=(), body=body, address="::1", received_at=START)


def with_hash(body: bytes, given: str) -> bytes:
    """The body with a hash as its last member."""
    return body.rstrip()[:-1] + f',"hash":"{given}"'.encode("latin-1") + b"}"


def dialect(*keys: str) -> AirtelMoneyDialect:
    return AirtelMoneyDialect(AirtelMoney(callback_key=keys))


def form_that_matched(body: bytes, key: str = NEW) -> str:
    """Which bytes the hash covered, as the log names them."""
    with captured_log() as log:
        dialect(key).authenticate(callback(body))
        return str(log.line()["form"])


class TestAirtelMoney(ProvenContract):
    """What every dialect must do; a body that cannot be read cannot hold a proof either."""

    sample_name = "airtelmoney/paid.json"
    expected = PAID
    words = WORDS
    unreadable_is = Unauthorized

    def dialect(self, secrets: Sequence[str] = (NEW,)) -> AirtelMoneyDialect:
        return dialect(*secrets)

    def body_saying(self, word: str) -> bytes:
        return changed(sample(self.sample_name), "transaction", "status_code", value=word)

    def credential(self, body: bytes, secret: str) -> str:
        return hash_of(body, secret)

    def carrying(self, body: bytes, credentials: Sequence[str]) -> Callback:
        if not body.startswith(b"{"):
            return callback(body)
        for credential in credentials:
            body = with_hash(body, credential)
        return callback(body)


def test_the_vectors_verify_and_the_log_says_what_they_cover() -> None:
    body = sample("airtelmoney/paid.json")
    assert form_that_matched(with_hash(body, WRAPPER_VECTOR), KEY) == "body"
    assert form_that_matched(with_hash(body, INNER_VECTOR), KEY) == "inner"


def test_every_payment_is_asked_for_as_no_amount_is_said() -> None:
    one = dialect(NEW)
    assert (one.path, one.parts, one.books_as) == ("airtelmoney", ("",), "airtelmoney")
    assert (one.trust, one.guarded) == (Trust.QUERIED, False)
    notice = one.parse(callback(sample("airtelmoney/paid.json")))
    assert (notice.amount, notice.payer) == (None, "")


def test_blanks_are_covered_as_they_came() -> None:
    body = sample("airtelmoney/paid-indented.json")
    opening = body.rstrip()[:-2]
    spread = opening + b',\n  "hash" : "%s"\n}' % hash_of(body).encode()
    assert form_that_matched(spread) == "body"
    assert dialect(NEW).parse(callback(spread)) == PAID


def test_a_hash_may_stand_first_or_in_between() -> None:
    body = sample("airtelmoney/paid.json")
    first = b'{"hash":"%s",%s' % (hash_of(body).encode(), body[1:])
    assert form_that_matched(first) == "body"
    more = body[:-1] + b',"zone":"EAT"}'
    between = body[:-1] + b',"hash":"%s","zone":"EAT"}' % hash_of(more).encode()
    assert form_that_matched(between) == "body"


def test_a_hash_over_the_compact_wrapper_or_the_inner_object_is_taken() -> None:
    spread = sample("airtelmoney/paid-indented.json")
    compact = sample("airtelmoney/paid.json")
    assert form_that_matched(with_hash(spread, hash_of(compact))) == "compact"
    inner = spread[spread.index(b"{", 1) : spread.rindex(b"}")].rstrip()
    assert form_that_matched(with_hash(spread, hash_of(inner))) == "inner"


def test_the_message_may_be_in_any_script_and_hold_what_looks_like_a_member() -> None:
    for message in ("Umelipa TZS 15,000 kwa D\xfaka \U0001f600", ',"hash":"x"', '"transaction":{'):
        body = json.dumps(
            {"transaction": {"id": "A1", "message": message, "status_code": "TS"}},
            separators=(",", ":"),
            ensure_ascii=False,
        ).encode()
        dialect(NEW).authenticate(callback(with_hash(body, hash_of(body))))


@pytest.mark.parametrize(
    "given", [b"5", b"null", b"true", b"[]", b"{}", b'{"hash":"x"}', b'["x"]', b'""', b'"\\ud800"']
)
def test_a_hash_that_is_no_text_is_unauthorized(given: bytes) -> None:
    body = sample("airtelmoney/paid.json")
    with pytest.raises(Unauthorized):
        dialect(NEW).authenticate(callback(body[:-1] + b',"hash":' + given + b"}"))


def test_a_lone_surrogate_is_compared_and_not_an_error() -> None:
    body = b'{"transaction":{"id":"\\ud800","status_code":"TS"}}'
    with pytest.raises(Unauthorized):
        dialect(NEW).authenticate(callback(with_hash(body, hash_of(b"x"))))
    proven = callback(with_hash(body, hash_of(body)))
    dialect(NEW).authenticate(proven)
    with pytest.raises(Malformed):
        dialect(NEW).parse(proven)


def test_a_hash_within_the_transaction_is_none_of_the_callbacks() -> None:
    body = sample("airtelmoney/failed.json")
    inside = body[:-2] + b',"hash":"%s"}}' % hash_of(body).encode()
    with pytest.raises(Unauthorized):
        dialect(NEW).authenticate(callback(inside))


def test_nothing_hides_in_what_is_cut_out_with_the_hash() -> None:
    """The signed bytes say TF; each forgery reads otherwise and cuts down to them."""
    body = sample("airtelmoney/failed.json")
    good = hash_of(body).encode()
    whole = b',"hash":"%s"' % good
    for forged in (
        body[:-1] + whole + b',"transaction":{"id":"ORD1002A","status_code":"TS"}}',
        b'{"transaction":{"id":"ORD1002A","status_code":"TS"}' + whole + b"," + body[1:],
        body.replace(b'"TF"', b'"TF","hash":"\\","status_code":"TS"')[:-1] + whole + b"}",
        body.replace(b'"TF"', b'"TS"')[:-1] + whole + b"}",
        body[:-1] + whole + b',"hash":"x"}',
    ):
        with pytest.raises(Unauthorized):
            dialect(NEW).authenticate(callback(forged))


def test_a_member_beside_the_inner_object_is_not_taken_for_signed() -> None:
    body = sample("airtelmoney/failed.json")
    inner = body[len(b'{"transaction":') : -1]
    nested = b'{"a":{"transaction":%s},"transaction":{"id":"X","status_code":"TS"}}' % inner
    with pytest.raises(Unauthorized):
        dialect(NEW).authenticate(callback(with_hash(nested, hash_of(inner))))


def test_many_members_of_one_name_cost_no_time() -> None:
    body = b'{"a":[' + b'{"transaction":{"hash":"x","b":1}},' * 20_000 + b"1]}"
    with pytest.raises(Unauthorized):
        dialect(NEW).authenticate(callback(with_hash(body, hash_of(b"x"))))


def test_a_failure_may_be_intermediate_and_is_told_without_its_digits() -> None:
    notice = dialect(NEW).parse(callback(sample("airtelmoney/failed.json")))
    assert (notice.outcome, notice.reference, notice.txn_id) == (Outcome.PENDING, "ORD1002A", "")
    assert notice.reason == "Transaction of #### failed."


@pytest.mark.parametrize(
    "transaction",
    [
        None,
        {},
        {"status_code": "TS"},
        [],
        "x",
        {"id": True},
        {"id": "x" * 65},
        {"id": "A1", "status_code": ["TS"]},
        {"id": "A1", "airtel_money_id": "a\nb"},
    ],
)
def test_a_transaction_that_cannot_be_read_is_malformed(transaction: object) -> None:
    body = json.dumps({"transaction": transaction}).encode()
    with pytest.raises(Malformed):
        dialect(NEW).parse(callback(body))


def test_one_that_names_an_id_of_either_side_is_enough() -> None:
    ours = dialect(NEW).parse(callback(b'{"transaction":{"id":"A1","status_code":"TS"}}'))
    theirs = dialect(NEW).parse(callback(b'{"transaction":{"airtel_money_id":"M1"}}'))
    assert (ours.reference, ours.outcome) == ("A1", Outcome.SUCCEEDED)
    assert (theirs.txn_id, theirs.outcome) == ("M1", Outcome.PENDING)


def test_the_keys_text_is_the_key_and_is_not_decoded_from_hex() -> None:
    body = sample("airtelmoney/paid.json")
    dialect("6b6579").authenticate(callback(with_hash(body, hash_of(body, "6b6579"))))
    with pytest.raises(Unauthorized):
        dialect("6b6579").authenticate(callback(with_hash(body, hash_of(body, "key"))))
    with pytest.raises(Unauthorized):
        dialect("6b6579").authenticate(callback(with_hash(body, hash_of(body, FOREIGN))))
