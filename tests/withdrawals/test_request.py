"""Asking for a withdrawal: the money is held at once, once, and every refusal changes nothing."""

from decimal import Decimal

import pytest
from sqlalchemy import Connection, select, update

from gateway.errors import BadInput
from gateway.ledger import store as ledger_store
from gateway.ledger.limits import InsufficientFunds, LimitExceeded, NotVerified, Stopped
from gateway.ledger.store import HELD, accounts, movements
from gateway.outbox.store import outbox
from gateway.settings.limits import Money
from gateway.withdrawals.request import IntentReused, new_reference
from gateway.withdrawals.store import withdrawals
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import count
from tests.withdrawals.staging import Desk, Payer, change_account, naira


def booked(desk: Desk) -> tuple[int, ...]:
    """How many rows a withdrawal writes."""
    return tuple(count(desk.wired, table) for table in (withdrawals, movements, outbox))


def test_the_amount_and_its_fee_are_held_when_it_is_asked_for(desk: Desk) -> None:
    desk.fund("100.00")
    made = desk.request("60.00", fee=naira("1.50"))
    assert desk.stands(made) == ("held", "queued", naira("38.50"), naira("61.50"))
    assert (made.provider, made.destination, made.total) == ("snippe", ADA, naira("61.50"))
    assert desk.wired.breaches() == []


def test_a_reference_is_what_every_provider_takes() -> None:
    made = {new_reference() for _ in range(200)}
    assert len(made) == 200
    assert all(len(r) == 12 and r.isascii() and r.isalnum() and r == r.upper() for r in made)


def test_the_same_intent_again_is_the_same_withdrawal(desk: Desk) -> None:
    desk.fund()
    first, again = desk.request(intent="x"), desk.request(intent="x")
    assert first.reference == again.reference
    assert desk.account().held == naira("60.00")
    assert count(desk.wired, withdrawals) == 1


def test_an_intent_with_another_amount_is_refused_and_the_first_untouched(desk: Desk) -> None:
    desk.fund()
    made = desk.request("10.00", intent="k")
    with pytest.raises(IntentReused):
        desk.request("20.00", intent="k")
    desk.fund("50.00", BELLO)
    with pytest.raises(IntentReused):
        desk.request("10.00", BELLO, intent="k")
    assert desk.stands(made) == ("held", "queued", naira("90.00"), naira("10.00"))
    assert desk.account(BELLO).balance == naira("50.00")


@pytest.mark.parametrize("amount", ["-100", "-0.01", "0", "0.00", "-0"])
def test_an_amount_that_is_not_above_zero_moves_nothing(desk: Desk, amount: str) -> None:
    desk.fund()
    before = booked(desk)
    with pytest.raises(BadInput):
        desk.request(amount)
    assert booked(desk) == before
    assert desk.account().balance == naira("100.00")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"status": "frozen"}, Stopped),
        ({"unverified": True}, NotVerified),
        ({"balance": Decimal("59.99")}, InsufficientFunds),
    ],
)
def test_a_wallet_that_may_not_pay_is_told_why_and_left_alone(
    desk: Desk, changes: dict[str, object], error: type[Exception]
) -> None:
    account = desk.fund()
    change_account(desk.wired, account, **changes)
    before = booked(desk)
    with pytest.raises(error):
        desk.request("60.00")
    assert booked(desk) == before
    assert desk.account().held == 0


def test_a_wallet_idle_for_ninety_days_waits_for_an_operator(
    desk: Desk, clock: SteppedClock
) -> None:
    desk.fund()
    clock.advance(days=91)
    with pytest.raises(NotVerified):
        desk.request()


def test_the_fee_counts_against_the_balance_and_the_tier(database_url: str) -> None:
    money = Money(tiers={"basic": {"debit": naira("61.00"), "debits_a_day": naira("100.00")}})
    desk = Desk(Wired(database_url, SteppedClock(), money=money))
    desk.fund("500.00")
    with pytest.raises(LimitExceeded) as refused:
        desk.request("60.00", fee=naira("1.01"))
    assert (refused.value.cap, refused.value.most) == ("debit", naira("61.00"))
    desk.request("60.00", fee=naira("1.00"), intent="a")
    with pytest.raises(LimitExceeded) as refused:
        desk.request("40.00", intent="b")
    assert (refused.value.cap, refused.value.most) == ("debits_a_day", naira("39.00"))
    desk.wired.close()


def test_a_phone_that_no_provider_serves_is_paid_by_hand(wired: Wired) -> None:
    desk = Desk(wired, Payer(phone_prefixes=("+254",)))
    desk.fund()
    made = desk.request()
    assert (made.provider, made.payout) == ("", "manual")
    assert desk.work() == 0


def test_the_provider_that_names_the_phone_most_exactly_pays(wired: Wired) -> None:
    desk = Desk(
        wired,
        Payer("snippe", phone_prefixes=()),
        Payer("selcom", phone_prefixes=("+234",)),
        Payer("mpesa", phone_prefixes=("+234803",)),
        Payer("airtelmoney", phone_prefixes=("+2348030000001",), currencies=("TZS",)),
    )
    desk.fund()
    assert desk.request().provider == "mpesa"


def test_the_held_account_says_what_is_held(desk: Desk) -> None:
    desk.fund()
    desk.fund("40.00", BELLO)
    desk.request("60.00")
    desk.request("15.00", BELLO, intent="two")

    def held(connection: Connection) -> Decimal | None:
        account = ledger_store.find(connection, HELD, "", "NGN")
        assert account is not None
        lines = ledger_store.statement(connection, account.id, 10)
        return sum((line.amount for line in lines), Decimal("0.00"))

    assert desk.wired.run(held) == naira("75.00")
    assert desk.wired.breaches() == []


def test_an_invariant_finds_a_hold_that_no_withdrawal_explains(desk: Desk) -> None:
    desk.fund()
    made = desk.request()
    desk.wired.run(lambda c: c.execute(update(withdrawals).values(amount=naira("60.01"))).rowcount)
    broken = {breach.invariant for breach in desk.wired.breaches()}
    assert broken == {"accounts_hold_their_withdrawals", "withdrawals_are_booked_exactly"}
    assert desk.wired.run(
        lambda c: c.execute(
            select(accounts.c.held).where(accounts.c.id == made.account_id)
        ).scalar()
    ) == naira("60.00")
