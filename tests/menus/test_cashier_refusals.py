"""6 Cashier, what is not paid: every reason has its own screen, and the token stays as it was."""

import time
from decimal import Decimal

import pytest
from sqlalchemy import select

from gateway.outlets.payments.answers import Stop
from gateway.outlets.payments.store import payments
from gateway.settings.limits import Money
from gateway.switches import board
from gateway.switches.board import FRESH_SECONDS
from gateway.tokens.store import TO_PARTNER
from gateway.tokens.tills.pay import CASHIER, Answer
from menus import unpaid
from tests.menus.paying import NONE, looked, opened, paid
from tests.outlets.staging import AMA
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired
from tests.tokens.staging import change

NOBODYS = "902100000000000014"
REST = {Answer.PAYABLE, Answer.PAID, Answer.UNKNOWN, Answer.MISTYPED}


def pause(wired: Wired) -> None:
    """Let operators stop redeeming, and this process hear of it."""
    now = wired.clock.now()
    wired.run(lambda c: board.throw(c, "redeem", "cli:ops", "a test", now, pause=True))
    time.sleep(FRESH_SECONDS)


def state_of(wired: Wired, serial: str) -> str:
    """What became of the payment of a token."""
    query = select(payments.c.state).where(payments.c.serial == serial)
    return str(wired.run(lambda c: c.execute(query).scalar_one()))


def test_every_answer_has_a_way_to_be_told() -> None:
    assert {*Answer, *Stop} - unpaid.WAYS.keys() == REST


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("12345", "A token has 18 or 11 digits. Please check it."),
        ("123456789012345672", "A digit is wrong. Please check it."),
        ("90210000000000001²", "Digits only, please."),
        (NOBODYS, "There is no such token. Please check the digits."),
    ],
)
def test_what_is_no_token_is_asked_again(wired: Wired, entry: str, words: str) -> None:
    opened(wired)
    call = wired.dial(AMA, text="6*1")
    assert call.send(entry) == f"CON {words}\nEnter the token to pay:\n0 Back 00 Home"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "suspended"}, "was stopped by its issuer."),
        ({"status": "expired"}, "has expired."),
        ({"status": "cancelled"}, "was cancelled."),
        ({"currency": "KES"}, "is not in your till's currency."),
        ({"binding": TO_PARTNER}, "is redeemed at its issuer alone."),
    ],
)
@pytest.mark.parametrize("way", ["1", "2"])
def test_a_cashier_hears_why_a_token_is_not_paid(
    wired: Wired, changes: dict[str, object], words: str, way: str
) -> None:
    opened(wired)
    issued = wired.issue("60.00")
    change(wired, issued.serial, **changes)
    currency = changes.get("currency", "NGN")
    assert wired.dial(AMA, text=f"6*{way}*{issued.reveal()}").body == (
        f"END Do not pay. {currency} 60.00, Ref {issued.serial} {words}"
    )


@pytest.mark.parametrize(
    ("meanwhile", "words"),
    [
        ({"status": "suspended"}, "was stopped by its issuer."),
        ({"status": "cancelled"}, "was cancelled."),
    ],
)
def test_what_changes_before_the_confirmation_is_not_paid(
    wired: Wired, meanwhile: dict[str, object], words: str
) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    call = looked(wired, issued.reveal())
    change(wired, issued.serial, **meanwhile)
    assert call.send("1") == f"END Do not pay. NGN 60.00, Ref {issued.serial} {words}"
    assert shop.account().balance == 0


def test_one_redeemed_meanwhile_by_its_owner_is_not_paid(wired: Wired) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    call = looked(wired, issued.reveal())
    wired.redeem(issued.reveal())
    words = f"END Do not pay. NGN 60.00, Ref {issued.serial} was redeemed already."
    assert call.send("1") == words
    assert looked(wired, issued.reveal()).body == words
    assert (shop.account().balance, wired.balance()) == (NONE, Decimal("60.00"))
    assert wired.breaches() == []


def test_a_frozen_till_pays_nothing_and_is_closed_as_ever(wired: Wired) -> None:
    shop = opened(wired)
    paid(wired, "60.00")
    issued = wired.issue("10.00")
    call = looked(wired, issued.reveal())
    shop.freeze(shop.account())
    stopped = "END Your till is stopped. Nothing was paid. Please call your manager."
    assert call.send("1") == stopped
    assert wired.token(issued.serial).status == "issued"
    assert looked(wired, issued.reveal()).body == stopped
    shift = shop.shift()
    assert "is closed" in wired.dial(AMA, text="6*5*440").send("1")
    assert shop.stand(shift).state == "closed"
    assert wired.breaches() == []


