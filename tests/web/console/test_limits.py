"""The console's limits: who is limited now, what the breaker does, and caps and fees as set."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from gateway.people.staff.store import Role
from gateway.settings.limits import AGENT_CAPS, CAPS, SERVICES, Money
from gateway.tokens.guesses import limits, store
from gateway.web.console.limits import CAP_NAMES, SERVICE_NAMES
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.web.staffed import Staffed, Visitor

CONFIGURED = Money(
    tiers={"basic": {"debit": Decimal("50000.00")}, "full": {"balance": Decimal("900000.00")}},
    agent={"a_day": Decimal("2000000.00")},
    fees={"send": [(Decimal("1000.00"), Decimal("10.00")), (Decimal("5000.00"), Decimal("25.50"))]},
    payout_alone_max=Decimal("100000.00"),
)


@pytest.fixture
def configured(sqlite_url: str, clock: SteppedClock) -> Iterator[Visitor]:
    """An operator of a house with caps, fees and a bill."""
    whole = Wired(sqlite_url, clock, money=CONFIGURED, sms_prefixes=("+234",), sms_daily_max=500)
    yield Staffed(whole).within(Role.OPERATOR)
    whole.close()


def test_who_guesses_too_often_is_on_the_page_until_they_may_go_on(
    staffed: Staffed, clock: SteppedClock
) -> None:
    assert "Nobody." in staffed.within(Role.OPERATOR).get("/console/limits").text
    for _ in range(5):
        staffed.wired.dial(BELLO, text="1*902100000000000014")
    staffed.wired.run(lambda c: store.add(c, f"phone:{ADA}", clock.now(), 5))
    staffed.wired.run(lambda c: store.add(c, "cashier:staff:1", clock.now(), 20))
    text = staffed.within(Role.OPERATOR).get("/console/limits").text
    assert ADA in text
    assert BELLO in text
    assert "Chika Obi" in text  # a cashier by their name
    assert "2 Mar 2026, 11:00" in text
    clock.advance(hours=1)
    later = staffed.within(Role.OPERATOR).get("/console/limits").text
    assert ADA not in later
    assert BELLO not in later
    assert "Chika Obi" not in later


def test_an_open_breaker_is_said_with_its_end(staffed: Staffed, clock: SteppedClock) -> None:
    visitor = staffed.within(Role.OPERATOR)
    assert ">closed<" in visitor.get("/console/limits").text
    most = limits.breaker_budget(0).an_hour
    staffed.wired.run(lambda c: store.add(c, limits.SHORT_BREAKER, clock.now(), most))
    text = visitor.get("/console/limits").text
    assert ">open<" in text
    assert f"{most} of {most}" in text
    assert "nobody redeems an 11-digit token that is not bound to them" in text


def test_caps_fees_and_the_bill_are_shown_as_configured(configured: Visitor) -> None:
    text = configured.get("/console/limits").text
    for words in (
        "50,000.00",
        "900,000.00",
        "2,000,000.00",
        "10.00 up to 1,000.00",
        "25.50 above that",
        "100,000.00",
        "0 of 500",
        "+234",
    ):
        assert words in text
    assert "Amounts are in NGN." in text


def test_a_house_without_caps_says_so(operator: Visitor) -> None:
    text = operator.get("/console/limits").text
    assert "None: GATEWAY_TIERS sets them." in text
    assert text.count(">free<") == len(SERVICES)


def test_every_cap_and_every_service_has_its_words() -> None:
    assert set(CAP_NAMES) == {*CAPS, *AGENT_CAPS}
    assert tuple(SERVICE_NAMES) == SERVICES
