"""3 My tokens, those sent: sent again, taken back, sent to another number."""

from decimal import Decimal

import pytest

from gateway.ledger import wallets
from gateway.ledger.store import movements
from gateway.tokens import suspend
from gateway.tokens.store import tokens
from tests.menus.sending import CHIDI, FEES, PIN, confirm, pause, ready, send, sms
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import change, count, wallet

OVER = "END This token is no longer valid."


def digits(wired: Wired, serial: str) -> str:
    """The digits of a token."""
    return wired.gateway.reprinter.digits(wired.token(serial))


def redirected(wired: Wired, to: str = CHIDI, number: str = "1") -> str:
    """Send the token with this number in the list elsewhere; the last reply."""
    call = wired.dial(text=f"3*{number}*3*{to}")
    call.send("1")
    return call.send(PIN)


def test_those_waiting_come_first_and_keep_their_numbers(wired: Wired, clock: SteppedClock) -> None:
    ready(wired)
    wired.issue("75.00")
    clock.advance(seconds=1)
    first = wired.dial(text="3").body
    assert first == "CON My tokens\n1 NGN 75.00 until 01/04/2026\n0 Back"
    serial = send(wired)
    assert wired.dial(text="3").body == (
        "CON My tokens\n1 NGN 75.00 until 01/04/2026\n2 NGN 500.00 to +234 803 000 0002\n0 Back"
    )
    assert wired.dial(text="3*2").body == (
        f"CON Token {serial}, +234 803 000 0002\nNGN 500.00 until 01/04/2026\n"
        "1 Send the SMS again\n2 Cancel it\n3 Send to another number\n0 Back 00 Home"
    )
    assert wired.dial(BELLO, text="3").body == (
        "CON My tokens\n1 NGN 500.00 until 01/04/2026\n0 Back"
    )


def test_a_token_without_a_recipient_or_for_oneself_is_not_listed_as_sent(wired: Wired) -> None:
    ready(wired)
    serial = send(wired)
    for recipient in (None, ADA):
        change(wired, serial, recipient=recipient)
        assert " to " not in wired.dial(text="3").body


def test_the_sms_goes_again_to_its_recipient_alone(wired: Wired) -> None:
    ready(wired)
    serial = send(wired)
    told = wired.dial(text="3*1*1").body
    assert told == f"END Token {serial} will be sent to +234 803 000 0002 by SMS."
    assert len([text for text in sms(wired, BELLO) if "Token " in text]) == 2
    for _ in range(2):
        wired.dial(text="3*1*1")
    assert wired.dial(text="3*1*1").body.startswith("END This token was sent several times")


def test_a_token_taken_back_is_in_the_wallet_once_and_its_recipient_told(wired: Wired) -> None:
    ready(wired)
    serial = send(wired)
    wired.send_all()
    call = wired.dial(text="3*1*2*1")
    assert call.body == (
        f"CON Cancel token {serial} to +234 803 000 0002? NGN 500.00 comes back to your wallet.\n"
        "1 Confirm\n0 Back 00 Home"
    )
    done = call.send("1")
    assert done == f"END Token {serial} is cancelled. NGN 500.00 is back in your wallet."
    assert call.post(call.text) == done
    assert wired.balance() == Decimal("1000.00")
    assert wired.token(serial).status == "cancelled"
    assert sms(wired, BELLO)[-1] == (
        f"The token {serial} of NGN 500.00 was cancelled and cannot be redeemed."
    )
    assert sms(wired, ADA)[-1] == (
        f"Your token {serial} to +234 803 000 0002 was cancelled. NGN 500.00 is back in your"
        " wallet."
    )
    assert count(wired, movements, movements.c.kind == "cancel") == 1
    assert wired.breaches() == []


def test_a_token_that_nobody_has_heard_of_is_cancelled_without_a_word(wired: Wired) -> None:
    ready(wired)
    send(wired)
    call = wired.dial(text="3*1*2")
    call.send("1")
    assert sms(wired, BELLO) == []


@pytest.mark.parametrize("end", ["redeemed", "suspended", "expired"])
def test_a_token_that_ended_while_it_was_shown_is_neither_cancelled_nor_sent(
    wired: Wired, clock: SteppedClock, end: str
) -> None:
    ready(wired)
    serial, now = send(wired), clock.now()
    calls = [wired.dial(text="3*1"), wired.dial(text="3*1*2"), wired.dial(text=f"3*1*3*{CHIDI}")]
    calls[2].send("1")
    if end == "redeemed":
        wired.redeem(digits(wired, serial), BELLO)
    elif end == "suspended":
        wired.run(lambda c: suspend.suspend(c, wired.token(serial), "test", "", now))
    else:
        change(wired, serial, expires_at=now)
    assert calls[0].send("1") == OVER
    assert calls[1].send("1") == OVER
    assert calls[2].send(PIN) == OVER
    assert wired.balance() == Decimal("500.00")
    assert count(wired, tokens) == 1
    assert wired.breaches() == []