def test_a_paused_redeem_has_its_own_screen_at_each_step(wired: Wired) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    call, typing = looked(wired, issued.reveal()), wired.dial(AMA, text="6*1")
    pause(wired)
    paused = "END Paying is paused. Nothing was paid; the token stays good. Please try again later."
    assert call.send("1") == paused
    assert typing.send(issued.reveal()) == paused
    assert wired.dial(AMA, text="6*1").body == paused
    assert state_of(wired, issued.serial) == "shown"
    assert shop.account().balance == 0


def test_a_shift_that_is_counted_meanwhile_pays_nothing(wired: Wired) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    call, typing = looked(wired, issued.reveal()), wired.dial(AMA, text="6*1")
    shop.count("400.00")
    assert call.send("1") == "END Your till is counted or closed. Nothing was paid."
    waits = (
        "END Till LAG-1/1: counted NGN 400.00. Your manager must accept it."
        " Nothing is paid until then."
    )
    assert typing.send(issued.reveal()) == waits
    assert wired.dial(AMA, text="6").body == (
        "CON Cashier LAG-1/1\n3 Last five\n4 Till total\n5 Close till\n0 Back"
    )
    assert wired.dial(AMA, text="6*5").body == waits
    assert wired.token(issued.serial).status == "issued"


def test_a_shift_that_is_closed_meanwhile_pays_nothing(wired: Wired) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    call, typing = looked(wired, issued.reveal()), wired.dial(AMA, text="6*1")
    shop.count("500.00")
    assert call.send("1") == "END Your till is counted or closed. Nothing was paid."
    assert typing.send(issued.reveal()) == (
        "END You have no till open. Dial again and choose Open a till."
    )
    assert shop.account().balance == 0


def test_more_than_the_float_limit_is_not_paid(wired: Wired) -> None:
    shop = opened(wired, float_limit="100.00")
    paid(wired, "60.00")
    issued = wired.issue("40.01")
    assert looked(wired, issued.reveal()).send("1") == (
        "END Your till would pay more than its limit. Nothing was paid; the token stays good."
    )
    assert wired.token(issued.serial).status == "issued"
    paid(wired, "40.00")
    assert shop.account().balance == Decimal("100.00")


def test_what_was_looked_at_too_long_ago_is_entered_again(
    wired: Wired, clock: SteppedClock
) -> None:
    opened(wired)
    issued = wired.issue("60.00")
    call = looked(wired, issued.reveal())
    clock.advance(minutes=11)
    assert call.send("1") == (
        "END You looked at this token too long ago. Nothing was paid. Please enter it again."
    )
    assert looked(wired, issued.reveal()).send("1").startswith("END PAID")


def test_the_agents_caps_have_screens_of_their_own(database_url: str, clock: SteppedClock) -> None:
    caps = Money(agent={"a_day": Decimal("100.00"), "per_customer": Decimal("50.00")})
    wired = Wired(database_url, clock, money=caps)
    shop = opened(wired)
    for amount, words in (
        ("50.01", "END This customer has got what your till may pay them in a day."),
        ("100.01", "END Your till has paid what it may in a day."),
    ):
        issued = wired.issue(amount)
        call = looked(wired, issued.reveal())
        call.send(ADA)
        assert call.send("1").startswith(words)
        assert wired.token(issued.serial).status == "issued"
    assert shop.account().balance == 0
    wired.close()


def test_wrong_tokens_are_counted_for_the_cashier_wherever_they_type(
    wired: Wired, clock: SteppedClock
) -> None:
    shop = opened(wired)
    for _ in range(CASHIER.an_hour):
        assert shop.show(NOBODYS).answer is Answer.UNKNOWN
    good = wired.issue("60.00").reveal()
    assert looked(wired, good).body.startswith(
        "END Too many wrong tokens. Nothing was paid. Please try again after 02/03/2026 11:00."
    )
    clock.advance(minutes=61)
    assert looked(wired, good).send("1").startswith("END PAID NGN 60.00")
