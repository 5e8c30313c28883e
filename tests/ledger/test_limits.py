"""Caps by tier, the local day they count for, and who must be verified before they spend."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Connection, update

from gateway.database.engine import Database
from gateway.errors import TryAgain
from gateway.ledger import store, wallets
from gateway.ledger.books import Books, Leg
from gateway.ledger.guards import store as guards
from gateway.ledger.guards.store import Day
from gateway.ledger.limits import (
    IDLE_DAYS,
    InsufficientFunds,
    LimitExceeded,
    Limits,
    NotVerified,
    Stopped,
    Tier,
)
from gateway.ledger.store import FLOAT, HOUSE, TILL, WALLET, Account, accounts
from tests.ledger.capped import LAGOS, book, capped, move
from tests.support.clock import START
from tests.support.money_rows import NAIRA, breaches, funded

ONE, MIDNIGHT = Decimal("1.00"), datetime(2026, 3, 2, 23, 0, tzinfo=UTC)  # in Lagos
A_TICK = timedelta(microseconds=1)


def put(database: Database, account: Account, **values: object) -> None:
    """Change the account's row past the rules."""
    statement = update(accounts).where(accounts.c.id == account.id).values(values)
    database.run(lambda c: c.execute(statement))


def now_of(database: Database, account: Account) -> Account:
    """The account as it stands."""
    return database.run(lambda c: store.by_id(c, account.id))


def till(database: Database) -> Account:
    """A till with nothing in it."""
    return database.run(lambda c: store.create(c, TILL, "t1", NAIRA, START, guarded=True))


@pytest.mark.parametrize(
    ("cap", "fits", "above"),
    [
        ("debit", "-100.00", "-100.01"),
        ("debits_a_day", "-100.00", "-100.01"),
        ("credits_a_day", "100.00", "100.01"),
        ("balance", "100.00", "100.01"),
    ],
)
def test_a_cap_is_the_most_that_may_be(database: Database, cap: str, fits: str, above: str) -> None:
    books = capped(**{cap: "1100.00" if cap in ("credits_a_day", "balance") else "100.00"})
    wallet = funded(database, amount="1000.00")  # which counts as a credit of this day
    with pytest.raises(LimitExceeded) as refused:
        move(database, books, wallet, above, "above")
    assert (refused.value.cap, refused.value.most) == (cap, Decimal("100.00"))
    move(database, books, wallet, fits, "fits")
    assert breaches(database) == []


def test_what_was_moved_today_lowers_what_may_still_be(database: Database) -> None:
    books, wallet = capped(debits_a_day="100.00"), funded(database, amount="1000.00")
    move(database, books, wallet, "-60.00", "first")
    with pytest.raises(LimitExceeded) as refused:
        move(database, books, wallet, "-40.01", "second")
    assert refused.value.most == Decimal("40.00")
    move(database, books, wallet, "-40.00", "third")
    with pytest.raises(LimitExceeded) as refused:
        move(database, books, wallet, "-0.01", "fourth")
    assert refused.value.most == Decimal("0.00")


def test_a_day_ends_at_local_midnight(database: Database) -> None:
    books, wallet = capped(debits_a_day="100.00"), funded(database, amount="1000.00")
    move(database, books, wallet, "-100.00", "today", START)
    with pytest.raises(LimitExceeded):
        move(database, books, wallet, "-0.01", "late", MIDNIGHT - A_TICK)
    move(database, books, wallet, "-100.00", "tomorrow", MIDNIGHT)
    found = now_of(database, wallet)
    assert (found.day, found.day_debits) == (date(2026, 3, 3), Decimal("100.00"))
    assert found.day_credits == Decimal("0.00")
    assert breaches(database) == []


@pytest.mark.parametrize(("zone", "day"), [("Africa/Dar_es_Salaam", 3), ("UTC", 2)])
def test_the_zone_decides_which_day_it_is(zone: str, day: int) -> None:
    assert Limits(zone=ZoneInfo(zone)).today(MIDNIGHT - timedelta(hours=1)).day == day


def test_a_credit_of_yesterday_is_forgotten_by_todays_debit(database: Database) -> None:
    books = capped(credits_a_day="1000.00")
    wallet = funded(database, amount="1000.00")
    move(database, books, wallet, "-1.00", "debit", MIDNIGHT)
    move(database, books, wallet, "1000.00", "credit", MIDNIGHT)
    assert breaches(database) == []


def test_a_tier_that_settings_no_longer_name_falls_back_to_basic(database: Database) -> None:
    tiers = {"basic": Tier(debit=Decimal("5.00")), "full": Tier(debit=Decimal("50.00"))}
    books, wallet = Books(Limits(tiers, zone=LAGOS)), funded(database, amount="1000.00")
    for tier, most in (("full", "50.00"), ("gone", "5.00"), ("basic", "5.00")):
        assert database.run(partial(wallets.set_tier, wallet=wallet, tier=tier))
        assert books.limits.of(now_of(database, wallet)).debit == Decimal(most)
    assert not database.run(lambda c: wallets.set_tier(c, wallet, "basic"))
    assert Limits().of(now_of(database, wallet)) == Tier()


