"""BAL: the balance by SMS, behind the PIN once there is one, and no PIN kept anywhere."""

import re

import pytest
from sqlalchemy import select

from gateway.people.pins.store import pins
from gateway.settings.texting import Texting
from tests.menus.texting import answered, choose, said
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.web.sms_callbacks import outcomes, replies, stored, text_in

PIN, WRONG = "4711", "4712"


def tries(wired: Wired, phone: str = ADA) -> int:
    """The wrong tries in a row."""
    found = select(pins.c.tries).where(pins.c.msisdn == phone)
    return int(wired.run(lambda c: c.execute(found).scalar_one()))


@pytest.mark.parametrize("text", ["BAL", "bal.", "Balance?", "SOLDE", "BAL please"])
def test_a_phone_without_a_pin_is_told_its_balance(wired: Wired, text: str) -> None:
    wired.redeem(wired.issue("500.00").reveal())
    assert answered(wired, text, "m1")[0] == "balance"
    assert said(wired)[-1] in ("Balance NGN 500.00", "Solde NGN 500.00")


def test_a_phone_without_a_wallet_has_nothing(wired: Wired) -> None:
    assert answered(wired, "BAL", "m1") == ("balance", ["Balance NGN 0.00"])


def test_a_pin_that_nobody_has_set_is_not_asked_about(wired: Wired) -> None:
    assert answered(wired, "BAL 4711", "m1") == ("balance", ["Balance NGN 0.00"])


@pytest.mark.parametrize(
    "text", ["BAL 4711", "bal4711", "BAL: 47 11", "Balance, my PIN is 4711 thanks", "BAL ４７１１"]
)
def test_with_a_pin_it_is_told_behind_the_pin_alone(wired: Wired, text: str) -> None:
    wired.set_pin(PIN)
    asked = "Send BAL, a space and your PIN. Then delete that SMS. Or dial *384*1#."
    assert answered(wired, "BAL", "m1") == ("pin_needed", [asked])
    assert answered(wired, text, "m2") == ("balance", ["Balance NGN 0.00"])
    assert tries(wired) == 0


@pytest.mark.parametrize("text", ["BAL 471", "BAL 4711000", "BAL 490750293453273258", "BAL ٤٧١١"])
def test_what_cannot_be_a_pin_is_no_try(wired: Wired, text: str) -> None:
    wired.set_pin(PIN)
    assert answered(wired, text, "m1") == ("pin_form", ["A PIN has 4 to 6 digits."])
    assert tries(wired) == 0


def test_held_money_is_told_too(wired: Wired, clock: SteppedClock) -> None:
    wired.redeem(wired.issue("500.00").reveal())
    wired.set_pin(PIN)
    call = wired.dial(text="4*4*1*200")
    for entry in ("1", PIN):
        call.send(entry)
    outcome, (text,) = answered(wired, f"BAL {PIN}", "m1")
    assert (outcome, text) == ("balance", "Balance NGN 300.00\nPending NGN 200.00")


def test_wrong_pins_count_and_lock_as_anywhere(wired: Wired, clock: SteppedClock) -> None:
    wired.set_pin(PIN)
    answers = [answered(wired, f"BAL {WRONG}", f"m{number}") for number in range(8)]
    assert [outcome for outcome, _ in answers] == ["pin_wrong"] * 4 + ["pin_locked"] * 4
    assert [text for _, texts in answers for text in texts] == [
        "Wrong PIN. 4 tries left.",
        "Wrong PIN. 3 tries left.",
        "Wrong PIN. 2 tries left.",
        "Wrong PIN. 1 try left.",
        "Too many wrong PINs. Please try again after 02/03/2026 11:00.",  # once
    ]
    assert wired.dial(text="4*1").send(PIN).startswith("END Too many wrong PINs.")
    assert answered(wired, f"BAL {PIN}", "right")[0] == "pin_locked"
    clock.advance(hours=1, seconds=1)
    assert answered(wired, f"BAL {PIN}", "later")[0] == "balance"
    assert tries(wired) == 0


