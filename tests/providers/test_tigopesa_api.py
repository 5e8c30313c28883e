"""Prompts over Tigo Pesa's services: taken, refused, put off, and left open."""

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
from gateway.providers.tigopesa import TigoPesaProvider, TigoPesaPush
from gateway.settings.providers import TigoPesa
from tests.emulators import provider
from tests.emulators.provider import Fault
from tests.emulators.tigopesa import (
    BILLER,
    BILLER_MSISDN,
    LOGIN,
    PASSWORD,
    PAYOUT,
    PIN,
    PUSH,
    USERNAME,
    TigoPesaApi,
)
from tests.providers.test_tigopesa_push import call
from tests.support.clock import START

ORDER = Order("ORD1001", "+255650000001", Decimal("15000.00"), "TZS")
PAID_OUT = Payout("P1001", "+255650000002", Decimal("15000.00"), "TZS")
ASKED = Asked("ORD1001", "", START, Decimal("15000.00"), "TZS")
REFERENCE = "900001ORD1001"
SETTINGS = TigoPesa(
    username=USERNAME,
    password=PASSWORD,
    biller=BILLER,
    biller_msisdn=f"+{BILLER_MSISDN}",
    base_url="http://127.0.0.1:9",
    allowed_addresses=("127.0.0.1",),
    payout_url="http://127.0.0.1:9/a2w",
    payout_msisdn=BILLER_MSISDN,
    payout_pin=PIN,
)


@pytest.fixture
def api() -> Iterator[TigoPesaApi]:
    """Tigo Pesa's services."""
    with TigoPesaApi() as running:
        yield running


def tigopesa(api: TigoPesaApi, read_seconds: float = 20.0, **settings: object) -> TigoPesaProvider:
    """The adapter, pointed at the emulator."""
    pointed = {"base_url": api.url, "payout_url": f"{api.url}{PAYOUT}", **settings}
    given = replace(SETTINGS, **pointed)  # type: ignore[arg-type]
    return TigoPesaProvider(given, timeout_seconds=(3.05, read_seconds))


def answers(code: str, status: object, http: int = 200) -> Fault:
    """An answer to a prompt in place of the usual one."""
    return Fault(says=(http, {"ResponseCode": code, "ResponseStatus": status}))


def test_a_prompt_is_known_by_the_billers_prefix_and_our_reference(api: TigoPesaApi) -> None:
    assert tigopesa(api).push(ORDER) == Pushed(reference=REFERENCE)
    assert api.prompts[REFERENCE] == {
        "CustomerMSISDN": "255650000001",
        "BillerMSISDN": BILLER_MSISDN,
        "Amount": 15000,
        "Remarks": "Wallet top-up",
        "ReferenceID": REFERENCE,
    }
    assert [request.path for request in api.requests] == [LOGIN, PUSH]


@pytest.mark.parametrize(("paid", "outcome"), [(True, "succeeded"), (False, "failed")])
def test_the_callback_names_the_prompt(api: TigoPesaApi, paid: bool, outcome: str) -> None:
    pushed = tigopesa(api).push(ORDER)
    notice = TigoPesaPush(SETTINGS).parse(call(api.callback(REFERENCE, paid=paid)))
    assert (notice.reference, notice.outcome) == (pushed.reference, outcome)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (provider.HANGS_UP, OutcomeUnknown),
        (provider.PAID_THEN_HANGS_UP, OutcomeUnknown),
        (provider.BROKEN, OutcomeUnknown),
        (provider.NO_JSON, OutcomeUnknown),
        (provider.CUT_OFF, OutcomeUnknown),
        (answers("BILLER-18-0000-S", False), OutcomeUnknown),
        (answers("BILLER-18-0000-S", "false"), OutcomeUnknown),
        (answers("BILLER-18-0000-S", True, 500), OutcomeUnknown),
        (answers("BILLER-18-3020-E", True), OutcomeUnknown),
        (answers("BILLER-18-9999-X", False), OutcomeUnknown),
        (answers("BILLER-18-3020-E", False, 502), OutcomeUnknown),
        (Fault(says=(200, {})), OutcomeUnknown),
        (answers("BILLER-18-3020-E", False), Refused),
        (answers("BILLER-18-3018-E", "false", 400), Refused),
        (answers("DebitMandate-10-1002-E", False), Refused),
        (answers("", False, 401), Throttled),
        (answers("", False, 403), Throttled),
    ],
)
def test_a_prompt_that_went_wrong_has_its_error(
    api: TigoPesaApi, fault: Fault, error: type[SendFailed]
) -> None:
    api.script(fault)
    with pytest.raises(error):
        tigopesa(api).push(ORDER)


