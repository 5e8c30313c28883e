"""Snippe's collections and payouts over real HTTP: what each answer makes of an order."""

import socket
from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest

from gateway.errors import (
    Misconfigured,
    OutcomeUnknown,
    Refused,
    SendFailed,
    Throttled,
    Unreachable,
)
from gateway.providers.base.messages import Asked, Order, Outcome, Payout, Pushed, Status
from gateway.providers.snippe import SnippeProvider
from gateway.settings.providers import Snippe
from tests.emulators import provider as emulated
from tests.emulators.snippe import API_KEY, SnippeApi
from tests.support.clock import START

PUBLIC_URL = "https://pay.example.com"
ORDER = Order("ORD1001A", "+255700000001", Decimal("15000.00"), "TZS")
PAYOUT = Payout("P1001", "+255700000002", Decimal("15000.00"), "TZS")
SECONDS = (1.0, 0.3)  # to connect, between bytes


def connected(url: str, key: str = API_KEY) -> SnippeProvider:
    settings = Snippe(api_key=key, base_url=url)
    return SnippeProvider(settings, public_url=PUBLIC_URL, timeout_seconds=SECONDS)


def asked(reference: str, provider_ref: str, msisdn: str = ORDER.msisdn) -> Asked:
    return Asked(reference, provider_ref, START, Decimal("15000.00"), "TZS", msisdn)


@pytest.fixture
def api() -> Iterator[SnippeApi]:
    with SnippeApi() as running:
        yield running


def test_a_push_shows_a_prompt_under_our_reference(api: SnippeApi) -> None:
    assert connected(api.url).push(ORDER) == Pushed(provider_ref="pi_synthetic0001")
    (request,) = api.requests
    assert (request.method, request.path) == ("POST", "/payments")
    assert request.headers["idempotency-key"] == "ORD1001A"
    assert request.document == {
        "payment_type": "mobile",
        "details": {"amount": 15000, "currency": "TZS"},
        "phone_number": "255700000001",
        "customer": {
            "firstname": "Wallet",
            "lastname": "Holder",
            "email": "payments@pay.example.com",
        },
        "webhook_url": "https://pay.example.com/webhooks/snippe",
        "metadata": {"order_id": "ORD1001A"},
    }


def test_a_payment_is_pending_until_its_payer_has_paid(api: SnippeApi) -> None:
    provider = connected(api.url)
    theirs = provider.push(ORDER).provider_ref
    assert provider.ask(asked("ORD1001A", theirs)).outcome == Outcome.PENDING
    api.settle(theirs, "completed", external_reference="SYNX000001")
    status = provider.ask(asked("ORD1001A", theirs))
    assert status == Status(Outcome.SUCCEEDED, "SYNX000001", theirs, Decimal("15000.00"))


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("failed", Outcome.FAILED),
        ("voided", Outcome.FAILED),
        ("expired", Outcome.FAILED),
        ("reversed", Outcome.REVERSED),
        ("borked", Outcome.PENDING),
        ("COMPLETED", Outcome.PENDING),
        ("", Outcome.PENDING),
    ],
)
def test_each_status_has_its_meaning(api: SnippeApi, word: str, outcome: Outcome) -> None:
    provider = connected(api.url)
    order, payout = provider.push(ORDER).provider_ref, provider.pay(PAYOUT).provider_ref
    for theirs in (order, payout):
        api.settle(theirs, word, failure_reason="no float at 0700000009")
    status = provider.ask(asked("ORD1001A", order))
    assert (status.outcome, status.reason) == (outcome, "no float at ####")
    assert provider.ask_payout(asked("P1001", payout)).outcome == outcome


def test_a_push_or_payout_that_is_repeated_is_made_once(api: SnippeApi) -> None:
    provider = connected(api.url)
    assert provider.push(ORDER) == provider.push(ORDER)
    assert provider.pay(PAYOUT) == provider.pay(PAYOUT)
    assert len(api.made) == 2


