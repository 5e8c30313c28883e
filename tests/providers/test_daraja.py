"""Daraja's pushes, queries and payouts over real HTTP, and what is known when they fail."""

import base64
import threading
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from gateway import errors
from gateway.providers.base.messages import Asked, Order, Outcome, Payout
from gateway.providers.daraja import DarajaProvider
from gateway.settings.providers import Daraja
from tests.emulators import daraja, provider
from tests.emulators.daraja import DarajaApi
from tests.emulators.provider import Fault
from tests.support.clock import START, SteppedClock

SHILLINGS = Decimal("1500.00")
ORDER = Order("ORD1001", "+254700000001", SHILLINGS, "KES")
PAYOUT = Payout("PAY1001", "+254110000001", SHILLINGS, "KES")
CALLBACKS = "https://pay.example.com/webhooks/daraja/5ec2e7"


@pytest.fixture
def api() -> Iterator[DarajaApi]:
    with DarajaApi() as running:
        yield running


def settings(api: DarajaApi) -> Daraja:
    return Daraja(
        consumer_key=daraja.KEY,
        consumer_secret=daraja.SECRET,
        shortcode="600000",
        passkey="synthetic-passkey",
        base_url=api.url,
        initiator="synthetic-initiator",
        security_credential="synthetic-credential",
    )


def provider_of(
    api: DarajaApi, clock: SteppedClock | None = None, given: Daraja | None = None
) -> DarajaProvider:
    return DarajaProvider(
        given or settings(api),
        clock or SteppedClock(),
        public_url="https://pay.example.com",
        callback_secret="5ec2e7",
        timeout_seconds=(2.0, 1.0),
    )


def asked(reference: str, provider_ref: str = "") -> Asked:
    return Asked(reference, provider_ref, START, SHILLINGS, "KES")


def test_a_push_says_all_that_safaricom_asks_for(api: DarajaApi) -> None:
    pushed = provider_of(api).push(ORDER)
    (request,) = api.sent(daraja.PUSH)
    stamp = "20260302120000"  # of Nairobi, at 09:00 UTC
    assert request.document == {
        "BusinessShortCode": "600000",
        "Password": base64.b64encode(f"600000synthetic-passkey{stamp}".encode()).decode(),
        "Timestamp": stamp,
        "TransactionType": "CustomerPayBillOnline",
        "Amount": 1500,
        "PartyA": "254700000001",
        "PartyB": "600000",
        "PhoneNumber": "254700000001",
        "CallBackURL": f"{CALLBACKS}/stk",
        "AccountReference": "ORD1001",
        "TransactionDesc": "Top up",
    }
    assert pushed.provider_ref == "ws_CO_0000000"


def test_a_push_stays_pending_while_it_is_processed_and_then_succeeds(api: DarajaApi) -> None:
    ours = provider_of(api)
    question = asked("ORD1001", ours.push(ORDER).provider_ref)
    assert ours.ask(question).outcome is Outcome.PENDING
    api.settle(question.provider_ref)
    assert ours.ask(question).outcome is Outcome.SUCCEEDED


@pytest.mark.parametrize("code", ["1", "1032", "1037", "2001"])
def test_a_push_that_the_customer_did_not_pay_has_failed(api: DarajaApi, code: str) -> None:
    ours = provider_of(api)
    question = asked("ORD1001", ours.push(ORDER).provider_ref)
    api.settle(question.provider_ref, code)
    assert ours.ask(question).outcome is Outcome.FAILED


@pytest.mark.parametrize("code", ["4999", "31337", "", "00", "0.0", "True"])
def test_a_code_that_no_table_knows_stays_pending(api: DarajaApi, code: str) -> None:
    ours = provider_of(api)
    question = asked("ORD1001", ours.push(ORDER).provider_ref)
    api.settle(question.provider_ref, code)
    assert ours.ask(question).outcome is Outcome.PENDING


def test_a_push_that_safaricom_never_heard_of_stays_pending(api: DarajaApi) -> None:
    assert provider_of(api).ask(asked("ORD1001", "ws_CO_9")).outcome is Outcome.PENDING
    assert provider_of(api).ask(asked("ORD1001")).outcome is Outcome.PENDING
    assert len(api.sent(daraja.QUERY)) == 1  # nothing to ask by, nothing asked


