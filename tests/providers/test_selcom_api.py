"""Orders and payouts over Selcom's API: what is taken, refused, put off, and left open."""

import base64
from collections.abc import Iterator
from dataclasses import replace
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
from gateway.providers.selcom import SelcomCheckout, SelcomProvider
from gateway.settings.providers import Selcom
from tests.emulators import provider
from tests.emulators.provider import USUAL, Fault
from tests.emulators.selcom import (
    CREATE,
    KEY,
    PIN,
    PROCESS,
    PROMPT,
    SECRET,
    STATUS,
    SelcomApi,
    said,
)
from tests.providers.test_selcom_checkout import request
from tests.support.clock import START, SteppedClock

PUBLIC_URL = "https://pay.example.com"
ORDER = Order("ORD1001", "+255700000001", Decimal("15000.00"), "TZS")
PAYOUT = Payout("P1001", "+255700000002", Decimal("15000.00"), "TZS")
SETTINGS = Selcom(
    api_key=KEY,
    api_secret=(SECRET, "older"),
    vendor="TILL0",
    float_vendor="FLOAT0",
    float_pin=PIN,
)


@pytest.fixture
def api() -> Iterator[SelcomApi]:
    """Selcom's gateway."""
    with SelcomApi() as running:
        yield running


def selcom(api: SelcomApi, read_seconds: float = 20.0, **settings: object) -> SelcomProvider:
    """The adapter, pointed at the emulator."""
    given = replace(SETTINGS, base_url=api.url, **settings)  # type: ignore[arg-type]
    return SelcomProvider(
        given, SteppedClock(), public_url=PUBLIC_URL, timeout_seconds=(3.05, read_seconds)
    )


def asked(reference: str) -> Asked:
    """A question about an order or payout."""
    return Asked(reference, "", START, Decimal("15000.00"), "TZS")


def answers(code: str, result: str, status: int = 200, **more: object) -> Fault:
    """An answer in place of the usual one."""
    return Fault(says=(status, said(code, result, **more)))


# --- orders ---------------------------------------------------------------------------------------


def test_an_order_is_made_and_the_phone_prompted(api: SelcomApi) -> None:
    assert selcom(api).push(ORDER) == Pushed(provider_ref="0000000002")
    created, prompted = api.requests
    assert (created.path, prompted.path) == (CREATE, PROMPT)
    order = created.document
    assert order["amount"] == 15000
    assert order["buyer_email"] == "payer@pay.example.com"
    assert base64.b64decode(order["webhook"]) == b"https://pay.example.com/webhooks/selcom/checkout"
    assert prompted.document == {
        "transid": "ORD1001",
        "order_id": "ORD1001",
        "msisdn": "255700000001",
    }
    assert created.headers["timestamp"] == "2026-03-02T12:00:00+03:00"


def test_a_paid_order_is_seen_by_its_webhook_and_by_asking(api: SelcomApi) -> None:
    through = selcom(api)
    through.push(ORDER)
    assert through.ask(asked("ORD1001")).outcome is Outcome.PENDING
    api.pay_order("ORD1001")
    headers, body = api.webhook("ORD1001")
    callback = replace(request(body, []), headers=headers)
    SelcomCheckout(SETTINGS).authenticate(callback)
    notice = SelcomCheckout(SETTINGS).parse(callback)
    status = through.ask(asked("ORD1001"))
    assert status == Status(
        Outcome.SUCCEEDED, "9000000001", amount=Decimal("15000.00"), reason="COMPLETED"
    )
    assert (notice.txn_id, notice.reference) == (status.txn_id, "ORD1001")


@pytest.mark.parametrize("word", ["COMPLETED", "PENDING", "USERCANCELED", "Borked", "completed"])
def test_the_order_status_is_read_by_the_table(api: SelcomApi, word: str) -> None:
    table = {"COMPLETED": Outcome.SUCCEEDED, "USERCANCELED": Outcome.FAILED}
    selcom(api).push(ORDER)
    api.pay_order("ORD1001", word)
    assert selcom(api).ask(asked("ORD1001")).outcome is table.get(word, Outcome.PENDING)


ROW = {"order_id": "ORD1001", "amount": "15000", "payment_status": "COMPLETED", "reference": "9"}


@pytest.mark.parametrize(
    "answer",
    [
        said("000", "SUCCESS", data=[]),
        said("000", "SUCCESS", data=None),
        said("000", "SUCCESS"),
        said("000", "SUCCESS", data={"order_id": "ORD1001"}),
        said("000", "SUCCESS", data=["ORD1001", None]),
        said("000", "SUCCESS", data=[{**ROW, "order_id": "OTHER"}]),
        said("000", "SUCCESS", data=[{**ROW, "amount": "1,500"}]),
        said("000", "SUCCESS", data=[{**ROW, "amount": "15,000"}]),
        said("000", "SUCCESS", data=[{**ROW, "payment_status": ["COMPLETED"]}]),
        said("999", "AMBIGUOUS", data=[ROW]),
        said("404", "FAIL", data=[ROW]),
        {"data": [ROW]},
    ],
)
def test_an_answer_that_does_not_name_our_order_as_paid_is_pending(
    api: SelcomApi, answer: dict[str, object]
) -> None:
    api.script(Fault(says=(200, answer)))
    assert selcom(api).ask(asked("ORD1001")).outcome is Outcome.PENDING


