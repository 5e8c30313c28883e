"""Airtel Money's collections and payouts over real HTTP: what each answer makes of an order."""

import socket
from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest

from gateway.errors import OutcomeUnknown, Refused, SendFailed, Throttled, Unreachable
from gateway.providers.airtelmoney import AirtelMoneyProvider
from gateway.providers.base.messages import Asked, Order, Outcome, Payout, Pushed, Status
from gateway.settings.providers import AirtelMoney
from tests.emulators import provider as emulated
from tests.emulators.airtelmoney import (
    CLIENT_ID,
    CLIENT_SECRET,
    PIN,
    PUBLIC_KEY,
    AirtelMoneyApi,
    Transaction,
)
from tests.support.clock import START, SteppedClock

ORDER = Order("ORD1001A", "+255680000001", Decimal("15000.00"), "TZS")
PAYOUT = Payout("P1001", "+255780000002", Decimal("15000.00"), "TZS")
SECONDS = (1.0, 0.3)  # to connect, between bytes


def connected(url: str, clock: SteppedClock, secret: str = CLIENT_SECRET) -> AirtelMoneyProvider:
    settings = AirtelMoney(
        client_id=CLIENT_ID,
        client_secret=secret,
        base_url=url,
        payout_pin=PIN,
        public_key=PUBLIC_KEY,
    )
    return AirtelMoneyProvider(settings, clock, timeout_seconds=SECONDS)


def asked(reference: str) -> Asked:
    return Asked(reference, "", START, Decimal("15000.00"), "TZS", ORDER.msisdn)


@pytest.fixture
def api() -> Iterator[AirtelMoneyApi]:
    with AirtelMoneyApi() as running:
        yield running


@pytest.fixture
def provider(api: AirtelMoneyApi, clock: SteppedClock) -> AirtelMoneyProvider:
    return connected(api.url, clock)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


def test_a_push_shows_a_prompt_under_our_own_id(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider
) -> None:
    assert provider.push(ORDER) == Pushed()
    request = api.requests[-1]
    assert (request.method, request.path) == ("POST", "/merchant/v1/payments/")
    assert request.document == {
        "reference": "ORD1001A",
        "subscriber": {"country": "TZ", "currency": "TZS", "msisdn": "680000001"},
        "transaction": {"country": "TZ", "currency": "TZS", "amount": 15000, "id": "ORD1001A"},
    }


def test_a_push_that_is_repeated_stands_once(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider
) -> None:
    api.script(emulated.PAID_THEN_HANGS_UP)
    with pytest.raises(OutcomeUnknown):
        provider.push(ORDER)
    assert provider.push(ORDER) == Pushed()
    assert len(api.collections) == 1


def test_a_payment_is_pending_until_its_payer_has_paid(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider
) -> None:
    provider.push(ORDER)
    assert provider.ask(asked("ORD1001A")).outcome == Outcome.PENDING
    api.settle(api.collections["ORD1001A"], "TS", "DP00800001001", "MP260101.1200.S00001")
    status = provider.ask(asked("ORD1001A"))
    assert status == Status(Outcome.SUCCEEDED, "MP260101.1200.S00001", reason="SUCCESS")


def test_a_failure_counts_three_minutes_after_the_order(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider, clock: SteppedClock
) -> None:
    provider.push(ORDER)
    api.settle(api.collections["ORD1001A"], "TF", "DP00800001007", "MP1")
    assert provider.ask(asked("ORD1001A")).outcome == Outcome.PENDING
    clock.advance(seconds=180)
    status = provider.ask(asked("ORD1001A"))
    assert (status.outcome, status.txn_id) == (Outcome.FAILED, "")


@pytest.mark.parametrize(
    ("word", "code", "outcome"),
    [
        ("TS", "DP00800001006", Outcome.SUCCEEDED),  # the word counts, not the code beside it
        ("TS", "", Outcome.SUCCEEDED),
        ("ts", "DP00800001001", Outcome.PENDING),
        ("TF", "DP00800001002", Outcome.FAILED),
        ("TF", "DP00800001000", Outcome.PENDING),  # ambiguous
        ("TF", "DP00800001024", Outcome.PENDING),  # timed out
        ("TF", "DP00900001014", Outcome.PENDING),
        ("TE", "DP00800001029", Outcome.FAILED),
        ("TA", "DP00800001000", Outcome.PENDING),
        ("TIP", "DP00800001006", Outcome.PENDING),
        ("TI", "", Outcome.PENDING),
        ("XX", "DP00800001001", Outcome.PENDING),
    ],
)
def test_each_status_has_its_meaning(
    api: AirtelMoneyApi, clock: SteppedClock, word: str, code: str, outcome: Outcome
) -> None:
    provider = connected(api.url, clock)
    clock.advance(hours=1)
    api.collections["A1"] = Transaction(15000, "680000001", word, code)
    api.payouts["A1"] = Transaction(15000, "680000001", word, code)
    assert provider.ask(asked("A1")).outcome == outcome
    assert provider.ask_payout(asked("A1")).outcome == outcome


