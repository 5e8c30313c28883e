"""Tokens by SMS: what a miss counts as, what many in one text do, and what a pause pauses."""

from collections.abc import Callable

import pytest

from gateway.switches import board
from gateway.tokens.guesses import store as guesses
from tests.menus.texting import answered
from tests.support.wired import ADA, BELLO, Wired
from tests.web.sms_callbacks import text_in

UNKNOWN_LONG, UNKNOWN_SHORT = "902100000000000014", "76543210983"


@pytest.mark.parametrize(
    ("entry", "counted"),
    [
        (UNKNOWN_LONG, {f"phone:{ADA}": 1}),
        (UNKNOWN_SHORT, {f"phone:{ADA}": 1, "channel:sms": 1, "breaker:11": 1}),
        (f"my token is {UNKNOWN_LONG}", {f"phone:{ADA}": 1}),
        ("123456", {f"typing:{ADA}": 1}),
        (f"{UNKNOWN_LONG} {UNKNOWN_SHORT}", {}),
        ("call 08030000001", {}),
    ],
)
def test_a_miss_counts_where_it_counts_over_ussd(
    wired: Wired, entry: str, counted: dict[str, int]
) -> None:
    """A long token cannot be guessed: its misses are limited at the phone alone (ADR 0004)."""
    text_in(wired, entry, "m1")
    sources = [f"phone:{ADA}", f"typing:{ADA}", "channel:sms", "breaker:11"]
    found = wired.run(lambda c: guesses.read(c, sources))
    assert {source: one.hour_count for source, one in found.items()} == counted


@pytest.mark.parametrize("through", ["sms", "ussd"])
def test_five_misses_by_sms_limit_the_phone_everywhere(wired: Wired, through: str) -> None:
    for number in range(5):
        text_in(wired, UNKNOWN_LONG, f"m{number}")
    token = wired.issue().reveal()
    tries: dict[str, Callable[[], str]] = {
        "sms": lambda: answered(wired, token, "right")[0],
        "ussd": lambda: wired.dial(text=f"1*{token}").body,
    }
    assert tries[through]() in (
        "limited",
        "END Too many wrong tokens. Please try again after 02/03/2026 11:00.",
    )
    assert str(wired.balance()) == "0.00"


def test_a_text_of_many_tokens_asks_about_none_of_them(wired: Wired) -> None:
    """Or one SMS would be many guesses."""
    tokens = [wired.issue().reveal() for _ in range(5)]
    text = "Nothing was redeemed. Please send one token in each SMS."
    assert answered(wired, "\n".join(tokens), "m1") == ("several", [text])
    assert answered(wired, " and ".join(tokens), "m2") == ("several", [text])
    assert str(wired.balance()) == "0.00"


def test_redeeming_that_is_paused_pauses_tokens_and_no_other_word(wired: Wired) -> None:
    token = wired.issue(to=ADA).reveal()
    now = wired.clock.now()
    wired.run(lambda c: board.throw(c, board.REDEEM, "cli:ops", "a test", now, pause=True))
    assert answered(wired, f"please redeem {token}", "m1")[0] == "paused"
    assert answered(wired, "BAL", "m2")[0] == "balance"
    assert answered(wired, "RESEND", "m3")[0] == "resent"


@pytest.mark.parametrize("digits", [18, 11])
@pytest.mark.parametrize("language", ["en", "fr"])
def test_our_own_sms_sent_on_by_another_phone_redeems_its_token(
    wired: Wired, digits: int, language: str
) -> None:
    wired.issue("500.00", to=BELLO, digits=digits, deliver=True, language=language)
    wired.send_all()
    (sms,) = wired.gateway.inbox(BELLO)
    assert answered(wired, f"Fwd:\n{sms.text}", "m1")[0] == "redeemed"
    assert str(wired.balance()) == "500.00"
    assert answered(wired, sms.text, "m2")[0] == "already_yours"


def test_the_two_halves_of_a_token_redeem_nothing(wired: Wired) -> None:
    token = wired.issue(to=ADA).reveal()
    halves = [answered(wired, half, half)[0] for half in (token[:12], token[12:])]
    assert halves == ["mistyped"] * 2
    assert str(wired.balance()) == "0.00"