def test_the_channels_id_stands_in_where_selcoms_is_missing(api: SelcomApi) -> None:
    row = {**ROW, "reference": None, "transid": "CH1"}
    api.script(Fault(says=(200, said("000", "SUCCESS", data=[row]))))
    assert selcom(api).ask(asked("ORD1001")).txn_id == "CH1"


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (provider.HANGS_UP, Unreachable),
        (provider.BROKEN, Unreachable),
        (provider.PAID_THEN_HANGS_UP, Unreachable),
        (provider.CUT_OFF, Unreachable),
        (answers("999", "AMBIGUOUS"), Unreachable),
        (provider.TOO_MANY, Throttled),
        (answers("401", "FAIL", 401), Throttled),
        (answers("4035", "FAIL", 403), Refused),
        (answers("4035", "FAIL"), Refused),
        (answers("412", "FAIL", 412), Refused),
        (answers("012", "FAIL"), Refused),
    ],
)
def test_until_the_prompt_nothing_is_unknown(
    api: SelcomApi, fault: Fault, error: type[SendFailed]
) -> None:
    api.script(fault)
    with pytest.raises(error):
        selcom(api).push(ORDER)
    assert api.prompts == []


def test_an_order_that_an_earlier_try_made_is_prompted_for(api: SelcomApi) -> None:
    api.script(provider.PAID_THEN_HANGS_UP)
    with pytest.raises(Unreachable):
        selcom(api).push(ORDER)
    assert selcom(api).push(ORDER).provider_ref
    assert (len(api.orders), len(api.prompts)) == (1, 1)


def test_a_paid_order_is_never_prompted_for_again(api: SelcomApi) -> None:
    selcom(api).push(ORDER)
    api.pay_order("ORD1001")
    with pytest.raises(SendFailed):
        selcom(api).push(ORDER)
    assert len(api.prompts) == 1


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (provider.HANGS_UP, OutcomeUnknown),
        (provider.PAID_THEN_HANGS_UP, OutcomeUnknown),
        (provider.BROKEN, OutcomeUnknown),
        (provider.NO_JSON, OutcomeUnknown),
        (provider.CUT_OFF, OutcomeUnknown),
        (answers("999", "AMBIGUOUS"), OutcomeUnknown),
        (answers("777", "FAIL"), OutcomeUnknown),
        (answers("400", "FAIL", message="Duplicate transid"), OutcomeUnknown),
        (answers("000", "SUCCESS", 500), OutcomeUnknown),
        (answers("012", "FAIL"), Refused),
        (answers("403", "FAIL"), Refused),
        (provider.TOO_MANY, Throttled),
    ],
)
def test_a_prompt_that_went_wrong_has_its_error(
    api: SelcomApi, fault: Fault, error: type[SendFailed]
) -> None:
    api.script(USUAL, fault)
    with pytest.raises(error):
        selcom(api).push(ORDER)


@pytest.mark.parametrize(("code", "result"), [("000", "PENDING"), ("111", "PENDING"), ("927", "X")])
def test_a_prompt_in_progress_is_pushed(api: SelcomApi, code: str, result: str) -> None:
    api.script(USUAL, answers(code, result, reference="7"))
    assert selcom(api).push(ORDER) == Pushed(provider_ref="7")


@pytest.mark.parametrize(
    "order",
    [
        replace(ORDER, amount=Decimal("15000.50")),
        replace(ORDER, amount=Decimal("0.00")),
        replace(ORDER, currency="KES"),
        replace(ORDER, msisdn="+254700000001"),
        replace(ORDER, msisdn="+2557000000011"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_before_anything_is_sent(
    api: SelcomApi, order: Order
) -> None:
    with pytest.raises(Refused):
        selcom(api).push(order)
    assert api.requests == []


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (provider.HANGS_UP, OutcomeUnknown),
        (provider.BROKEN, OutcomeUnknown),
        (answers("000", "SUCCESS", 500, data=[ROW]), OutcomeUnknown),
        (provider.TOO_MANY, Throttled),
        (answers("4035", "FAIL", 403), Throttled),
        (answers("4035", "FAIL"), Throttled),
    ],
)
def test_a_question_that_went_wrong_says_nothing_of_the_order(
    api: SelcomApi, fault: Fault, error: type[SendFailed]
) -> None:
    api.script(fault, fault)
    for ask in (selcom(api).ask, selcom(api).ask_payout):
        with pytest.raises(error):
            ask(asked("ORD1001"))


def test_a_secret_that_is_not_the_gateways_waits_for_an_operator(api: SelcomApi) -> None:
    wrong = selcom(api, api_secret=("wrong",))
    for send in (lambda: wrong.push(ORDER), lambda: wrong.pay(PAYOUT)):
        with pytest.raises(Throttled) as raised:
            send()
        assert raised.value.alarm
    assert (api.orders, api.payouts) == ({}, {})
    assert {request.path for request in api.requests} == {CREATE, PROCESS}
    assert STATUS not in {request.path for request in api.requests}


@pytest.mark.parametrize(
    "settings",
    [
        {"api_key": ""},
        {"api_key": "k\n1"},
        {"api_secret": ()},
        {"api_secret": ("",)},
        {"vendor": ""},
        {"base_url": "apigw"},
        {"float_pin": ""},
    ],
)
def test_settings_that_cannot_work_are_named(settings: dict[str, object]) -> None:
    with pytest.raises(Misconfigured, match=f"GATEWAY_SELCOM_{next(iter(settings)).upper()}"):
        SelcomProvider(
            replace(SETTINGS, **settings),  # type: ignore[arg-type]
            SteppedClock(),
            public_url=PUBLIC_URL,
        )
    with pytest.raises(Misconfigured, match="GATEWAY_PUBLIC_URL"):
        SelcomProvider(SETTINGS, SteppedClock(), public_url="")


def test_the_adapter_shows_no_secret(api: SelcomApi) -> None:
    shown = f"{selcom(api)!r} {SETTINGS!r}"
    assert not any(secret in shown for secret in (KEY, SECRET, PIN))
