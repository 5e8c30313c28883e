"""What stands in `text`: groups, stars, spaces, odd bytes, too much of it (ussd.md C)."""

from decimal import Decimal
from urllib.parse import quote_plus

import pytest

from gateway.tokens import code
from tests.support.wired import Wired
from tests.ussd.posting import form, play, post, post_raw


def groups(token: str, *sizes: int) -> str:
    """The token with a star between groups of these sizes; the rest is the last group."""
    ends = [sum(sizes[: n + 1]) for n in range(len(sizes))]
    return "*".join(token[a:b] for a, b in zip([0, *ends], [*ends, None], strict=True))


def starting_with(wired: Wired, start: str, digits: int) -> str:
    """A token of ours whose digits begin like this: issued until one does."""
    for _ in range(400):
        token = wired.issue(digits=digits).reveal()
        if token.startswith(start):
            return token
    raise AssertionError(f"no token starts with {start}")


GROUPS_18 = [(6, 6), (4, 4, 4), (3, 3, 3, 3, 3), (1,), (17,), (4, 4, 3), (11,), (2, 9), (9, 2)]
GROUPS_11 = [(4, 4), (3, 3, 3), (1, 1), (10,), (5, 5)]
CASES = [(18, sizes) for sizes in GROUPS_18] + [(11, sizes) for sizes in GROUPS_11]


@pytest.mark.parametrize(("digits", "sizes"), CASES)
@pytest.mark.parametrize("dialled", [True, False])
def test_a_token_typed_in_groups_with_the_star_key_is_one_token(
    wired: Wired, digits: int, sizes: tuple[int, ...], dialled: bool
) -> None:
    typed = groups(wired.issue(digits=digits).reveal(), *sizes)
    if not dialled:
        play(wired, "", "1")
    assert post(wired, f"1*{typed}").startswith(b"END You have received NGN 100.00.")
    assert wired.breaches() == []


def test_a_first_group_of_a_zero_is_part_of_the_token_and_no_way_back(wired: Wired) -> None:
    token = starting_with(wired, "0", 11)
    play(wired, "", "1")
    assert post(wired, f"1*{groups(token, 1)}").startswith(b"END You have received")


def test_leading_zeros_are_looked_up_as_typed(wired: Wired) -> None:
    token = starting_with(wired, "0", 18)
    assert post(wired, f"1*{token[1:]}", "S1").startswith(b"CON A token has 18 or 11 digits.")
    assert post(wired, f"1*{token}", "S2").startswith(b"END You have received")


def test_a_wrong_long_token_in_groups_is_not_read_as_a_short_one(wired: Wired) -> None:
    """Four, four and three digits that happen to make a valid short token are not tried."""
    short = wired.issue(digits=11).reveal()
    tails = (f"{short}{n:07d}" for n in range(20))
    wrong = next(t for t in tails if not _is_code(t))
    reply = post(wired, f"1*{groups(wrong, 4, 4, 3)}")
    assert reply.startswith(b"CON A digit is wrong.")
    assert wired.balance() == Decimal("0.00")


def _is_code(entry: str) -> bool:
    try:
        code.validate(entry)
    except code.InvalidCode:
        return False
    return True


@pytest.mark.parametrize("stars", ["1*", "1**", "1***", "1* ", "1*-", "1*#", "1*%23"])
def test_only_stars_are_an_empty_entry(wired: Wired, stars: str) -> None:
    play(wired, "", "1")
    assert post(wired, stars.replace("%23", "#")).startswith(b"CON Nothing was entered.\nEnter")


def test_the_way_back_works_under_a_cumulative_text(wired: Wired) -> None:
    replies = play(wired, "", "1", "1*0", "1*0*4", "1*0*4*00", "1*0*4*00*1")
    assert replies[2] == replies[0] == replies[4]
    assert replies[3].startswith(b"CON My wallet")
    assert replies[5] == replies[1]


def test_a_repeated_step_back_goes_back_once(wired: Wired) -> None:
    wired.issue()
    replies = play(wired, "", "3", "3*1", "3*1*0", "3*1*0")
    assert replies[3] == replies[4]
    assert replies[3].startswith(b"CON My tokens")


def test_a_wrong_token_is_asked_for_again_and_then_taken(wired: Wired) -> None:
    token = wired.issue().reveal()
    wrong = token[:-1] + str((int(token[-1]) + 1) % 10)
    play(wired, "", "1")
    assert post(wired, f"1*{wrong}").startswith(b"CON A digit is wrong. Please check it.\nEnter")
    assert post(wired, f"1*{wrong}*{token}").startswith(b"END You have received")


