"""What people type or paste as a token: what is dropped, what is refused, and for which reason."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.tokens import code
from gateway.tokens.code import InvalidCode, Wrong
from tests.support.wired import SECRET, Wired
from tests.tokens.vectors import luhn_valid

T18, T18_REVERSED = "902100000000000014", "410000000000001209"
SPACES = " \t\r\n\v\f\x85\u00a0\u1680\u2000\u2007\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
HYPHENS = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"
UNSEEN = (
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202c\u202e\u2060\u2066\u2069\ufeff"
)
DROPPED = f"{SPACES}{HYPHENS}{UNSEEN}.*"


def wrong_with(entry: str) -> Wrong:
    """Why an entry is refused."""
    with pytest.raises(InvalidCode) as refused:
        code.validate(entry)
    return refused.value.wrong


@pytest.mark.parametrize("separator", DROPPED, ids=lambda c: f"U+{ord(c):04X}")
def test_a_separator_is_dropped_wherever_it_stands(separator: str) -> None:
    inside = separator.join((T18[:6], T18[6:12], T18[12:]))
    assert code.validate(inside) == T18
    assert code.validate(separator + T18 + separator) == T18
    assert code.validate(separator * 3 + inside + separator * 3) == T18


@given(st.lists(st.text(DROPPED, max_size=3), min_size=19, max_size=19))
def test_any_mixture_of_separators_is_dropped(gaps: list[str]) -> None:
    entry = gaps[0] + "".join(digit + gap for digit, gap in zip(T18, gaps[1:], strict=True))
    assert code.validate(entry) == T18


@pytest.mark.parametrize("entry", [f"{T18}#", f" {T18} # ", "9021*0000*0000*0000*14#"])
def test_a_trailing_hash_is_dropped(entry: str) -> None:
    assert code.validate(entry) == T18


@pytest.mark.parametrize("entry", [f"#{T18}", f"{T18[:9]}#{T18[9:]}", f"*384*1#{T18}"])
def test_a_hash_elsewhere_is_refused(entry: str) -> None:
    assert wrong_with(entry) is Wrong.CHARACTERS


@pytest.mark.parametrize("entry", ["", " ", "*", "**", "#", "-", "\u200b", "\n", " - * . #"])
def test_an_entry_of_separators_only_is_empty(entry: str) -> None:
    assert wrong_with(entry) is Wrong.EMPTY


def test_full_width_digits_are_folded() -> None:
    full_width = "".join(chr(0xFF10 + ord(digit) - ord("0")) for digit in T18)
    assert code.validate(full_width) == T18
    assert code.validate(full_width[:9] + T18[9:]) == T18


@pytest.mark.parametrize(
    "digit",
    [
        *("\u00b2\u00b3\u00b9", "\u2074", "\u2080"),  # superscripts and a subscript
        *("\u2460", "\u2776", "\u24f5"),  # circled
        *("\u0664", "\u06f4", "\u0967", "\u09ea", "\u0e54"),  # Arabic-Indic, Devanagari and others
        *("\u00bd", "\u2167", "\u56db", "\U0001d7d2", "\U0001f103"),
        *("a", "O", "l", "+", "_", ",", "\x00", "\u2800", "\u3164", "e", "/", "'"),
    ],
    ids=lambda text: "-".join(f"U+{ord(c):04X}" for c in text),
)
def test_what_only_looks_like_a_digit_is_refused(digit: str) -> None:
    for character in digit:
        assert wrong_with(f"90210000000000001{character}") is Wrong.CHARACTERS
        assert wrong_with(T18 + character) is Wrong.CHARACTERS


@given(st.characters())
def test_only_the_written_characters_pass_beside_digits(character: str) -> None:
    passes = (
        character in f"{DROPPED}#" or character.isspace() or unicodedata.category(character) == "Zs"
    )
    if character in "0123456789" or 0xFF10 <= ord(character) <= 0xFF19:
        assert wrong_with(T18 + character) is Wrong.LENGTH
    elif passes:
        assert code.validate(T18 + character) == T18
    else:
        assert wrong_with(T18 + character) is Wrong.CHARACTERS


@pytest.mark.parametrize("length", [1, 10, 12, 17, 19, 22, 300, 1024])
def test_another_length_is_refused_whatever_its_check_digit(length: int) -> None:
    assert wrong_with(luhn_valid(length, 7)) is Wrong.LENGTH


@pytest.mark.parametrize("token", ["76543210983", "56473829101", "83920174659"])
def test_the_check_digit_is_reckoned_from_the_right_for_odd_lengths_too(token: str) -> None:
    assert code.validate(token) == token
    assert wrong_with(T18_REVERSED) is Wrong.CHECK_DIGIT


@given(st.integers(0, 17), st.integers(1, 9))
def test_every_slip_of_one_digit_is_caught(place: int, by: int) -> None:
    slipped = str((ord(T18[place]) - ord("0") + by) % 10)
    assert wrong_with(T18[:place] + slipped + T18[place + 1 :]) is Wrong.CHECK_DIGIT


@pytest.mark.parametrize(
    "entry",
    ["0" * 18, "0" * 11, "123904567890123453", "123094567890123453"],
)
def test_what_luhn_cannot_see_passes_the_typing_check(entry: str) -> None:
    assert code.validate(entry) == entry


@given(st.text())
def test_no_text_at_all_breaks_the_check_or_is_repeated_in_its_error(text: str) -> None:
    said = ""
    try:
        assert len(code.validate(text)) in code.LENGTHS
    except InvalidCode as error:
        said = str(error)
    assert said in ["", *(wrong.value for wrong in Wrong)]


def test_a_request_without_any_text_is_answered(wired: Wired) -> None:
    form = {"sessionId": "ATUid_1", "phoneNumber": "+2348030000001", "serviceCode": "*384*1#"}
    answer = wired.client.post(f"/ussd/africastalking/{SECRET}", data=form)
    assert answer.status_code == 200
