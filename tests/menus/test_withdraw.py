"""4 My wallet, 4 Withdraw: what a caller is shown, asked, and told; what it does to the money."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from sqlalchemy import select, update

from gateway.ledger.store import accounts
from gateway.settings.limits import Money
from gateway.tokens.store import TO_COUNTER, tokens
from gateway.withdrawals.store import withdrawals
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Call, Wired
from tests.tokens.staging import count, wallet

PIN = "4711"
CAPS = Money(
    tiers={"basic": {"debit": Decimal("500.00"), "debits_a_day": Decimal("800.00")}},
    fees={
        "withdraw_mobile": ((Decimal("1000.00"), Decimal("5.00")),),
        "withdraw_cash": ((Decimal("1000.00"), Decimal("7.50")),),
    },
)


@pytest.fixture
def wired(database_url: str, clock: SteppedClock) -> Iterator[Wired]:
    """A gateway with fees and caps, and a help number."""
    whole = Wired(database_url, clock, money=CAPS, help_number="+2348000000000")
    yield whole
    whole.close()


def ready(wired: Wired, amount: str = "1000.00") -> None:
    """A phone with a PIN and money."""
    wallet(wired, ADA, amount)
    wired.set_pin(PIN)


def confirmed(wired: Wired, way: str = "1", amount: str = "100") -> Call:
    """Up to the question for the PIN."""
    call = wired.dial(text=f"4*4*{way}*{amount}")
    call.send("1")
    return call


def held(wired: Wired) -> Decimal:
    """What Ada's wallet holds."""
    query = select(accounts.c.held).where(accounts.c.owner == ADA)
    found: Decimal = wired.run(lambda c: c.execute(query).scalar_one())
    return found


def test_the_wallet_offers_two_ways_out(wired: Wired) -> None:
    ready(wired)
    assert wired.dial(text="4*4").body == (
        "CON Withdraw\n1 Mobile money\n2 Cash at a shop\n0 Back 00 Home"
    )


def test_fee_and_total_are_shown_before_the_pin(wired: Wired) -> None:
    ready(wired)
    call = wired.dial(text="4*4*1*100")
    assert call.body == (
        "CON NGN 100.00 to your mobile money?\nFee NGN 5.00, together NGN 105.00\n1 Confirm\n"
        "0 Back 00 Home"
    )
    assert call.send("1").startswith("CON Enter your PIN:")
    assert held(wired) == 0


def test_a_withdrawal_to_mobile_money_is_held_and_named(wired: Wired) -> None:
    ready(wired)
    reply = confirmed(wired).send(PIN)
    assert reply.startswith("END NGN 100.00 is on its way to +234 803 000 0001. Ref ")
    reference = wired.run(lambda c: c.execute(select(withdrawals.c.reference)).scalar_one())
    assert f"Ref {reference}." in reply
    assert (wired.balance(), held(wired)) == (Decimal("895.00"), Decimal("105.00"))
    assert wired.breaches() == []


def test_the_same_text_again_holds_nothing_more(wired: Wired) -> None:
    ready(wired)
    call = confirmed(wired)
    first = call.send(PIN)
    assert [call.post(call.text) for _ in range(3)] == [first] * 3
    assert held(wired) == Decimal("105.00")


def test_held_money_is_shown_as_pending_and_stands_in_the_statement(wired: Wired) -> None:
    ready(wired)
    confirmed(wired).send(PIN)
    balance = wired.dial(text="4*1")
    assert balance.send(PIN) == "END Balance NGN 895.00\nPending NGN 105.00"
    statement = wired.dial(text="4*2")
    assert statement.send(PIN) == "END 02/03 -105.00 Withdrawal\n02/03 +1000.00 Other"


def test_a_wrong_pin_holds_nothing(wired: Wired) -> None:
    ready(wired)
    assert confirmed(wired).send("0815").startswith("CON Wrong PIN.")
    assert (wired.balance(), held(wired)) == (Decimal("1000.00"), Decimal("0.00"))


def test_cash_is_a_code_for_an_hour_that_comes_by_sms(wired: Wired) -> None:
    ready(wired)
    reply = confirmed(wired, "2").send(PIN)
    assert reply.startswith("END You will get a code by SMS. A shop pays you NGN 100.00 for it")
    assert "until 02/03/2026 11:00" in reply
    assert wired.balance() == Decimal("892.50")
    serial, binding = wired.run(
        lambda c: c.execute(select(tokens.c.serial, tokens.c.binding))
    ).one()
    assert binding == TO_COUNTER
    wired.send_all()
    text = next(m.text for m in wired.gateway.inbox(ADA) if serial in m.text)
    assert text.startswith("NGN 100.00 in cash at a shop: show the code ")
    assert "dial" not in text
    assert wired.breaches() == []