@pytest.mark.parametrize("code", ["BILLER-18-0000-S", "BILLER-30-0000-S"])
@pytest.mark.parametrize("status", [True, "true"])
def test_both_generations_accept_in_their_own_words(
    api: TigoPesaApi, code: str, status: object
) -> None:
    api.script(answers(code, status))
    assert tigopesa(api).push(ORDER) == Pushed(reference=REFERENCE)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (provider.HANGS_UP, Unreachable),
        (provider.BROKEN, Unreachable),
        (provider.NO_JSON, Unreachable),
        (Fault(says=(200, {"access_token": ""})), Throttled),
        (Fault(says=(200, {"access_token": "a\r\nX: b"})), Throttled),
        (Fault(says=(200, {"access_token": True})), Throttled),
        (Fault(says=(500, {"access_token": "t"})), Throttled),
        (Fault(says=(401, b"")), Throttled),
    ],
)
def test_without_a_token_nothing_was_handed_over(
    api: TigoPesaApi, fault: Fault, error: type[SendFailed]
) -> None:
    api.faulty_login = True
    api.script(fault)
    with pytest.raises(error):
        tigopesa(api).push(ORDER)
    assert [request.path for request in api.requests] == [LOGIN]


def test_a_wrong_password_waits_for_an_operator(api: TigoPesaApi) -> None:
    with pytest.raises(Throttled) as raised:
        tigopesa(api, password="wrong").push(ORDER)
    assert raised.value.alarm


@pytest.mark.parametrize(
    "changes",
    [
        {"amount": Decimal("0.50")},
        {"amount": Decimal("15000.01")},
        {"currency": "KES"},
        {"msisdn": "+254700000001"},
    ],
)
def test_what_cannot_be_sent_is_refused_before_anything_is(
    api: TigoPesaApi, changes: dict[str, object]
) -> None:
    with pytest.raises(Refused):
        tigopesa(api).push(replace(ORDER, **changes))  # type: ignore[arg-type]
    with pytest.raises(Refused):
        tigopesa(api).pay(replace(PAID_OUT, **changes))  # type: ignore[arg-type]
    assert api.requests == []


def test_there_is_nothing_to_ask_so_that_everything_stays_pending(api: TigoPesaApi) -> None:
    for ask in (tigopesa(api).ask, tigopesa(api).ask_payout):
        assert ask(ASKED) == Status(Outcome.PENDING, reason="no status service")
    assert api.requests == []


@pytest.mark.parametrize(
    "settings",
    [
        {"username": ""},
        {"password": "a\nb"},
        {"biller": ""},
        {"biller_msisdn": ""},
        {"base_url": ""},
        {"login_path": "token"},
        {"push_path": "@elsewhere/"},
        {"push_path": "/a b"},
        {"push_path": "http://elsewhere"},
        {"login_path": "token", "base_url": "https://yas.example.com/v1"},
        {"payout_url": "a2w"},
        {"payout_msisdn": ""},
        {"payout_pin": ""},
    ],
)
def test_settings_that_cannot_work_are_named(settings: dict[str, object]) -> None:
    with pytest.raises(Misconfigured, match=f"GATEWAY_TIGOPESA_{next(iter(settings)).upper()}"):
        TigoPesaProvider(replace(SETTINGS, **settings))  # type: ignore[arg-type]