def test_a_token_goes_to_another_number_and_the_old_digits_die(
    database_url: str, clock: SteppedClock
) -> None:
    wired = Wired(database_url, clock, money=FEES)
    ready(wired, "600.00")
    old = send(wired)
    dead = digits(wired, old)
    wired.send_all()
    clock.advance(days=3)
    call = wired.dial(text=f"3*1*3*{CHIDI}")
    assert call.body == (
        f"CON Send NGN 500.00 to +234 803 000 0003? Token {old} will be cancelled.\n1 Confirm\n"
        "0 Back 00 Home"
    )
    call.send("1")
    done = call.send(PIN)
    new = done.rpartition("Ref ")[2]
    assert done == (
        f"END Token {old} is cancelled. NGN 500.00 went to +234 803 000 0003 by SMS.\nRef {new}"
    )
    assert call.post(call.text) == done
    assert wired.balance() == Decimal("90.00")
    moved = wired.token(new)
    assert (moved.recipient, moved.amount) == (CHIDI, Decimal("500.00"))
    assert moved.expires_at == wired.token(old).expires_at
    assert sms(wired, BELLO)[-1].startswith(f"The token {old} of NGN 500.00 was cancelled")
    assert sms(wired, CHIDI)[0].startswith("08030000001: NGN 500.00. Token ")
    assert sms(wired, ADA)[1:] == [
        f"Token {old} was cancelled. NGN 500.00 went to +234 803 000 0003 instead. Ref {new}."
    ]
    assert wired.redeem(dead, BELLO).answer.value == "not_valid"
    assert wired.redeem(digits(wired, new), CHIDI).answer.value == "redeemed"
    assert wired.breaches() == []
    wired.close()


def test_no_cap_counts_the_same_money_twice(database_url: str, clock: SteppedClock) -> None:
    wired = Wired(database_url, clock, money=FEES)
    ready(wired, "10000.00")
    send(wired, amount="4975")
    send(wired, amount="2975")
    assert redirected(wired).startswith("END Token ")
    assert confirm(wired).send(PIN).startswith("END Today you can send NGN 0.00 more")
    assert wired.breaches() == []
    wired.close()


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ("1", "This is not a phone number."),
        (ADA, "This is your own number."),
        ("08030000002", "The token is for this number already."),
    ],
)
def test_another_number_is_asked_for_again(wired: Wired, entry: str, complaint: str) -> None:
    ready(wired)
    send(wired)
    call = wired.dial(text="3*1*3")
    assert call.send(entry).startswith(f"CON {complaint}\nSend to which number?")


def test_a_stopped_or_unverified_owner_sends_nothing_elsewhere(wired: Wired) -> None:
    ready(wired)
    send(wired)
    call = wired.dial(text=f"3*1*3*{CHIDI}")
    call.send("1")
    account = wallet(wired, ADA)
    wired.run(lambda c: wallets.require_verification(c, account))
    assert call.send(PIN).startswith("END Before you can send we must make sure")
    wired.run(lambda c: wallets.verify(c, account, wired.clock.now().date()))
    wired.run(lambda c: wallets.freeze(c, account))
    assert wired.dial(text="3*1*3").body == "END Your wallet is stopped. Nothing was sent."
    assert count(wired, tokens) == 1


def test_a_paused_switch_stops_sending_elsewhere_but_not_taking_back(wired: Wired) -> None:
    ready(wired)
    send(wired)
    call = wired.dial(text=f"3*1*3*{CHIDI}")
    call.send("1")
    pause(wired)
    assert call.send(PIN).startswith("END Sending is stopped for now.")
    assert wired.dial(text="3*1*2").send("1").startswith("END Token ")
    assert wired.balance() == Decimal("1000.00")


def test_a_taking_back_or_another_number_cannot_be_dialled(wired: Wired) -> None:
    ready(wired)
    send(wired)
    assert wired.dial(text="3*1*2*1").body.startswith("CON Cancel token")
    assert wired.dial(text=f"3*1*3*{CHIDI}*1*{PIN}").body.startswith("CON Send NGN 500.00 to")
    assert count(wired, tokens) == 1


def test_so_many_tokens_a_day_go_to_another_number(wired: Wired, clock: SteppedClock) -> None:
    ready(wired)
    send(wired)
    for number in range(5):
        clock.advance(seconds=1)
        assert "is cancelled" in redirected(wired, BELLO if number % 2 else CHIDI)
    clock.advance(seconds=1)
    before = count(wired, tokens)
    assert redirected(wired, BELLO) == (
        "END You have sent 5 tokens to another number today. Please try again tomorrow."
    )
    assert count(wired, tokens) == before
    clock.advance(days=1)
    assert "is cancelled" in redirected(wired, BELLO)
    assert wired.breaches() == []