@pytest.mark.parametrize(
    "order",
    [
        replace(ORDER, amount=Decimal("1500.50")),
        replace(ORDER, amount=Decimal("0.00")),
        replace(ORDER, currency="TZS"),
        replace(ORDER, msisdn="+255700000001"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_sent(api: DarajaApi, order: Order) -> None:
    with pytest.raises(errors.Refused):
        provider_of(api).push(order)
    with pytest.raises(errors.Refused):
        provider_of(api).pay(Payout(order.reference, order.msisdn, order.amount, order.currency))
    assert api.requests == []


FAULTS = {
    "a busy API": (daraja.BUSY, errors.Throttled),
    "too many requests": (provider.TOO_MANY, errors.Throttled),
    "a bad request": (daraja.BAD_PHONE, errors.Refused),
    "silence": (provider.HANGS_UP, errors.OutcomeUnknown),
    "silence after it was taken": (provider.PAID_THEN_HANGS_UP, errors.OutcomeUnknown),
    "a late answer": (Fault(wait_seconds=1.6), errors.OutcomeUnknown),
    "HTML under 503": (provider.BROKEN, errors.OutcomeUnknown),
    "HTML under 500 after it was taken": (provider.PAID_THEN_BROKEN, errors.OutcomeUnknown),
    "a cut answer": (provider.CUT_OFF, errors.OutcomeUnknown),
    "no JSON": (provider.NO_JSON, errors.OutcomeUnknown),
    "an empty object": (Fault(says=(200, {})), errors.OutcomeUnknown),
    "a redirect": (Fault(says=(302, {})), errors.OutcomeUnknown),
    "an unknown error": (
        Fault(says=daraja.error("500.003.1001", "Internal Server Error", 500)),
        errors.OutcomeUnknown,
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_says_what_is_known_of_a_payout(api: DarajaApi, name: str) -> None:
    fault, expected = FAULTS[name]
    api.script(fault)
    with pytest.raises(errors.SendFailed) as raised:
        provider_of(api).pay(PAYOUT)
    assert type(raised.value) is expected
    assert len(api.sent(daraja.PAY)) == 1


@pytest.mark.parametrize("name", [name for name in FAULTS if name != "an empty object"])
def test_a_fault_says_what_is_known_of_a_push(api: DarajaApi, name: str) -> None:
    fault, expected = FAULTS[name]
    api.script(fault)
    with pytest.raises(errors.SendFailed) as raised:
        provider_of(api).push(ORDER)
    assert type(raised.value) is expected
    assert len(api.sent(daraja.PUSH)) == 1


def test_a_locked_phone_is_refused_and_shows_no_prompt(api: DarajaApi) -> None:
    api.script(daraja.LOCKED)
    with pytest.raises(errors.Refused, match="lock"):
        provider_of(api).push(ORDER)


def test_nothing_was_handed_over_when_nobody_listens(api: DarajaApi) -> None:
    closed = DarajaApi()
    closed._server.server_close()
    with pytest.raises(errors.Unreachable):
        provider_of(closed).push(ORDER)


@pytest.mark.parametrize("fault", [provider.HANGS_UP, provider.BROKEN, provider.NO_JSON])
def test_without_an_access_token_nothing_about_money_was_sent(api: DarajaApi, fault: Fault) -> None:
    api.tokens_fail = True
    api.script(fault)
    with pytest.raises((errors.Unreachable, errors.Throttled)):
        provider_of(api).pay(PAYOUT)
    assert api.sent(daraja.PAY) == []


def test_wrong_credentials_call_for_an_operator(api: DarajaApi) -> None:
    wrong = replace(settings(api), consumer_secret="synthetic-wrong")
    with pytest.raises(errors.Throttled) as raised:
        provider_of(api, given=wrong).push(ORDER)
    assert raised.value.alarm
    assert "wrong" not in str(raised.value)


def test_a_token_is_shared_until_it_expires(api: DarajaApi) -> None:
    clock = SteppedClock()
    ours = provider_of(api, clock)
    threads = [threading.Thread(target=ours.push, args=(ORDER,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(api.sent(daraja.OAUTH)) == 1
    clock.advance(seconds=3600)
    ours.push(ORDER)
    assert len(api.sent(daraja.OAUTH)) == 2


def test_a_token_that_was_revoked_is_renewed_once_and_the_payout_made_once(
    api: DarajaApi,
) -> None:
    ours = provider_of(api)
    ours.push(ORDER)
    api.revoke_tokens()
    assert ours.pay(PAYOUT).outcome is Outcome.PENDING
    assert list(api.payouts) == ["PAY1001"]
    api.script(*[Fault(says=daraja.STALE_TOKEN)] * 2)
    with pytest.raises(errors.Throttled) as raised:
        ours.pay(replace(PAYOUT, reference="PAY1002"))
    assert raised.value.alarm
    assert list(api.payouts) == ["PAY1001"]