def test_a_payout_is_taken_then_paid_and_may_be_taken_back(api: SnippeApi) -> None:
    provider = connected(api.url)
    first = provider.pay(PAYOUT)
    assert (first.outcome, first.provider_ref) == (Outcome.PENDING, "po_synthetic0001")
    request = api.requests[0]
    assert (request.path, request.headers["idempotency-key"]) == ("/payouts/send", "P1001")
    assert request.document["recipient_phone"] == "255700000002"
    assert request.document["amount"] == 15000
    api.settle(first.provider_ref, "completed", external_reference="SYNX000003")
    paid = provider.ask_payout(asked("P1001", first.provider_ref))
    assert (paid.outcome, paid.txn_id) == (Outcome.SUCCEEDED, "SYNX000003")
    api.settle(first.provider_ref, "reversed")
    back = provider.ask_payout(asked("P1001", first.provider_ref))
    assert (back.outcome, back.txn_id) == (Outcome.REVERSED, "SYNX000003")


def test_one_whose_answer_was_lost_is_found_by_our_reference(api: SnippeApi) -> None:
    provider = connected(api.url)
    provider.push(Order("ORD9", "+255700000001", Decimal("700.00"), "TZS"))
    provider.pay(Payout("P9", "+255700000001", Decimal("7000.00"), "TZS"))
    api.script(emulated.PAID_THEN_HANGS_UP, emulated.PAID_THEN_BROKEN)
    with pytest.raises(OutcomeUnknown):
        provider.push(ORDER)
    with pytest.raises(OutcomeUnknown):
        provider.pay(PAYOUT)
    (order,) = api.by_order("ORD1001A")
    api.settle(order["reference"], "completed")
    found = provider.ask(asked("ORD1001A", ""))
    assert (found.outcome, found.txn_id) == (Outcome.SUCCEEDED, "")
    assert api.requests[-1].query == {"phone_number": "255700000001", "limit": "100"}
    payout = provider.ask_payout(asked("P1001", ""))
    assert (payout.outcome, payout.provider_ref) == (Outcome.PENDING, "po_synthetic0004")


def test_one_that_nobody_has_heard_of_is_pending(api: SnippeApi) -> None:
    provider = connected(api.url)
    for theirs in ("", "pi_unknown"):
        assert provider.ask(asked("ORD1001A", theirs)).outcome == Outcome.PENDING
        assert provider.ask_payout(asked("P1001", theirs)).outcome == Outcome.PENDING
    api.echoes_metadata = False
    provider.push(ORDER)
    assert provider.ask(asked("ORD1001A", "")).outcome == Outcome.PENDING


def test_an_answer_about_another_payment_settles_nothing(api: SnippeApi) -> None:
    provider = connected(api.url)
    theirs = provider.push(ORDER).provider_ref
    api.settle(theirs, "completed")
    for reference, data in (
        ("ORD1001A", {"reference": "pi_other", "status": "completed"}),
        ("ORD1001A", {"status": "completed"}),
        ("ORD1001A", None),
        ("ORD1001A", "x"),
        ("ORD2", {**api.made[theirs]}),
    ):
        api.script(emulated.Fault(says=(200, {"status": "success", "data": data})))
        with pytest.raises(OutcomeUnknown):
            provider.ask(asked(reference, theirs))


Call = Callable[[SnippeProvider], object]
CALLS: dict[str, Call] = {
    "push": lambda provider: provider.push(ORDER),
    "ask": lambda provider: provider.ask(asked("ORD1001A", "pi_1")),
    "pay": lambda provider: provider.pay(PAYOUT),
    "ask_payout": lambda provider: provider.ask_payout(asked("P1001", "po_1")),
    "fee": lambda provider: provider.fee(Decimal("5000.00")),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (emulated.HANGS_UP, OutcomeUnknown),
        (emulated.Fault(wait_seconds=1.0), OutcomeUnknown),
        (emulated.Fault(says=(201, b"[" * 1000)), OutcomeUnknown),
        (emulated.NO_JSON, OutcomeUnknown),
        (emulated.Fault(says=(200, []), short_by=5), OutcomeUnknown),
        (emulated.BROKEN, OutcomeUnknown),
        (emulated.Fault(says=(500, {"error_code": "payment_failed"})), OutcomeUnknown),
        (emulated.Fault(says=(400, {"error_code": "PAY_001"})), OutcomeUnknown),
        (emulated.Fault(says=(422, {"error_code": "validation_error"})), OutcomeUnknown),
        (emulated.Fault(says=(302, b"")), OutcomeUnknown),
        (emulated.Fault(says=(400, {"error_code": "validation_error"})), Refused),
        (emulated.TOO_MANY, Throttled),
        (emulated.Fault(says=(401, {"error_code": "unauthorized"})), Throttled),
        (emulated.Fault(says=(403, {"error_code": "insufficient_scope"})), Throttled),
    ],
)
def test_a_fault_says_what_is_known(
    api: SnippeApi, call: str, fault: emulated.Fault, error: type[SendFailed]
) -> None:
    api.script(fault)
    with pytest.raises(error):
        CALLS[call](connected(api.url))
    assert len(api.requests) == 1


