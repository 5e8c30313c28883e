"""2 Send token: to whom, how much, what it costs, the PIN; and what comes of it."""

from decimal import Decimal

import pytest

from gateway.ledger import wallets
from gateway.ledger.store import movements
from gateway.outbox.store import outbox
from gateway.tokens.store import tokens
from tests.menus.sending import CHIDI, FEES, PIN, confirm, pause, ready, send, sms
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import count, rows_of, wallet

ENTER = "CON Enter your PIN:\n0 Back 00 Home"


def test_a_token_is_sent_and_everybody_told(wired: Wired) -> None:
    ready(wired)
    call = wired.dial()
    assert call.send("2") == "CON Send to which number?\n0 Back"
    asked = call.send("08030000002")
    assert asked == "CON Send how much to +234 803 000 0002?\n0 Back 00 Home"
    assert call.send("500") == (
        "CON Send NGN 500.00 to +234 803 000 0002?\nFee NGN 0.00, together NGN 500.00\n"
        "1 Confirm\n0 Back 00 Home"
    )
    assert call.send("1") == ENTER
    done = call.send(PIN)
    serial = done.rpartition("Ref ")[2]
    assert done == (
        f"END You have sent NGN 500.00 to +234 803 000 0002.\nBalance NGN 500.00.\nRef {serial}"
    )
    assert wired.balance() == Decimal("500.00")
    (delivery,) = sms(wired, BELLO)
    assert delivery.startswith("08030000001: NGN 500.00. Token ")
    assert f"Ref {serial}" in delivery
    assert sms(wired, ADA) == [
        f"You sent NGN 500.00 to +234 803 000 0002, fee NGN 0.00. Ref {serial}. Balance NGN 500.00."
    ]
    assert wired.breaches() == []


def test_the_token_is_redeemed_by_its_recipient_and_the_sender_hears_of_it(wired: Wired) -> None:
    ready(wired)
    serial = send(wired)
    digits = wired.gateway.reprinter.digits(wired.token(serial))
    assert wired.dial(BELLO, text=f"1*{digits}").body.startswith("END You have received NGN 500")
    assert wired.balance(BELLO) == Decimal("500.00")
    assert sms(wired, ADA)[-1] == (
        f"Your token {serial} to +234 803 000 0002 of NGN 500.00 was redeemed on 02/03/2026 10:00."
    )
    assert wired.breaches() == []


def test_somebody_abroad_is_told_the_number_they_can_call_back(wired: Wired) -> None:
    ready(wired)
    send(wired, "+254700000001")
    (delivery,) = sms(wired, "+254700000001")
    assert delivery.startswith("+2348030000001: NGN 500.00.")


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ("12", "This is not a phone number."),
        ("", "This is not a phone number."),
        ("abc", "This is not a phone number."),
        ("٠٨٠٣٠٠٠٠٠٠٢", "This is not a phone number."),
        ("08030000001", "This is your own number."),
        ("+2348030000001", "This is your own number."),
    ],
)
def test_a_recipient_who_cannot_be_is_asked_for_again(
    wired: Wired, entry: str, complaint: str
) -> None:
    ready(wired)
    call = wired.dial(text="2")
    assert call.send(entry) == f"CON {complaint}\nSend to which number?\n0 Back"


@pytest.mark.parametrize(
    "entry", ["", "-5", "0.00", "0.001", "1e3", "1_000", "1,000", "NaN", "５００", "9" * 16]
)
def test_an_amount_that_is_none_is_asked_for_again(wired: Wired, entry: str) -> None:
    ready(wired)
    before = rows_of(wired)
    call = wired.dial(text="2*08030000002")
    reply = call.send(entry)
    assert reply.startswith("CON An amount reads like 500 or 500.00.\nSend how much to +234 803")
    assert rows_of(wired) == before


def test_spaces_and_a_closing_hash_do_not_count(wired: Wired) -> None:
    ready(wired)
    call = wired.dial(text="2")
    call.send(" 0803 000 0002#")
    assert call.send(" 12.50# ").startswith("CON Send NGN 12.50 to +234 803 000 0002?")


def test_the_fee_is_shown_before_and_booked_as_its_own_entry(
    database_url: str, clock: SteppedClock
) -> None:
    wired = Wired(database_url, clock, money=FEES)
    ready(wired, "600.00")
    call = wired.dial(text=f"2*{BELLO}*500")
    assert "\nFee NGN 10.00, together NGN 510.00\n" in call.body
    call.send("1")
    assert "Balance NGN 90.00." in call.send(PIN)
    assert ", fee NGN 10.00. Ref " in sms(wired, ADA)[0]
    assert wired.breaches() == []
    wired.close()


