"""Vodacom's sessions: shared, renewed, not live at once; and settings that cannot work."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from gateway import errors
from gateway.providers.base.messages import Asked, Order, Outcome, Payout
from gateway.providers.vodacom import VodacomProvider
from gateway.settings.providers import Vodacom
from tests.emulators import provider, vodacom
from tests.emulators.provider import Fault
from tests.emulators.vodacom import VodacomApi
from tests.support.clock import START, SteppedClock

ORDER = Order("ORD1001", "+255740000001", Decimal("15000.00"), "TZS")
ASKED = Asked("ORD1001", "", START, Decimal("15000.00"), "TZS")

LIVE_SECONDS = 30  # as it is set by default


@pytest.fixture(scope="module")
def shared() -> Iterator[VodacomApi]:
    """One RSA key for all tests: making one takes a while."""
    with VodacomApi() as running:
        yield running


@pytest.fixture
def api(shared: VodacomApi) -> VodacomApi:
    shared.reset()
    return shared


def settings(api: VodacomApi) -> Vodacom:
    return Vodacom(
        api_key=vodacom.API_KEY,
        public_key=api.public_key,
        service_provider="000000",
        base_url=api.url,
    )


def ours(
    api: VodacomApi, clock: SteppedClock | None = None, given: Vodacom | None = None, live: int = 0
) -> VodacomProvider:
    return VodacomProvider(
        replace(given or settings(api), session_wait=str(live)),
        clock or SteppedClock(),
        timeout_seconds=(2.0, 1.0),
    )


def test_a_new_session_is_used_only_once_it_is_live(api: VodacomApi) -> None:
    clock = SteppedClock()
    adapter = ours(api, clock, live=LIVE_SECONDS)
    for _ in range(2):
        with pytest.raises(errors.Throttled) as raised:
            adapter.push(ORDER)
        assert 0 < raised.value.retry_after <= LIVE_SECONDS + 1
        assert not raised.value.alarm
    assert api.sent(vodacom.PUSH) == []
    clock.advance(seconds=30)
    adapter.push(ORDER)
    assert api.sessions == 1


def test_a_session_is_shared_by_threads_until_it_expires(api: VodacomApi) -> None:
    clock = SteppedClock()
    adapter = ours(api, clock)
    threads = [threading.Thread(target=adapter.ask, args=(ASKED,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert api.sessions == 1
    clock.advance(hours=1)
    adapter.ask(ASKED)
    assert api.sessions == 2


def test_a_session_that_ended_is_replaced_and_the_push_not_replayed(api: VodacomApi) -> None:
    adapter = ours(api)
    adapter.ask(ASKED)
    api.end_session()
    with pytest.raises(errors.OutcomeUnknown):
        adapter.push(ORDER)
    assert len(api.sent(vodacom.PUSH)) == 1
    assert adapter.ask(ASKED).outcome is Outcome.PENDING
    assert api.sessions == 2


def test_a_failed_payment_under_401_keeps_the_session(api: VodacomApi) -> None:
    adapter = ours(api)
    adapter.ask(ASKED)
    api.script(vodacom.FAILED)
    with pytest.raises(errors.Refused, match="INS-6"):
        adapter.push(ORDER)
    adapter.ask(ASKED)
    assert api.sessions == 1
    assert len(api.sent(vodacom.PUSH)) == 1


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (provider.HANGS_UP, errors.Unreachable),
        (provider.NO_JSON, errors.Unreachable),
        (provider.BROKEN, errors.Unreachable),
        (Fault(says=vodacom.code("INS-1", 500)), errors.Throttled),
        (Fault(says=(200, {"output_ResponseCode": "INS-0"})), errors.Throttled),
        (Fault(says=(200, {"output_SessionID": "syn"})), errors.Throttled),
    ],
)
def test_without_a_session_nothing_about_money_was_sent(
    api: VodacomApi, fault: Fault, expected: type[errors.SendFailed]
) -> None:
    api.sessions_fail = True
    api.script(fault)
    with pytest.raises(expected):
        ours(api).push(ORDER)
    assert api.sent(vodacom.PUSH) == []


def test_a_wrong_key_calls_for_an_operator(api: VodacomApi) -> None:
    wrong = replace(settings(api), api_key="synthetic-wrong")
    with pytest.raises(errors.Throttled) as raised:
        ours(api, given=wrong).push(ORDER)
    assert raised.value.alarm


def test_payouts_are_made_only_where_they_are_agreed(api: VodacomApi) -> None:
    adapter = ours(api)
    assert not adapter.can_pay
    with pytest.raises(errors.Refused):
        adapter.pay(Payout("PAY1001", "+255740000001", Decimal("1.00"), "TZS"))
    assert api.requests == []


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"api_key": ""}, "API_KEY"),
        ({"public_key": ""}, "PUBLIC_KEY"),
        ({"public_key": "bm8ga2V5"}, "RSA"),
        ({"service_provider": ""}, "SERVICE_PROVIDER"),
        ({"origin": "a\nb"}, "ORIGIN"),
        ({"base_url": "openapi.example.com"}, "BASE_URL"),
    ],
)
def test_settings_that_cannot_work_are_named_at_start(
    api: VodacomApi, changes: dict[str, str], named: str
) -> None:
    with pytest.raises(errors.Misconfigured, match=named):
        ours(api, given=replace(settings(api), **changes))  # type: ignore[arg-type]


def test_a_provider_shows_no_secret_of_its_own(api: VodacomApi) -> None:
    assert vodacom.API_KEY not in repr(ours(api)) + repr(settings(api))


def test_neither_key_nor_session_travels_in_the_open(api: VodacomApi) -> None:
    ours(api).push(ORDER)
    sent = [request.headers["authorization"] for request in api.requests]
    assert len(sent) == 2
    assert not any(vodacom.API_KEY in text or "syn-session" in text for text in sent)