@pytest.mark.parametrize("call", CALLS)
def test_without_a_connection_nothing_was_handed_over(call: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    with pytest.raises(Unreachable):
        CALLS[call](connected(url))


def test_wrong_credentials_call_somebody(api: SnippeApi) -> None:
    with pytest.raises(Throttled) as raised:
        connected(api.url, "snp_wrong").pay(PAYOUT)
    assert raised.value.alarm
    assert "snp_wrong" not in str(raised.value)


def test_a_payout_that_failed_at_once_is_refused(api: SnippeApi) -> None:
    data = {"reference": "po_1", "status": "failed", "failure_reason": "no such phone"}
    api.script(emulated.Fault(says=(201, {"data": data})), emulated.Fault(says=(201, {"data": {}})))
    with pytest.raises(Refused, match="no such phone"):
        connected(api.url).pay(PAYOUT)
    with pytest.raises(OutcomeUnknown):
        connected(api.url).pay(PAYOUT)


@pytest.mark.parametrize("amount", ["15000.50", "0.01", "0.00", "-5.00"])
def test_a_fraction_of_a_shilling_is_refused_before_anything_is_sent(
    api: SnippeApi, amount: str
) -> None:
    provider = connected(api.url)
    with pytest.raises(Refused):
        provider.push(Order("A1", "+255700000001", Decimal(amount), "TZS"))
    with pytest.raises(Refused):
        provider.pay(Payout("A1", "+255700000001", Decimal(amount), "TZS"))
    assert api.requests == []


@pytest.mark.parametrize(
    ("msisdn", "currency"),
    [("+254700000001", "TZS"), ("+25570000000", "TZS"), ("0700000001", "TZS"),
     ("+255700000001", "KES")],
)  # fmt: skip
def test_another_country_is_refused_before_anything_is_sent(
    api: SnippeApi, msisdn: str, currency: str
) -> None:
    with pytest.raises(Refused):
        connected(api.url).pay(Payout("A1", msisdn, Decimal("5000.00"), currency))
    assert api.requests == []


def test_the_fee_of_a_payout_is_said_beforehand(api: SnippeApi) -> None:
    assert connected(api.url).fee(Decimal("5000.00")) == Decimal("1500.00")
    api.script(emulated.Fault(says=(200, {"data": {"fee_amount": 0}})))
    assert connected(api.url).fee(Decimal("5000.00")) == Decimal("0.00")


@pytest.mark.parametrize(
    ("settings", "public_url", "named"),
    [
        (Snippe(), PUBLIC_URL, "GATEWAY_SNIPPE_API_KEY"),
        (Snippe(api_key="k\n"), PUBLIC_URL, "GATEWAY_SNIPPE_API_KEY"),
        (Snippe(api_key="\xe9"), PUBLIC_URL, "GATEWAY_SNIPPE_API_KEY"),
        (Snippe(api_key="k", base_url="ftp://x"), PUBLIC_URL, "GATEWAY_SNIPPE_BASE_URL"),
        (Snippe(api_key="k"), "", "GATEWAY_PUBLIC_URL"),
    ],
)
def test_settings_that_cannot_work_are_named_at_start(
    settings: Snippe, public_url: str, named: str
) -> None:
    with pytest.raises(Misconfigured, match=named):
        SnippeProvider(settings, public_url=public_url)


def test_no_repr_shows_the_key() -> None:
    settings = Snippe(api_key=API_KEY, webhook_secret=("synthetic",))
    provider = SnippeProvider(settings, public_url=PUBLIC_URL)
    assert API_KEY not in f"{settings!r} {provider!r}"
    assert "synthetic" not in repr(settings)
