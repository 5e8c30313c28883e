"""The questions of a nightly run: put off by a provider's new session, and asked all the same."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.deposits.store import Deposit
from gateway.providers.base.messages import Outcome, Status
from gateway.reconciliation.hanging.ask import Asking
from gateway.reconciliation.run import HANGS_AFTER, Asked
from gateway.settings.providers import Vodacom
from tests.deposits.staging import PROVIDERS, Till, till
from tests.emulators import vodacom
from tests.emulators.provider import TOO_MANY
from tests.emulators.vodacom import VodacomApi
from tests.support.clock import SteppedClock

SESSION_SECONDS = 30
JUMA = "+255740000001"


@pytest.fixture
def api() -> Iterator[VodacomApi]:
    """Vodacom's API."""
    with VodacomApi() as served:
        yield served


@pytest.fixture
def tz(
    database_url: str,
    clock: SteppedClock,
    api: VodacomApi,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Till]:
    """A gateway that asks Vodacom, whose sessions are not live at once."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    given = Vodacom(
        api_key=vodacom.API_KEY,
        public_key=api.public_key,
        service_provider="000000",
        base_url=api.url,
        session_wait=str(SESSION_SECONDS),
    )
    with till(database_url, clock, providers=replace(PROVIDERS, vodacom=given)) as made:
        yield made


def hanging(tz: Till, api: VodacomApi, clock: SteppedClock) -> Deposit:
    """An order that was paid, whose callback never came."""
    order = tz.order("15000", "mpesa", JUMA)
    api.payments[f"in{order.reference}"] = {"status": "Completed"}
    clock.advance(minutes=40)
    tz.learn(order, provider_ref=f"convin{order.reference}")
    return order


def asked_about(tz: Till, clock: SteppedClock, waits: list[float]) -> Asked:
    """What a run's asking comes to; its pauses step the clock."""

    def pause(seconds: float) -> None:
        waits.append(seconds)
        clock.advance(seconds=seconds)

    runner = tz.gateway.money.runner
    asking = Asking(tz.gateway.database, clock, lambda: runner("reconcile", ("query",)), pause)
    return asking.about_deposits("", clock.now() - HANGS_AFTER, lambda _: None)


def test_a_question_put_off_by_a_new_session_is_waited_for(
    tz: Till, api: VodacomApi, clock: SteppedClock
) -> None:
    hanging(tz, api, clock)
    waits: list[float] = []
    asked = asked_about(tz, clock, waits)
    assert (asked.asked, asked.settled) == (1, 1)
    assert SESSION_SECONDS <= sum(waits) <= 2 * SESSION_SECONDS
    assert (str(tz.has(JUMA)), tz.breaches()) == ("15000.00", [])
    assert asked_about(tz, clock, waits).asked == 0


def test_a_provider_that_puts_us_off_for_ever_holds_up_the_night_for_a_minute(
    tz: Till, api: VodacomApi, clock: SteppedClock
) -> None:
    order = hanging(tz, api, clock)
    api.script(*[TOO_MANY] * 20)
    waits: list[float] = []
    asked = asked_about(tz, clock, waits)
    assert (asked.asked, asked.settled) == (1, 0)
    assert timedelta(seconds=sum(waits)) <= timedelta(minutes=1)
    assert tz.seen(order).state == "pending"
    assert str(tz.has(JUMA)) == "0.00"


def test_an_order_that_failed_lately_is_asked_about_again_and_a_late_success_credits(
    tz: Till, api: VodacomApi, clock: SteppedClock
) -> None:
    order, other = hanging(tz, api, clock), tz.order("20000", "mpesa", JUMA)
    for one in (order, other):
        failed(tz, one)
    clock.advance(hours=1)
    assert asked_about(tz, clock, []).asked == 2
    assert (tz.seen(order).state, tz.seen(other).state) == ("completed", "failed")
    assert (str(tz.has(JUMA)), tz.breaches()) == ("15000.00", [])


def test_an_order_that_failed_long_ago_is_not_asked_about(
    tz: Till, api: VodacomApi, clock: SteppedClock
) -> None:
    order = hanging(tz, api, clock)
    failed(tz, order)
    clock.advance(days=3, seconds=1)
    assert asked_about(tz, clock, []).asked == 0
    assert tz.seen(order).state == "failed"


def failed(tz: Till, order: Deposit) -> None:
    """Its provider said no, and was wrong or was paid later."""
    answers, now = tz.gateway.deposits.answers, tz.clock.now()
    declined = Status(Outcome.FAILED, reason="1037")
    tz.run(lambda c: answers.answered(c, order.reference, declined, now))
    assert tz.seen(order).state == "failed"