def test_ten_wrong_pins_close_it_until_an_operator_helps(wired: Wired, clock: SteppedClock) -> None:
    wired.set_pin(PIN)
    for number in range(10):
        text_in(wired, f"BAL {WRONG}", f"m{number}")
        clock.advance(hours=1, seconds=1)
    assert outcomes(wired)[-1] == "pin_closed"
    assert said(wired)[-1] == "Your PIN is locked after too many wrong tries."
    assert answered(wired, f"BAL {PIN}", "again") == ("pin_closed", [])


def test_tries_by_sms_and_by_ussd_are_the_same_tries(wired: Wired) -> None:
    wired.set_pin(PIN)
    call = wired.dial(text="4*1")
    for _ in range(3):
        call.send(WRONG)
    assert answered(wired, f"BAL {WRONG}", "m1")[1] == ["Wrong PIN. 1 try left."]


def test_a_message_that_comes_again_is_one_try(wired: Wired) -> None:
    wired.set_pin(PIN)
    for _ in range(4):
        text_in(wired, f"BAL {WRONG}", "m1")
    assert tries(wired) == 1
    assert said(wired) == ["Wrong PIN. 4 tries left."]


def test_sixteen_copies_at_once_are_one_try_and_one_answer(wired: Wired) -> None:
    wired.set_pin(PIN)
    answers = race(16, lambda _: text_in(wired, f"BAL {WRONG}", "m1").status_code)
    while 503 in answers:  # others were hashing: as an aggregator, ask again
        answers = [text_in(wired, f"BAL {WRONG}", "m1").status_code]
    assert set(answers) == {200}
    assert tries(wired) == 1
    assert (outcomes(wired), said(wired)) == (["pin_wrong"], ["Wrong PIN. 4 tries left."])


def test_a_wallet_whose_owner_may_be_another_shows_nothing(
    wired: Wired, clock: SteppedClock
) -> None:
    wired.redeem(wired.issue("500.00").reveal())
    clock.advance(days=100)
    outcome, (text,) = answered(wired, "BAL", "m1")
    assert outcome == "unverified"
    assert "NGN" not in text


def test_no_pin_is_left_in_any_row_or_line(wired: Wired) -> None:
    wired.set_pin("8305")
    with captured_log() as log:
        for number, text in enumerate(("BAL 8305", "BAL 8306", "bal8305", "Solde: ８３０５")):
            text_in(wired, text, f"m{number}")
        lines = str(log.lines())
    kept = f"{stored(wired)}{replies(wired)}"
    assert [text for _, text, _ in stored(wired)] == [
        "BAL ####",
        "BAL ####",
        "bal####",
        "Solde: ####",
    ]
    assert not re.search("830[56]|８３０５", kept + lines)


def test_it_can_be_switched_off(database_url: str, clock: SteppedClock) -> None:
    off = Wired(database_url, clock, texting=Texting(balance=False), languages=("en", "fr"))
    off.set_pin(PIN)
    refused = "We do not tell balances by SMS. Please dial *384*1#."
    assert answered(off, f"BAL {WRONG}", "m1") == ("balance_off", [refused])
    assert tries(off) == 0
    assert "BAL" not in answered(off, "HELP", "m2")[1][0]
    off.close()


def test_the_reply_is_in_the_language_chosen_else_in_the_one_of_the_word(wired: Wired) -> None:
    assert answered(wired, "SOLDE", "m1")[1] == ["Solde NGN 0.00"]
    choose(wired, "en")
    assert answered(wired, "SOLDE", "m2")[1] == ["Balance NGN 0.00"]
    choose(wired, "fr", BELLO)
    assert answered(wired, "BAL", "m3", sender=BELLO)[1] == ["Solde NGN 0.00"]
    assert answered(wired, "SALIO", "m4", sender="+2348030000003")[1] == ["Balance NGN 0.00"]
