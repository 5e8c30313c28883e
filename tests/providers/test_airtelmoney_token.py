"""Airtel Money's access token, and settings and orders that cannot be used."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from gateway.errors import Misconfigured, Refused, SendFailed, Throttled, Unreachable
from gateway.providers.airtelmoney import AirtelMoneyProvider
from gateway.providers.base.messages import Asked, Order, Outcome, Payout
from gateway.settings.providers import AirtelMoney
from tests.emulators import provider as emulated
from tests.emulators.airtelmoney import CLIENT_ID, CLIENT_SECRET, PIN, PUBLIC_KEY, AirtelMoneyApi
from tests.emulators.provider import Request
from tests.support.clock import START, SteppedClock

ORDER = Order("ORD1001A", "+255680000001", Decimal("15000.00"), "TZS")
PAYOUT = Payout("P1001", "+255780000002", Decimal("15000.00"), "TZS")
ASKED = Asked("ORD1001A", "", START, Decimal("15000.00"), "TZS", ORDER.msisdn)
GOOD = AirtelMoney(
    client_id=CLIENT_ID, client_secret=CLIENT_SECRET, payout_pin=PIN, public_key=PUBLIC_KEY
)


class TokenFaults(AirtelMoneyApi):
    """Faults are for the token alone."""

    def exempt(self, request: Request) -> bool:
        return not super().exempt(request)


@pytest.fixture
def api() -> Iterator[AirtelMoneyApi]:
    with TokenFaults() as running:
        yield running


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def provider(api: AirtelMoneyApi, clock: SteppedClock) -> AirtelMoneyProvider:
    settings = replace(GOOD, base_url=api.url)
    return AirtelMoneyProvider(settings, clock, timeout_seconds=(1.0, 0.3))


def test_sixteen_threads_share_one_token(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider
) -> None:
    threads = [threading.Thread(target=provider.push, args=(ORDER,)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(api.tokens) == 1
    assert len(api.collections) == 1
    assert len(api.requests) == 17


@pytest.mark.parametrize("expires_in", ["180", 180])
def test_a_token_is_renewed_before_it_ends(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider, clock: SteppedClock, expires_in: object
) -> None:
    api.expires_in = expires_in
    for seconds, tokens in ((0, 1), (149, 1), (1, 2), (149, 2), (1, 3)):
        clock.advance(seconds=seconds)
        provider.push(ORDER)
        assert len(api.tokens) == tokens


@pytest.mark.parametrize("expires_in", [None, "", "soon", "180.5", -1, "0", [], True, "9" * 30])
def test_a_token_whose_end_cannot_be_read_is_used_once(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider, expires_in: object
) -> None:
    api.expires_in = expires_in
    provider.push(ORDER)
    provider.push(ORDER)
    assert len(api.tokens) == 2


def test_an_expired_token_is_renewed_once_and_the_request_sent_again(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider
) -> None:
    provider.push(ORDER)
    api.expire_token()
    assert provider.pay(PAYOUT).outcome == Outcome.SUCCEEDED
    assert [request.path for request in api.requests[2:]] == [
        "/standard/v2/disbursements/",
        "/auth/oauth2/token",
        "/standard/v2/disbursements/",
    ]


def test_a_token_that_is_never_good_calls_somebody_after_two_tries(clock: SteppedClock) -> None:
    with AirtelMoneyApi() as api:
        refused = emulated.Fault(says=(401, {"error": "invalid_token"}))
        api.script(refused, refused)
        settings = replace(GOOD, base_url=api.url)
        with pytest.raises(Throttled) as raised:
            AirtelMoneyProvider(settings, clock).pay(PAYOUT)
        assert raised.value.alarm
        assert len(api.requests) == 4
        assert api.payouts == {}


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (emulated.HANGS_UP, Unreachable),
        (emulated.Fault(wait_seconds=1.0), Unreachable),
        (emulated.BROKEN, Unreachable),
        (emulated.NO_JSON, Unreachable),
        (emulated.Fault(says=(200, {})), Unreachable),
        (emulated.Fault(says=(200, {"access_token": ""})), Unreachable),
        (emulated.Fault(says=(200, {"access_token": 5.5, "expires_in": 1})), None),
        (emulated.Fault(says=(200, {"access_token": ["x"]})), Unreachable),
        (emulated.Fault(says=(200, {"access_token": "\xe9"})), Unreachable),
        (emulated.Fault(says=(200, {"access_token": "a\r\nb"})), Unreachable),
        (emulated.Fault(says=(200, {"access_token": "x" * 5000})), Unreachable),
        (emulated.TOO_MANY, Throttled),
        (emulated.Fault(says=(400, {"error": "invalid_client"})), Throttled),
        (emulated.Fault(says=(401, {"error": "invalid_client"})), Throttled),
    ],
)
def test_without_a_token_nothing_was_paid(
    api: AirtelMoneyApi,
    provider: AirtelMoneyProvider,
    fault: emulated.Fault,
    error: type[SendFailed] | None,
) -> None:
    """An odd token is tried, refused, and renewed."""
    api.script(fault)
    if error is None:
        provider.pay(PAYOUT)
        return
    with pytest.raises(error) as raised:
        provider.pay(PAYOUT)
    assert CLIENT_SECRET not in str(raised.value)
    assert api.payouts == {}


def test_after_a_fault_the_next_request_fetches_a_token_anew(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider
) -> None:
    api.script(emulated.HANGS_UP)
    with pytest.raises(Unreachable):
        provider.push(ORDER)
    provider.push(ORDER)
    assert provider.ask(ASKED).outcome == Outcome.PENDING


@pytest.mark.parametrize("amount", ["15000.50", "0.01", "0.00", "-5.00"])
def test_a_fraction_of_a_shilling_is_refused_before_anything_is_sent(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider, amount: str
) -> None:
    with pytest.raises(Refused):
        provider.push(replace(ORDER, amount=Decimal(amount)))
    with pytest.raises(Refused):
        provider.pay(replace(PAYOUT, amount=Decimal(amount)))
    assert api.requests == []


@pytest.mark.parametrize("msisdn", ["+254700000001", "+25568000000", "0680000001", "+255\u0661"])
def test_another_countrys_phone_is_refused_before_anything_is_sent(
    api: AirtelMoneyApi, provider: AirtelMoneyProvider, msisdn: str
) -> None:
    with pytest.raises(Refused):
        provider.push(replace(ORDER, msisdn=msisdn))
    with pytest.raises(Refused):
        provider.pay(replace(PAYOUT, msisdn=msisdn))
    assert api.requests == []


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (replace(GOOD, client_id=""), "GATEWAY_AIRTELMONEY_CLIENT_ID"),
        (replace(GOOD, client_secret=""), "GATEWAY_AIRTELMONEY_CLIENT_SECRET"),
        (replace(GOOD, base_url="openapi.airtel.co.tz"), "GATEWAY_AIRTELMONEY_BASE_URL"),
        (replace(GOOD, public_key=""), "GATEWAY_AIRTELMONEY_PUBLIC_KEY"),
        (replace(GOOD, public_key=PUBLIC_KEY[:50]), "GATEWAY_AIRTELMONEY_PUBLIC_KEY"),
    ],
)
def test_settings_that_cannot_work_are_named_at_start(
    clock: SteppedClock, settings: AirtelMoney, named: str
) -> None:
    with pytest.raises(Misconfigured, match=named) as raised:
        AirtelMoneyProvider(settings, clock)
    assert PIN not in str(raised.value)


def test_without_a_pin_it_collects_and_does_not_pay(clock: SteppedClock) -> None:
    with AirtelMoneyApi() as api:
        settings = replace(GOOD, base_url=api.url, payout_pin="", public_key="")
        provider = AirtelMoneyProvider(settings, clock)
        provider.push(ORDER)
        assert not provider.can_pay
        with pytest.raises(Refused):
            provider.pay(PAYOUT)
        assert api.payouts == {}


def test_it_serves_airtels_own_phones_unless_the_settings_say_otherwise(
    clock: SteppedClock,
) -> None:
    assert "+25568" in AirtelMoneyProvider(GOOD, clock).phone_prefixes
    anybody = replace(GOOD, phone_prefixes=("+255",))
    assert AirtelMoneyProvider(anybody, clock).phone_prefixes == ("+255",)


def test_no_repr_shows_a_secret(clock: SteppedClock) -> None:
    settings = replace(GOOD, callback_key=("synthetic-callback-key",))
    shown = f"{settings!r} {AirtelMoneyProvider(settings, clock)!r}"
    for secret in (CLIENT_SECRET, PIN, "synthetic-callback-key"):
        assert secret not in shown
