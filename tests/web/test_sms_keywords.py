"""What people write to the short code: tokens in every spelling, and talk that is left alone."""

import re

import pytest
from sqlalchemy import text as sql

from gateway.outbox.store import Message
from menus.keywords import REPLIES_AN_HOUR
from tests.outbox.senders import rows_of
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.web.sms_callbacks import outcomes, replies, stored, text_in

SPELLINGS = (
    "{a} {b} {c}",
    "{a}-{b}-{c}",
    "{a}.{b}.{c}",
    "{a}*{b}*{c}#",
    "  {a}{b}{c}\n",
    "{a}\u00a0{b}\u2009{c}",
    "{a}\u200b{b}\u2013{c}",
    "REDEEM {a}{b}{c}",
    "redeem {a} {b} {c}",
    "Redeem: {a}-{b}-{c}",
    "REDEEM{a}{b}{c}",
    "rEdEeM\n{a}\n{b}\n{c}",
    "REDEEM\u00a0{a}{b}{c}#",
)
FULL_WIDTH = {ord("0") + n: chr(0xFF10 + n) for n in range(10)}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_token_is_redeemed_in_every_spelling(wired: Wired, spelling: str) -> None:
    token = wired.issue("500.00").reveal()
    text = spelling.format(a=token[:6], b=token[6:12], c=token[12:])
    assert text_in(wired, text, "m1").status_code == 200
    assert outcomes(wired) == ["redeemed"]
    assert str(wired.balance()) == "500.00"


def test_full_width_digits_are_digits(wired: Wired) -> None:
    token = wired.issue(digits=11).reveal()
    text_in(wired, token.translate(FULL_WIDTH), "m1")
    assert outcomes(wired) == ["redeemed"]
    assert stored(wired)[0][1] == "#" * 11


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("", "ignored"),
        ("   ", "ignored"),
        ('"\\%_ ', "ignored"),
        ("\U0001f44d\U0001f3fd!!", "ignored"),
        ("hello", "unknown"),
        ("<script>alert(1)</script>", "unknown"),
        ("see you at 8", "unknown"),
        ("12345", "unknown"),
        ("call me on 08030000001", "unknown"),  # a number to call, and of a token's length
        ("it's 76543210983", "not_valid"),
        ("redeemed 76543210983", "not_valid"),
        ("my code is 76543210984", "mistyped"),
        ("REDEEM", "mistyped"),
        ("REDEEM my token", "mistyped"),
        ("90210000000", "mistyped"),  # the first part of an 18-digit token that was cut in two
        ("0000014", "mistyped"),  # and its second
        ("76543210983", "not_valid"),
        ("902100000000000014", "not_valid"),
        ("90210000000000001²", "mistyped"),
        ("123456789012345672", "mistyped"),
        ("9" * 400, "mistyped"),
    ],
)
def test_each_text_has_its_outcome_and_is_kept_with_its_digits_masked(
    wired: Wired, text: str, outcome: str
) -> None:
    assert text_in(wired, text, "m1").status_code == 200
    assert stored(wired) == [(ADA, re.sub(r"\d", "#", text), outcome)]
    assert len(replies(wired)) == (outcome != "ignored")


def test_the_parts_of_a_long_text_redeem_nothing(wired: Wired) -> None:
    token = wired.issue().reveal()
    text_in(wired, token[:11], "m1")
    text_in(wired, token[11:], "m2")
    assert "redeemed" not in outcomes(wired)
    assert str(wired.balance()) == "0.00"


def test_a_kept_text_is_found_literally(wired: Wired) -> None:
    text_in(wired, 'it\'s 100% \\ _ "x"', "m1")
    found = wired.run(
        lambda c: c.execute(
            sql("SELECT count(*) FROM inbound_sms WHERE masked_text = :text"),
            {"text": 'it\'s ###% \\ _ "x"'},
        ).scalar()
    )
    assert found == 1


def said_to(wired: Wired, message: Message) -> str:
    """A reply's text as it would be sent."""
    with wired.gateway.database.snapshot() as connection:
        return wired.gateway.renderers()[message.template](connection, message).body


