"""Selcom's checkout webhook: named fields are proven, nothing else is read."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence

import pytest
from structlog.testing import capture_logs

from gateway.providers.base import signed_fields
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
from gateway.providers.selcom import SelcomCheckout
from gateway.settings.providers import Selcom
from tests.providers.contract import NEW, ProvenContract, changed, sample

FIELDS = "transid,order_id,reference,result,resultcode,payment_status"
TIMESTAMP = "2026-01-01T12:00:00+03:00"
VECTOR_SECRET = "synthetic-selcom-secret"
VECTOR_DIGEST = "ONsh+KUBB0Hdz+Pv/+5Yt4QLy5sLTb8N1vT+Jwr0y80="
BODY = sample("selcom/checkout.json")
OLDER = sample("selcom/checkout-resulcode.json")


def digest(body: bytes, secret: str, fields: str = FIELDS, timestamp: str = TIMESTAMP) -> str:
    """HS256 over the named fields, written here anew; of a body without them, over what is left."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = {}
    document = document if isinstance(document, dict) else {}
    document.setdefault("resultcode", document.get("resulcode", ""))
    pairs = [
        f"timestamp={timestamp}",
        *(f"{name}={document.get(name)}" for name in fields.split(",")),
    ]
    mac = hmac.new(secret.encode(), "&".join(pairs).encode(), hashlib.sha256).digest()
    return base64.b64encode(mac).decode()


def request(
    body: bytes,
    credentials: Sequence[str],
    *,
    fields: str = FIELDS,
    timestamp: str = TIMESTAMP,
    method: str = "HS256",
) -> Callback:
    """A webhook with these headers."""
    headers = [("Timestamp", timestamp), ("Digest-Method", method), ("Signed-Fields", fields)]
    headers += [("Digest", credential) for credential in credentials]
    return TestSelcomCheckout().callback(body, headers)


def dialect(*secrets: str) -> SelcomCheckout:
    """The dialect with these secrets."""
    return SelcomCheckout(Selcom(api_secret=secrets or (NEW,)))


class TestSelcomCheckout(ProvenContract):
    """The shared contract."""

    sample_name = "selcom/checkout.json"
    expected = Notice(
        kind=Kind.PAYMENT,
        outcome=Outcome.SUCCEEDED,
        txn_id="0000000001",
        reference="ORD-1001",
        reason="COMPLETED",
    )
    words: Mapping[str, Outcome] = {
        "COMPLETED": Outcome.SUCCEEDED,
        "COMPLETE": Outcome.SUCCEEDED,
        "PENDING": Outcome.PENDING,
        "INPROGRESS": Outcome.PENDING,
        "CANCELLED": Outcome.FAILED,
        "CANCEL": Outcome.FAILED,
        "USERCANCELED": Outcome.FAILED,
        "USERCANCELLED": Outcome.FAILED,
        "REJECTED": Outcome.FAILED,
    }
    unreadable_is = Unauthorized  # the proof is over fields of the body
    covers_the_body = False  # over the named ones alone

    def dialect(self, secrets: Sequence[str] = (NEW,)) -> SelcomCheckout:
        return SelcomCheckout(Selcom(api_secret=tuple(secrets)))

    def body_saying(self, word: str) -> bytes:
        return changed(BODY, "payment_status", value=word)

    def credential(self, body: bytes, secret: str) -> str:
        return digest(body, secret)

    def carrying(self, body: bytes, credentials: Sequence[str]) -> Callback:
        return request(body, credentials)


def test_the_vendors_vector_is_reproduced() -> None:
    values = {"utilityref": "12345", "transid": "transid", "amount": "5000"}
    key, secret = "202cb962ac59075b964b07152d234b70", "81dc9bdb52d04dc20036dbd8313ed055"
    made = signed_fields.headers(key, secret, "2019-02-26T09:30:46+03:00", values)
    assert made == {
        "Authorization": "SELCOM MjAyY2I5NjJhYzU5MDc1Yjk2NGIwNzE1MmQyMzRiNzA=",
        "Timestamp": "2019-02-26T09:30:46+03:00",
        "Digest-Method": "HS256",
        "Signed-Fields": "utilityref,transid,amount",
        "Digest": "TFHAyQ1k1d601bVfimp+GJsgiBPzMmmV0QJl0bX1c1Q=",
    }


@pytest.mark.parametrize(("body", "form"), [(BODY, "as written"), (OLDER, "resulcode")])
def test_the_synthetic_vector_is_believed_in_both_forms(body: bytes, form: str) -> None:
    callback = request(body, [VECTOR_DIGEST])
    with capture_logs() as lines:
        dialect("another", VECTOR_SECRET).authenticate(callback)
    assert [line["form"] for line in lines] == [form]
    assert dialect().parse(callback) == TestSelcomCheckout.expected


