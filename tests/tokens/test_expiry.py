"""How long a token is valid: whole local days, exact hours, and the instant at which it is over."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from gateway.errors import BadInput
from gateway.tokens.issue import expiry
from gateway.tokens.redeem import Answer
from tests.support.clock import SteppedClock
from tests.support.wired import Wired

LAGOS, BERLIN, CAIRO = (ZoneInfo(n) for n in ("Africa/Lagos", "Europe/Berlin", "Africa/Cairo"))
TICK = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("zone", "issued", "period", "expires"),
    [
        # Local 23:30 on the 30th: the day after is the 31st, whatever UTC's date is.
        (LAGOS, "2026-01-30T22:30", "1d", "2026-01-31T23:00"),
        (LAGOS, "2026-01-30T23:30", "1d", "2026-02-01T23:00"),
        (LAGOS, "2026-01-31T10:00", "28d", "2026-02-28T23:00"),
        (LAGOS, "2028-01-31T10:00", "29d", "2028-02-29T23:00"),
        (LAGOS, "2026-12-31T10:00", "1d", "2027-01-01T23:00"),
        (LAGOS, "2026-03-02T09:00", "30d", "2026-04-01T23:00"),
        # The last Sunday of March has 23 hours there, that of October 25.
        (BERLIN, "2026-03-28T12:00", "1d", "2026-03-29T22:00"),
        (BERLIN, "2026-03-28T22:59", "1d", "2026-03-29T22:00"),
        (BERLIN, "2026-10-24T12:00", "1d", "2026-10-25T23:00"),
        # Midnight itself does not exist on the day Cairo's clocks go forward.
        (CAIRO, "2026-04-23T12:00", "1d", "2026-04-24T21:00"),
        (CAIRO, "2026-04-22T12:00", "1d", "2026-04-23T22:00"),
        (CAIRO, "2026-10-28T12:00", "1d", "2026-10-29T22:00"),
        # Hours are exact.
        (BERLIN, "2026-03-28T12:00", "24h", "2026-03-29T12:00"),
        (LAGOS, "2026-01-30T22:30", "12h", "2026-01-31T10:30"),
        (LAGOS, "2026-03-02T09:00", "9999h", "2027-04-23T00:00"),
    ],
)
def test_a_period_ends_with_a_local_day_or_an_exact_hour(
    zone: ZoneInfo, issued: str, period: str, expires: str
) -> None:
    now = datetime.fromisoformat(issued).replace(tzinfo=UTC)
    assert expiry(period, now, zone) == datetime.fromisoformat(expires).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "period",
    ["", "0d", "-1d", "1", "d", "1m", "1.5h", "1D", "10000d", "1d\n", " 1d", "٣d", "01d", "1d12h"],
)
def test_any_other_way_to_write_a_period_is_refused(period: str) -> None:
    with pytest.raises(BadInput):
        expiry(period, datetime(2026, 3, 2, tzinfo=UTC), LAGOS)


def test_a_token_redeems_up_to_the_last_instant_before_its_expiry(
    wired: Wired, clock: SteppedClock
) -> None:
    expires_at = datetime(2026, 3, 3, tzinfo=UTC)
    in_time, late = (wired.issue(expires_at=expires_at) for _ in range(2))
    clock.advance(seconds=(expires_at - TICK - clock.now()).total_seconds())
    assert clock.now() == datetime(2026, 3, 2, 23, 59, 59, 999_999, tzinfo=UTC)
    assert wired.redeem(in_time.reveal()).answer is Answer.REDEEMED
    clock.advance(seconds=TICK.total_seconds())
    assert clock.now() == expires_at
    assert wired.redeem(late.reveal()).answer is Answer.NOT_VALID
    assert wired.breaches() == []


def test_the_clock_decides_before_any_sweep(wired: Wired, clock: SteppedClock) -> None:
    issued = wired.issue()
    clock.advance(days=31)
    assert wired.redeem(issued.reveal()).answer is Answer.NOT_VALID
    assert wired.token(issued.serial).status == "issued"
    assert wired.gateway.chores()["tokens_expired"]() == 1
    assert wired.gateway.chores()["tokens_expired"]() == 0
    assert wired.token(issued.serial).status == "expired"
    assert wired.breaches() == []


def test_the_expiry_is_stored_to_the_microsecond(wired: Wired, clock: SteppedClock) -> None:
    expires_at = clock.now() + timedelta(hours=1, microseconds=123_457)
    issued = wired.issue(expires_at=expires_at.astimezone(BERLIN))
    assert wired.token(issued.serial).expires_at == expires_at


def test_one_expiry_is_read_everywhere(wired: Wired, clock: SteppedClock) -> None:
    clock.advance(hours=13.5)  # 23:30 in Lagos on Monday the 2nd
    issued = wired.issue(expires_at=expiry("1d", clock.now(), LAGOS), deliver=True)
    wired.send_all()
    assert "03/03/2026" in wired.gateway.inbox("+2348030000001")[0].text
    assert "03/03/2026" in wired.dial(text="3").body
    assert wired.token(issued.serial).expires_at == datetime(2026, 3, 3, 23, tzinfo=UTC)