def test_a_redeemed_token_is_answered_by_its_receipt_alone(wired: Wired) -> None:
    issued = wired.issue("500.00")
    text_in(wired, issued.reveal(), "m1")
    (receipt,) = replies(wired)
    assert said_to(wired, receipt).startswith("You redeemed NGN 500.00 on 02/03/2026 10:00.")


def test_who_redeemed_it_is_told_so_and_a_stranger_is_not(wired: Wired) -> None:
    issued = wired.issue("500.00")
    text_in(wired, issued.reveal(), "m1")
    text_in(wired, issued.reveal(), "m2")
    text_in(wired, issued.reveal(), "m3", sender=BELLO)
    text_in(wired, "902100000000000014", "m4", sender=BELLO)
    _, again, used, unknown = (said_to(wired, message) for message in replies(wired))
    assert again == (
        f"You redeemed this token already: NGN 500.00 on 02/03/2026 10:00.\nRef {issued.serial}"
    )
    assert used == unknown


def test_a_reply_is_in_the_language_of_who_wrote(wired: Wired) -> None:
    now = wired.clock.now()
    wired.run(lambda c: wired.gateway.subscribers.choose_language(c, ADA, "fr", now))
    text_in(wired, "123456", "m1")
    assert said_to(wired, replies(wired)[0]).startswith("Le jeton est incomplet")


def test_a_phone_that_goes_on_guessing_is_told_of_its_limit_once(
    wired: Wired, clock: SteppedClock
) -> None:
    for number in range(9):
        text_in(wired, "902100000000000014", f"m{number}")
    assert outcomes(wired) == ["not_valid"] * 5 + ["limited"] * 4
    said = [said_to(wired, message) for message in replies(wired)]
    assert said[5:] == ["Too many wrong tokens. Please try again after 02/03/2026 11:00."]
    clock.advance(hours=1, seconds=1)
    text_in(wired, wired.issue().reveal(), "m9")
    assert outcomes(wired)[-1] == "redeemed"


def test_a_machine_at_the_other_end_runs_up_no_bill(wired: Wired, clock: SteppedClock) -> None:
    token = wired.issue().reveal()
    for number in range(25):
        text_in(wired, token, f"m{number}")
    assert outcomes(wired) == ["redeemed"] + ["already_yours"] * 24
    assert len(replies(wired)) == 1 + REPLIES_AN_HOUR
    text_in(wired, "123456", "other", sender=BELLO)
    assert len(replies(wired)) == 2 + REPLIES_AN_HOUR
    clock.advance(hours=1, seconds=1)
    text_in(wired, token, "later")
    assert len(replies(wired)) == 3 + REPLIES_AN_HOUR


def test_two_guesses_past_the_limit_at_once_are_answered_once(wired: Wired) -> None:
    for number in range(5):
        text_in(wired, "902100000000000014", f"m{number}")
    answers = race(4, lambda n: text_in(wired, "902100000000000014", f"late{n}").status_code)
    assert answers == [200] * 4
    assert outcomes(wired)[5:] == ["limited"] * 4
    assert len(replies(wired)) == 6


def test_two_phones_texting_one_token_at_once_have_one_winner(wired: Wired) -> None:
    token = wired.issue("500.00", to=None).reveal()
    phones = [f"+23480300001{n:02}" for n in range(8)]
    answers = race(8, lambda n: text_in(wired, token, f"m{n}", sender=phones[n]).status_code)
    assert answers == [200] * 8
    assert sorted(outcomes(wired)) == ["not_valid"] * 7 + ["redeemed"]
    assert wired.breaches() == []


def test_a_used_up_text_leaves_no_digit_of_it_in_any_row(wired: Wired) -> None:
    tokens = [wired.issue(to=ADA, digits=digits).reveal() for digits in (18, 11)]
    for number, token in enumerate(tokens):
        text_in(wired, f"REDEEM {token}", f"m{number}")
        text_in(wired, token[:-1] + str((int(token[-1]) + 1) % 10), f"wrong{number}")
    kept = f"{stored(wired)}{rows_of(wired).all()}"
    assert not [token for token in tokens if token[:6] in kept or token[-6:] in kept]
    assert not re.search(r"\d", "".join(text for _, text, _ in stored(wired)))