def test_a_repeated_text_is_answered_alike_and_sends_nothing_again(wired: Wired) -> None:
    ready(wired)
    call = confirm(wired)
    text = f"{call.text}*{PIN}"
    assert call.post(text) == call.post(text)
    assert count(wired, tokens) == 1
    assert wired.balance() == Decimal("500.00")


def test_a_confirmation_that_is_gone_back_to_and_given_again_sends_once(wired: Wired) -> None:
    ready(wired)
    call = confirm(wired)
    assert call.send("0").startswith("CON Send NGN 500.00 to")
    assert call.send("1") == ENTER
    call.send(PIN)
    assert count(wired, tokens) == 1
    assert count(wired, movements, movements.c.kind == "issue") == 1


def test_a_confirmation_and_a_pin_cannot_be_dialled(wired: Wired) -> None:
    ready(wired)
    call = wired.dial(text=f"2*{BELLO}*500*1*{PIN}")
    assert call.body.startswith("CON Send NGN 500.00 to")
    assert count(wired, tokens) == 0


def test_a_call_dropped_on_the_confirmation_resumes_at_the_amount(
    wired: Wired, clock: SteppedClock
) -> None:
    ready(wired)
    clock.advance(minutes=1)
    confirm(wired)
    clock.advance(minutes=1)
    call = wired.dial()
    assert call.send("9").startswith("CON Send how much to +234 803 000 0002?")
    assert call.send("200").startswith("CON Send NGN 200.00 to")


def test_a_wrong_pin_sends_nothing(wired: Wired) -> None:
    ready(wired)
    call = confirm(wired)
    assert call.send("9999").startswith("CON Wrong PIN. 4 tries left.")
    assert count(wired, tokens) == 0
    assert call.send(PIN).startswith("END You have sent")


def test_without_a_pin_the_way_to_one_is_shown_first(wired: Wired) -> None:
    wallet(wired, ADA, "1000.00")
    assert wired.dial(text="2").body == "CON You need a PIN for this.\n1 Set a PIN\n0 Back"


def test_more_than_there_is_is_refused_only_after_the_pin(wired: Wired) -> None:
    ready(wired, "100.00")
    before = rows_of(wired)
    call = confirm(wired, amount="100.01")
    assert call.body == ENTER
    assert call.send(PIN) == (
        "END Your balance of NGN 100.00 is less than NGN 100.01. Nothing was sent."
    )
    assert rows_of(wired) == before


def test_a_phone_without_a_wallet_has_nothing_to_send(wired: Wired) -> None:
    wired.set_pin(PIN, CHIDI)
    reply = confirm(wired, phone=CHIDI).send(PIN)
    assert reply.startswith("END Your balance of NGN 0.00 is less than NGN 500.00.")


def test_each_cap_is_told_with_its_number(database_url: str, clock: SteppedClock) -> None:
    wired = Wired(database_url, clock, money=FEES)
    ready(wired, "20000.00")
    assert wired.dial(text=f"2*{BELLO}*4980").body == (
        "END You can send at most NGN 5000.00 at a time, with the fee. Nothing was sent."
    )
    send(wired, amount="4975")
    before = rows_of(wired)
    assert confirm(wired, amount="3000").send(PIN) == (
        "END Today you can send NGN 3000.00 more, with the fee. Nothing was sent."
    )
    assert rows_of(wired) == before
    send(wired, amount="2975")
    clock.advance(days=1)
    send(wired, amount="2975")
    assert wired.breaches() == []
    wired.close()


def test_a_stopped_wallet_is_told_so_at_the_door_and_behind_the_pin(wired: Wired) -> None:
    ready(wired)
    call = confirm(wired)
    account = wallet(wired, ADA)
    wired.run(lambda c: wallets.freeze(c, account))
    assert call.send(PIN) == "END Your wallet is stopped. Nothing was sent."
    assert wired.dial(text="2").body == "END Your wallet is stopped. Nothing was sent."
    assert count(wired, outbox) == 0


def test_an_owner_who_is_not_verified_is_asked_to_call(
    database_url: str, clock: SteppedClock
) -> None:
    wired = Wired(database_url, clock, help_number="0800")
    ready(wired)
    call = confirm(wired)
    account = wallet(wired, ADA)
    wired.run(lambda c: wallets.require_verification(c, account))
    said = (
        "END Before you can send we must make sure that this is still your number."
        " Please call 0800."
    )
    assert call.send(PIN) == said
    assert wired.dial(text="2").body == said
    assert count(wired, tokens) == 0
    wired.close()


def test_a_paused_switch_stops_sends_at_the_door_and_behind_the_pin(wired: Wired) -> None:
    ready(wired)
    call = confirm(wired)
    pause(wired)
    said = "END Sending is stopped for now. Nothing was sent. Please try again later."
    assert call.send(PIN) == said
    assert wired.dial(text="2").body == said
    assert count(wired, tokens) == 0