def test_one_that_nobody_has_heard_of_is_pending(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider, clock: SteppedClock
) -> None:
    clock.advance(hours=1)
    assert provider.ask(asked("NONE")).outcome == Outcome.PENDING
    assert provider.ask_payout(asked("NONE")).outcome == Outcome.PENDING
    api.script(emulated.Fault(says=(404, {"message": "no such path"})))
    assert provider.ask_payout(asked("NONE")).outcome == Outcome.PENDING


def test_an_answer_about_another_transaction_settles_nothing(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider
) -> None:
    other = {"data": {"transaction": {"id": "OTHER", "status": "TS", "airtel_money_id": "M1"}}}
    for call in CALLS.values():
        api.script(emulated.Fault(says=(200, other)))
        with pytest.raises(OutcomeUnknown):
            call(provider)


def test_a_payout_is_paid_with_the_pin_under_their_key(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider
) -> None:
    assert provider.pay(PAYOUT) == Status(Outcome.SUCCEEDED, "MP0000")
    request = api.requests[-1]
    assert request.path == "/standard/v2/disbursements/"
    assert request.document["payee"] == {"msisdn": "780000002", "currency": "TZS"}
    assert request.document["transaction"] == {"amount": 15000, "id": "P1001", "type": "B2C"}
    assert PIN.encode() not in request.body.replace(request.document["pin"].encode(), b"")


def test_a_payout_in_process_is_asked_about(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider
) -> None:
    api.payout_word, api.payout_code = "TIP", "DP00900001006"
    assert provider.pay(PAYOUT).outcome == Outcome.PENDING
    api.settle(api.payouts["P1001"], "TS", "DP00900001001", "MP7")
    assert provider.ask_payout(asked("P1001")).txn_id == "MP7"


def test_a_payout_that_is_repeated_is_paid_once_and_asked_about(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider
) -> None:
    api.script(emulated.PAID_THEN_BROKEN)
    for _ in range(2):
        with pytest.raises(OutcomeUnknown):
            provider.pay(PAYOUT)
    assert len(api.payouts) == 1
    assert provider.ask_payout(asked("P1001")).outcome == Outcome.SUCCEEDED


@pytest.mark.parametrize(
    ("word", "code", "error"),
    [
        ("TF", "DP00900001003", Refused),
        ("TF", "DP00900001004", Refused),
        ("TF", "DP00900001005", Refused),
        ("TF", "DP00900001007", Refused),
        ("TF", "DP00900001012", Refused),
        ("TF", "DP00900001013", Refused),
        ("TF", "DP00900001000", OutcomeUnknown),
        ("TF", "DP00900001014", OutcomeUnknown),
        ("TF", "DP00900001015", OutcomeUnknown),
        ("TF", "DP00900001017", OutcomeUnknown),
        ("TF", "DP00900009999", OutcomeUnknown),
        ("TF", "", OutcomeUnknown),
        ("TA", "", OutcomeUnknown),
        ("TS", "DP00900001014", OutcomeUnknown),  # its word and its code contradict
        ("TS", "DP00900001007", OutcomeUnknown),
        ("XX", "DP00900001001", OutcomeUnknown),
    ],
)
def test_a_payout_is_refused_only_by_a_code_that_says_so(
    api: AirtelMoneyApi,
    provider: AirtelMoneyProvider,
    word: str,
    code: str,
    error: type[SendFailed],
) -> None:
    api.payout_word, api.payout_code = word, code
    with pytest.raises(error) as raised:
        provider.pay(PAYOUT)
    if isinstance(raised.value, Refused):
        assert raised.value.alarm == (code == "DP00900001007")  # our float: somebody fills it


Call = Callable[[AirtelMoneyProvider], object]
CALLS: dict[str, Call] = {
    "push": lambda provider: provider.push(ORDER),
    "ask": lambda provider: provider.ask(asked("ORD1001A")),
    "pay": lambda provider: provider.pay(PAYOUT),
    "ask_payout": lambda provider: provider.ask_payout(asked("P1001")),
}
NO_SUCCESS = {"status": {"code": "400", "message": "Something", "success": False}}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (emulated.HANGS_UP, OutcomeUnknown),
        (emulated.Fault(wait_seconds=1.0), OutcomeUnknown),
        (emulated.NO_JSON, OutcomeUnknown),
        (emulated.Fault(says=(200, {"data": []})), OutcomeUnknown),
        (emulated.Fault(says=(200, NO_SUCCESS)), OutcomeUnknown),
        (emulated.BROKEN, OutcomeUnknown),
        (emulated.Fault(says=(504, NO_SUCCESS)), OutcomeUnknown),
        (emulated.Fault(says=(302, b"")), OutcomeUnknown),
        (emulated.Fault(says=(400, NO_SUCCESS)), Refused),
        (emulated.TOO_MANY, Throttled),
        (emulated.Fault(says=(403, {"error": "forbidden"})), Throttled),
    ],
)
def test_a_fault_says_what_is_known(
    api: AirtelMoneyApi,
    clock: SteppedClock,
    call: str,
    fault: emulated.Fault,
    error: type[SendFailed],
) -> None:
    api.script(fault)
    with pytest.raises(error):
        CALLS[call](connected(api.url, clock))


@pytest.mark.parametrize("call", CALLS)
def test_without_a_connection_nothing_was_handed_over(call: str, clock: SteppedClock) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(Unreachable):
        CALLS[call](connected(url, clock))