def test_a_cash_code_that_nobody_used_comes_back_without_its_fee(
    wired: Wired, clock: SteppedClock
) -> None:
    ready(wired)
    confirmed(wired, "2").send(PIN)
    clock.advance(minutes=61)
    wired.gateway.chores()["tokens_expired"]()
    assert wired.balance() == Decimal("992.50")
    assert wired.breaches() == []


def test_only_the_owner_of_a_cash_code_hears_that_a_shop_pays_it(
    wired: Wired, clock: SteppedClock
) -> None:
    ready(wired)
    confirmed(wired, "2").send(PIN)
    token = wired.token(wired.run(lambda c: c.execute(select(tokens.c.serial)).scalar_one()))
    digits = wired.gateway.reprinter.digits(token)
    assert wired.dial(text=f"1*{digits}").body == "END Only a shop pays this code."
    stranger = wired.dial("+2348030000009", text=f"1*{digits}")
    assert stranger.body.startswith("END This token cannot be redeemed.")
    clock.advance(hours=2)
    assert wired.dial(text=f"1*{digits}").body.startswith("END This token cannot be redeemed.")
    assert wired.balance() == Decimal("892.50")


@pytest.mark.parametrize("way", ["1", "2"])
def test_more_than_there_is_is_refused_after_the_pin_with_the_numbers(
    wired: Wired, way: str
) -> None:
    ready(wired, "104.99" if way == "1" else "107.49")
    total, balance = ("105.00", "104.99") if way == "1" else ("107.50", "107.49")
    assert confirmed(wired, way).send(PIN) == (
        f"END Your balance of NGN {balance} is less than NGN {total}. Nothing was taken out."
    )
    assert count(wired, withdrawals) == count(wired, tokens) == 0


def test_a_single_one_above_the_tier_is_refused_with_its_number(wired: Wired) -> None:
    ready(wired)
    assert wired.dial(text="4*4*1*496").body == (
        "END This is above your limit. With its fee you can take out NGN 500.00 now."
    )


def test_what_the_day_still_allows_is_named(wired: Wired) -> None:
    ready(wired)
    confirmed(wired, amount="495").send(PIN)
    assert confirmed(wired, amount="495").send(PIN) == (
        "END This is above your limit. With its fee you can take out NGN 300.00 now."
    )
    assert held(wired) == Decimal("500.00")


def test_without_a_pin_a_caller_is_told_where_to_set_one(wired: Wired) -> None:
    wallet(wired, ADA, "100.00")
    assert wired.dial(text="4*4").body.startswith("CON You need a PIN for this.\n1 Set a PIN")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "frozen"}, "END Your wallet is stopped."),
        ({"unverified": True}, "END Before you take money out, we must make sure that it is you."),
    ],
)
def test_a_stopped_or_unverified_wallet_is_told_whom_to_call(
    wired: Wired, changes: dict[str, object], words: str
) -> None:
    ready(wired)
    stopped = update(accounts).where(accounts.c.owner == ADA).values(changes)
    wired.run(lambda c: c.execute(stopped).rowcount)
    reply = wired.dial(text="4*4").body
    assert reply.startswith(words)
    assert "+2348000000000" in reply


@pytest.mark.parametrize("entry", ["0.00", "-5", "1e3", "abc", "0.001", "1,000"])
def test_what_is_no_amount_is_asked_again(wired: Wired, entry: str) -> None:
    ready(wired)
    call = wired.dial(text="4*4*1")
    assert call.send(entry).startswith("CON An amount reads like 500 or 500.00.")
    assert held(wired) == 0


def test_a_dropped_call_resumes_before_the_confirmation(wired: Wired, clock: SteppedClock) -> None:
    ready(wired)
    clock.advance(seconds=1)  # of two calls at one instant either may be the latest
    call = wired.dial(text="4*4*1*100")
    call.send("1")
    again = wired.dial()
    assert "9 Continue" in again.body
    assert again.send("9").startswith("CON Take out how much?")
    assert held(wired) == 0


def test_a_dialled_text_never_passes_the_confirmation(wired: Wired) -> None:
    ready(wired)
    assert "1 Confirm" in wired.dial(text=f"4*4*1*100*1*{PIN}").body
    assert held(wired) == 0