def test_a_till_has_caps_of_its_own_and_a_float_none(database: Database) -> None:
    agent = Tier(credits_a_day=Decimal("100.00"))
    limits = Limits({"basic": Tier(debit=ONE)}, till=agent, zone=LAGOS)
    books, account = Books(limits), till(database)
    move(database, books, account, "100.00", "first")
    with pytest.raises(LimitExceeded, match="credits a day"):
        move(database, books, account, "0.01", "second")
    move(database, books, account, "100.00", "next day", MIDNIGHT)
    paid_in = database.run(lambda c: store.create(c, FLOAT, "p1", NAIRA, START, guarded=True))
    assert limits.of(paid_in) == Tier()
    assert breaches(database) == []


def test_a_till_is_stopped_by_the_guard_alone_too(database: Database) -> None:
    books = Books(Limits(till=Tier(credits_a_day=Decimal("100.00")), zone=LAGOS))
    account = till(database)
    move(database, books, account, "60.00", "first")
    with pytest.raises(TryAgain):
        database.run(lambda c: book(c, books, account, Decimal("40.01"), "k", START))
    assert breaches(database) == []


def test_what_an_operator_takes_back_and_what_comes_back_counts_for_no_cap(
    database: Database,
) -> None:
    books, wallet = capped(debits_a_day="1.00", debit="1.00", balance="1.00"), funded(database)

    def work(key: str, amount: Decimal, *, returning: bool) -> None:
        def post(connection: Connection) -> int:
            house = books.system(connection, HOUSE, NAIRA, START)
            legs = (Leg(house, -amount), Leg(wallet, amount))
            return books.post(connection, key, "issue", "t", legs, START, returning=returning)

        database.run(post)

    before = now_of(database, wallet)
    work("taken", Decimal("-50.00"), returning=False)
    work("back", Decimal("70.00"), returning=True)
    after = now_of(database, wallet)
    assert after.balance == Decimal("120.00")
    assert (after.day_debits, after.day_credits) == (before.day_debits, before.day_credits)
    assert breaches(database) == []


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"status": "frozen"}, Stopped),
        ({"status": "closed"}, Stopped),
        ({"unverified": True}, NotVerified),
        ({"balance": Decimal("0.00")}, InsufficientFunds),
    ],
)
def test_who_may_not_spend_is_told_why_and_stopped_by_the_guard_too(
    database: Database, changes: dict[str, object], refusal: type[Exception]
) -> None:
    books, wallet = capped(), funded(database)
    put(database, wallet, **changes)
    with pytest.raises(refusal):
        move(database, books, wallet, "-1.00", "k")
    with pytest.raises(TryAgain):
        database.run(lambda c: book(c, books, wallet, -ONE, "k", START))


def test_a_wallet_is_idle_after_ninety_days_and_not_before(database: Database) -> None:
    books, wallet = capped(), funded(database, amount="1000.00")
    last = START + timedelta(days=IDLE_DAYS)
    move(database, books, wallet, "-1.00", "ninety", last)
    with pytest.raises(NotVerified):
        move(database, books, wallet, "-1.00", "idle", last + timedelta(days=IDLE_DAYS + 1))
    assert now_of(database, wallet).active_on == last.date()


def test_the_guard_stops_an_idle_owner_by_itself(database: Database) -> None:
    wallet = funded(database)
    today = START.date() + timedelta(days=IDLE_DAYS + 1)
    day = Day(today, today - timedelta(days=IDLE_DAYS), Decimal("1000.00"))
    assert not database.run(lambda c: guards.debit(c, wallet.id, ONE, day=day))
    fresh = Day(today, START.date(), Decimal("1000.00"))
    assert database.run(lambda c: guards.debit(c, wallet.id, ONE, day=fresh))


def test_an_idle_owners_own_credit_makes_them_unverified_until_an_operator_has_seen_them(
    database: Database,
) -> None:
    books, wallet = capped(), funded(database)
    late = START + timedelta(days=IDLE_DAYS + 1)
    move(database, books, wallet, "1.00", "redeemed", late)
    found = now_of(database, wallet)
    assert (found.unverified, found.active_on) == (True, late.date())
    with pytest.raises(NotVerified):
        move(database, books, wallet, "-1.00", "k1", late)
    move(database, books, wallet, "1.00", "again", late)
    assert now_of(database, wallet).unverified
    assert database.run(lambda c: wallets.verify(c, found, books.limits.today(late)))
    move(database, books, wallet, "-1.00", "k2", late)
    assert breaches(database) == []


def test_a_proved_pin_counts_as_use_unless_it_comes_too_late(database: Database) -> None:
    limits, wallet = Limits(zone=LAGOS), funded(database)
    late = START + timedelta(days=IDLE_DAYS)

    def touch(at: datetime) -> date | None:
        database.run(lambda c: wallets.touch(c, wallet.owner, at, limits))
        return now_of(database, wallet).active_on

    assert touch(late) == late.date()
    too_late = late + timedelta(days=IDLE_DAYS + 1)
    assert touch(too_late) == late.date()
    assert limits.needs_verification(now_of(database, wallet), too_late)


def test_verifying_a_closed_wallet_does_nothing(database: Database) -> None:
    wallet = funded(database)
    put(database, wallet, status="closed", unverified=True)
    assert not database.run(lambda c: wallets.verify(c, wallet, START.date()))
    assert now_of(database, wallet).unverified


def test_a_doubt_is_set_once(database: Database) -> None:
    wallet = funded(database)
    assert wallet.kind == WALLET
    assert database.run(lambda c: wallets.require_verification(c, wallet))
    assert not database.run(lambda c: wallets.require_verification(c, wallet))