@pytest.mark.parametrize("name", FIELDS.split(","))
def test_a_signed_field_that_was_changed_is_unauthorized(name: str) -> None:
    body = changed(BODY, name, value="changed")
    with pytest.raises(Unauthorized):
        dialect(VECTOR_SECRET).authenticate(request(body, [VECTOR_DIGEST]))


@pytest.mark.parametrize("value", [None, True, [], {}, "A&payment_status=COMPLETED"])
def test_a_signed_field_is_a_text_without_an_ampersand(value: object) -> None:
    body = changed(BODY, "order_id", value=value)
    with pytest.raises(Unauthorized):
        dialect().authenticate(request(body, [digest(body, NEW)]))


@pytest.mark.parametrize("name", ["transid", "order_id", "resultcode", "payment_status"])
def test_what_matters_must_be_among_the_signed_fields(name: str) -> None:
    fields = ",".join(field for field in FIELDS.split(",") if field != name)
    with pytest.raises(Unauthorized):
        dialect().authenticate(request(BODY, [digest(BODY, NEW, fields)], fields=fields))


@pytest.mark.parametrize(
    "fields",
    [
        "",
        "*",
        f"{FIELDS},",
        f"{FIELDS},transid",
        f"{FIELDS},timestamp",
        f"{FIELDS}, amount",
        f"{FIELDS},\xe9",
        ",".join([FIELDS, *(f"f{n}" for n in range(40))]),
    ],
)
def test_signed_fields_have_one_shape(fields: str) -> None:
    body = json.dumps(dict.fromkeys(fields.split(","), "1") | json.loads(BODY)).encode()
    with pytest.raises(Unauthorized, match="Signed-Fields"):
        dialect().authenticate(request(body, [digest(body, NEW, fields)], fields=fields))


def test_fields_cannot_be_moved_into_the_timestamp() -> None:
    moved = f"{TIMESTAMP}&transid=T1001"
    with pytest.raises(Unauthorized):
        dialect().authenticate(request(BODY, [digest(BODY, NEW, timestamp=moved)], timestamp=moved))


@pytest.mark.parametrize("timestamp", ["2026-01-01 12:00:00", "2026-31-12 1:2:3", "", "yesterday"])
def test_the_timestamp_is_signed_as_it_is_and_never_read(timestamp: str) -> None:
    callback = request(BODY, [digest(BODY, NEW, timestamp=timestamp)], timestamp=timestamp)
    dialect().authenticate(callback)


@pytest.mark.parametrize("method", ["RS256", "", "hs256", "none", "HS256,RS256"])
def test_nothing_but_hs256_is_believed(method: str) -> None:
    with pytest.raises(Unauthorized):
        dialect().authenticate(request(BODY, [digest(BODY, NEW)], method=method))


def test_an_amount_counts_only_when_it_is_signed() -> None:
    fields = f"{FIELDS},amount,phone"
    read = dialect().parse(request(BODY, [], fields=fields))
    assert (str(read.amount), read.currency, read.payer) == ("15000.00", "TZS", "255700000001")
    unsigned = dialect().parse(request(BODY, []))
    assert (unsigned.amount, unsigned.currency, unsigned.payer) == (None, "", "")


@pytest.mark.parametrize("amount", ["15000.505", "1,500", "-1", "0"])
def test_a_signed_amount_that_is_none_is_malformed(amount: str) -> None:
    body = changed(BODY, "amount", value=amount)
    with pytest.raises(Malformed):
        dialect().parse(request(body, [], fields=f"{FIELDS},amount"))


@pytest.mark.parametrize("name", ["order_id", "reference"])
def test_an_id_of_more_than_64_characters_is_malformed(name: str) -> None:
    with pytest.raises(Malformed):
        dialect().parse(request(changed(BODY, name, value="7" * 65), []))


def test_a_notice_without_an_order_is_malformed() -> None:
    with pytest.raises(Malformed):
        dialect().parse(request(changed(BODY, "order_id", value=""), []))


@pytest.mark.parametrize("code", ["111", "927", "999", "400", "0", "00", "", "0000"])
def test_completed_beside_any_other_code_decides_nothing(code: str) -> None:
    read = dialect().parse(request(changed(BODY, "resultcode", value=code), []))
    assert read.outcome is Outcome.PENDING


def test_the_acknowledgement_is_the_envelope() -> None:
    callback = request(BODY, [])
    notice = dialect().parse(callback)
    taken = dialect().acknowledge(callback, notice, Decision.TAKEN)
    assert taken.body == b'{"resultcode":"000","result":"SUCCESS"}'
    assert dialect().trust is Trust.QUERIED