@pytest.mark.parametrize("choice", [" 1 ", "1#", "1 #", "\uff11"])
def test_spaces_a_hash_and_full_width_digits_do_not_matter_to_a_choice(
    wired: Wired, choice: str
) -> None:
    play(wired, "")
    assert post(wired, choice).startswith(b"CON Enter the token")


@pytest.mark.parametrize(
    "choice", ["01", "8", "6", "7", "9", "98", "11", "a", "\u00b9", "-1", "1.0"]
)
def test_what_is_not_offered_is_an_invalid_choice(wired: Wired, choice: str) -> None:
    play(wired, "")
    assert post(wired, choice).startswith(b"CON Invalid choice.\nWelcome.")
    assert post(wired, f"{choice}*1").startswith(b"CON Enter the token")


@pytest.mark.parametrize(
    "typed", ["%23", " ", "-", ".", "+", "%C2%A0", "%E2%80%8B", "%EF%BC%8A", "%2A"]
)
def test_what_people_put_around_a_token_does_not_matter(wired: Wired, typed: str) -> None:
    token = wired.issue().reveal()
    body = form("").replace(b"text=", f"text=1*{token[:6]}{typed}{token[6:]}%23".encode())
    reply = post_raw(wired, body)
    wanted = b"CON Digits only" if typed in ("%23", "+", "%EF%BC%8A") else b"END You have received"
    if typed == "+":  # a form's raw plus is a space
        wanted = b"END You have received"
    assert reply.startswith(wanted)


@pytest.mark.parametrize("spelling", ["%23", "#"])
def test_a_hash_after_a_token_is_ignored_in_both_spellings(wired: Wired, spelling: str) -> None:
    token = wired.issue().reveal()
    body = form("").replace(b"text=", f"text=1*{token}{spelling}".encode())
    assert post_raw(wired, body).startswith(b"END You have received")


@pytest.mark.parametrize(
    "typed", ["%FF%FE", "%00", "12%0A34", "%ED%A0%80", "%F0%9F%98%80", "%", "%zz"]
)
def test_odd_bytes_are_a_wrong_token_and_are_not_echoed(wired: Wired, typed: str) -> None:
    play(wired, "", "1")
    reply = post_raw(wired, form("").replace(b"text=", f"text=1*{typed}".encode()))
    assert reply in (
        b"CON Digits only, please.\nEnter the token:\n0 Back",
        b"CON A token has 18 or 11 digits. Please check it.\nEnter the token:\n0 Back",
    )


LONG = [
    ("1*" + "9" * 300, b"CON A token has 18 or 11 digits."),
    ("1*" * 5_000, b"END That was too long."),
    ("1*" * 63, b"CON "),
    ("1*" * 64, b"END That was too long."),
    ("9" * 1_024, b"CON Invalid choice."),
    ("9" * 1_025, b"END That was too long."),
]


@pytest.mark.parametrize(("text", "reply"), LONG, ids=range(len(LONG)))
def test_a_long_text_is_answered_at_once(wired: Wired, text: str, reply: bytes) -> None:
    assert post(wired, text).startswith(reply)


BIG = [
    ("a megabyte of text", form("") + b"9" * 1_000_000),
    ("20 MB of text", form("") + b"9" * 20_000_000),
    ("100,000 fields", form("1") + b"&a=1" * 100_000),
]


@pytest.mark.parametrize("body", [body for _, body in BIG], ids=[kind for kind, _ in BIG])
def test_a_body_that_is_too_big_ends_the_dialogue_and_the_next_is_served(
    wired: Wired, body: bytes
) -> None:
    assert post_raw(wired, body) == b"END That was too long. Please dial again."
    assert post(wired, "").startswith(b"CON ")


def test_many_empty_fields_do_no_harm(wired: Wired) -> None:
    assert post_raw(wired, form("1") + b"&" * 30_000).startswith(b"CON Enter the token")


def test_zeros_and_luhns_blind_spot_read_like_any_unknown_token(wired: Wired) -> None:
    entries = ["0" * 18, "0" * 11, "123904567890123453", "123094567890123453"]
    replies = {post(wired, f"1*{entry}", f"S{n}") for n, entry in enumerate(entries)}
    assert replies == {
        b"END This token cannot be redeemed. Please check the digits, or ask whoever gave it to"
        b" you."
    }


def test_a_phone_number_with_a_raw_plus_is_the_same_subscriber(wired: Wired) -> None:
    escaped = form("")
    raw = escaped.replace(quote_plus("+234").encode(), b"+234")
    assert raw != escaped
    post_raw(wired, escaped)
    assert post_raw(wired, raw.replace(b"text=", b"text=1")).startswith(b"CON Enter the token")
