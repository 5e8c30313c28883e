"""Snippe's webhooks: raw bodies in, notices out, and what a timestamp proves."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from gateway.providers.base.messages import (
    Callback,
    Kind,
    Malformed,
    Notice,
    Outcome,
    Trust,
    Unauthorized,
)
from gateway.providers.snippe import WINDOW_SECONDS, SnippeDialect
from gateway.settings.providers import Snippe
from tests.providers.contract import NEW, ProvenContract, changed, sample
from tests.support.clock import START

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
KEY = "synthetic-snippe-signing-key"
VECTOR = "87ee26a825e29e44c8aeb82acfc26270a1fb37acec79850edabe9644c549235d"
PAID = Notice(
    kind=Kind.PAYMENT,
    outcome=Outcome.SUCCEEDED,
    txn_id="SYNX000001",
    reference="ORD-1001",
    provider_ref="pi_synthetic0001",
    amount=Decimal("15000.00"),
    currency="TZS",
    event_id="evt_synthetic0001",
    occurred_at=NEW_YEAR,
)

WORDS = {
    "payment.completed": Outcome.SUCCEEDED,
    "payment.failed": Outcome.FAILED,
    "payment.voided": Outcome.FAILED,
    "payment.expired": Outcome.FAILED,
    "payout.completed": Outcome.SUCCEEDED,
    "payout.failed": Outcome.FAILED,
    "payout.reversed": Outcome.REVERSED,
    "payment.pending": Outcome.PENDING,
    "payout.approved": Outcome.PENDING,
    "dispute.opened": Outcome.PENDING,
}


def signed(
    body: bytes, at: datetime = START, *, key: str = NEW, received: datetime = START
) -> Callback:
    """A webhook signed at one instant and received at another."""
    timestamp = str(int(at.timestamp()))
    signature = hmac.digest(key.encode(), f"{timestamp}.".encode() + body, "sha256").hex()
    headers = (("X-Webhook-Timestamp", timestamp), ("X-Webhook-Signature", signature))
    return Callback(part="", headers=headers, body=body, address="::1", received_at=received)


def read(body: bytes) -> Notice:
    callback = signed(body)
    dialect = SnippeDialect(Snippe(webhook_secret=(NEW,)))
    dialect.authenticate(callback)
    return dialect.parse(callback)


class TestSnippe(ProvenContract):
    """What every dialect must do."""

    sample_name = "snippe/payment-completed.json"
    expected = PAID
    words = WORDS

    def dialect(self, secrets: Sequence[str] = (NEW,)) -> SnippeDialect:
        return SnippeDialect(Snippe(webhook_secret=tuple(secrets)))

    def body_saying(self, word: str) -> bytes:
        typed = changed(sample(self.sample_name), "type", value=word)
        return changed(typed, "data", "status", value=word.partition(".")[2])

    def credential(self, body: bytes, secret: str) -> str:
        message = f"{int(START.timestamp())}.".encode() + body
        return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()

    def carrying(self, body: bytes, credentials: Sequence[str]) -> Callback:
        headers = [("x-webhook-signature", credential) for credential in credentials]
        return self.callback(body, [("X-Webhook-Timestamp", str(int(START.timestamp()))), *headers])


def test_the_published_vector_verifies() -> None:
    headers = (("X-Webhook-Timestamp", "1767225600"), ("X-Webhook-Signature", VECTOR))
    body = sample("snippe/payment-completed.json")
    callback = Callback("", headers, body, "::1", NEW_YEAR)
    dialect = SnippeDialect(Snippe(webhook_secret=(KEY,)))
    dialect.authenticate(callback)
    assert dialect.parse(callback) == PAID


@pytest.mark.parametrize("signature", [VECTOR.upper(), VECTOR.title()])
def test_the_case_of_the_hex_digits_does_not_matter(signature: str) -> None:
    headers = (("X-Webhook-Timestamp", "1767225600"), ("X-Webhook-Signature", signature))
    callback = Callback("", headers, sample("snippe/payment-completed.json"), "::1", NEW_YEAR)
    SnippeDialect(Snippe(webhook_secret=(KEY,))).authenticate(callback)


def test_the_signature_covers_the_amount_so_a_webhook_is_credited_as_it_is() -> None:
    dialect = SnippeDialect(Snippe())
    assert (dialect.path, dialect.parts, dialect.books_as) == ("snippe", ("",), "snippe")
    assert (dialect.trust, dialect.guarded) == (Trust.SIGNED, False)


def test_the_long_sample_says_the_same_and_who_paid() -> None:
    notice = read(sample("snippe/payment-completed-full.json"))
    assert notice == replace(PAID, payer="+255700000001")


def test_a_failed_payment_says_why_without_its_digits() -> None:
    notice = read(sample("snippe/payment-failed.json"))
    assert (notice.kind, notice.outcome) == (Kind.PAYMENT, Outcome.FAILED)
    assert (notice.txn_id, notice.reference) == ("", "ORD-1002")
    assert notice.reason == "Insufficient balance of ####"
    assert notice.occurred_at == NEW_YEAR + timedelta(minutes=5)


@pytest.mark.parametrize(
    ("name", "outcome", "txn_id", "reference"),
    [
        ("payout-completed", Outcome.SUCCEEDED, "SYNX000003", "P1001"),
        ("payout-failed", Outcome.FAILED, "", "P1002"),
        ("payout-reversed", Outcome.REVERSED, "SYNX000003", "P1001"),
    ],
)
def test_a_payout_is_told_from_a_payment(
    name: str, outcome: Outcome, txn_id: str, reference: str
) -> None:
    notice = read(sample(f"snippe/{name}.json"))
    assert (notice.kind, notice.outcome) == (Kind.PAYOUT, outcome)
    assert (notice.txn_id, notice.reference) == (txn_id, reference)
    assert (notice.amount, notice.payer) == (Decimal("5000.00"), "+255700000002")


@pytest.mark.parametrize("seconds", [0, WINDOW_SECONDS, -WINDOW_SECONDS])
def test_a_webhook_signed_within_the_window_is_taken_at_its_word(seconds: int) -> None:
    callback = signed(sample("snippe/payment-completed.json"), START + timedelta(seconds=seconds))
    dialect = SnippeDialect(Snippe(webhook_secret=(NEW,)))
    dialect.authenticate(callback)
    assert dialect.parse(callback) == PAID


@pytest.mark.parametrize("seconds", [WINDOW_SECONDS + 1, -WINDOW_SECONDS - 1, -86_400, 10**9])
def test_one_signed_outside_the_window_is_kept_and_decides_nothing(seconds: int) -> None:
    for name in ("payment-completed", "payment-failed", "payout-completed", "payout-reversed"):
        callback = signed(sample(f"snippe/{name}.json"), START + timedelta(seconds=seconds))
        dialect = SnippeDialect(Snippe(webhook_secret=(NEW,)))
        dialect.authenticate(callback)
        notice = dialect.parse(callback)
        assert notice.outcome == Outcome.PENDING
        assert notice.provider_ref
        assert notice.amount


def test_a_webhook_dated_ahead_lives_no_longer_than_its_window() -> None:
    """The same bytes again after they were credited are a repeat by their ids, or too late."""
    ahead = START + timedelta(seconds=290)
    body = sample("snippe/payment-completed.json")
    dialect = SnippeDialect(Snippe(webhook_secret=(NEW,)))
    first = dialect.parse(signed(body, ahead))
    repeat = dialect.parse(signed(body, ahead, received=START + timedelta(seconds=580)))
    late = dialect.parse(signed(body, ahead, received=START + timedelta(seconds=591)))
    assert first == repeat == PAID
    assert late.outcome == Outcome.PENDING


@pytest.mark.parametrize(
    "timestamp",
    ["", " ", "1767225600 ", "+1767225600", "-1", "1_767_225_600", "1767225600.0", "0x10", "\xe9",
     "\u0661\u0662", "\uff11", "\xb2", "9" * 13, "9" * 5_000],
)  # fmt: skip
def test_a_timestamp_is_ascii_digits(timestamp: str) -> None:
    body = sample("snippe/payment-completed.json")
    message = f"{timestamp}.".encode() + body
    signature = hmac.digest(NEW.encode(), message, "sha256").hex()
    headers = (("X-Webhook-Timestamp", timestamp), ("X-Webhook-Signature", signature))
    with pytest.raises(Unauthorized):
        SnippeDialect(Snippe(webhook_secret=(NEW,))).authenticate(
            Callback("", headers, body, "::1", START)
        )


def test_a_timestamp_that_came_twice_proves_nothing() -> None:
    callback = signed(sample("snippe/payment-completed.json"))
    twice = Callback("", (*callback.headers, callback.headers[0]), callback.body, "::1", START)
    with pytest.raises(Unauthorized):
        SnippeDialect(Snippe(webhook_secret=(NEW,))).authenticate(twice)


@pytest.mark.parametrize("status", ["pending", "failed", "reversed", "new"])
def test_a_type_that_its_status_contradicts_decides_nothing(status: str) -> None:
    body = changed(sample("snippe/payment-completed.json"), "data", "status", value=status)
    assert read(body).outcome == Outcome.PENDING


@pytest.mark.parametrize("written", [b"15000", b"15000.0", b"15000.00", b'"15000"', b'"15000.00"'])
def test_an_amount_is_read_from_its_own_text(written: bytes) -> None:
    body = sample("snippe/payment-completed.json").replace(b"15000", written)
    assert read(body).amount == Decimal("15000.00")


@pytest.mark.parametrize(
    "written",
    [b"15000.505", b"1e4", b"-15000", b"0", b'"1,030.00"', b'" 15000 "', b"true", b"{}", b"[]"],
)
def test_an_amount_that_could_be_misread_is_malformed(written: bytes) -> None:
    with pytest.raises(Malformed):
        read(sample("snippe/payment-completed.json").replace(b"15000", written))


def test_a_success_without_amount_or_in_another_currency_waits_to_be_asked_about() -> None:
    body = sample("snippe/payment-completed.json")
    for odd in (
        changed(body, "data", "amount", value=None),
        changed(body, "data", "amount", "value", value=None),
        changed(body, "data", "amount", "currency", value="KES"),
        changed(body, "data", "amount", "currency", value=None),
    ):
        assert read(odd).outcome == Outcome.PENDING


@pytest.mark.parametrize("metadata", [None, [], "x", {}, {"order_id": 7}, {"order_id": "x" * 65}])
def test_money_that_others_asked_for_is_not_lost(metadata: object) -> None:
    notice = read(
        changed(sample("snippe/payment-completed.json"), "data", "metadata", value=metadata)
    )
    assert (notice.outcome, notice.txn_id) == (Outcome.SUCCEEDED, "SYNX000001")
    assert notice.reference in ("", "7")


def test_a_success_without_the_upstreams_reference_names_no_transaction() -> None:
    """Snippe's own in its place would be a second payment once the upstream's follows."""
    body = sample("snippe/payment-completed.json")
    notice = read(changed(body, "data", "external_reference", value=None))
    assert (notice.outcome, notice.txn_id) == (Outcome.SUCCEEDED, "")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("data",), []),
        (("data",), "x"),
        (("data", "amount"), 15000),
        (("data", "reference"), "x" * 65),
        (("data", "external_reference"), "a\nb"),
        (("data", "external_reference"), {"a": 1}),
        (("id",), "\ud800"),
        (("type",), True),
    ],
)
def test_a_member_of_another_form_is_malformed(path: tuple[str, ...], value: object) -> None:
    body = sample("snippe/payment-completed.json")
    with pytest.raises(Malformed):
        read(changed(body, *path, value=value))


@pytest.mark.parametrize("date", [None, "", "yesterday", 5, {}, "2026-13-01T00:00:00Z", "9" * 200])
def test_an_odd_date_does_not_lose_the_money(date: object) -> None:
    body = changed(sample("snippe/payment-completed.json"), "created_at", value=date)
    notice = read(changed(body, "data", "completed_at", value=date))
    assert (notice.outcome, notice.occurred_at) == (Outcome.SUCCEEDED, None)


@pytest.mark.parametrize("txn_id", ["Qk7", "qK7", "Qk7 ", "0001", "1"])
def test_an_id_is_kept_exactly(txn_id: str) -> None:
    body = sample("snippe/payment-completed.json")
    assert read(changed(body, "data", "external_reference", value=txn_id)).txn_id == txn_id


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"type":"payment.completed"}',
        b'{"type":"payment.completed","data":null}',
        b'{"type":"payment.completed","data":[]}',
        b'{"data":{"status":"completed"}}',
        b'{"type":null,"data":{}}',
        b'{"type":true,"data":{}}',
    ],
)
def test_a_signed_object_that_is_no_event_is_malformed(body: bytes) -> None:
    with pytest.raises(Malformed):
        read(body)
