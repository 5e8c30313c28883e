"""The digits: golden vectors, an independent derivation, the check digit, the keyed lookup."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn

from gateway.tokens import code
from tests.tokens.vectors import (
    GENERATE_KEY,
    GENERATE_KID,
    LOOKUP_KEY,
    LOOKUP_KID,
    LOOKUP_OF_THE_FIRST,
    VECTORS,
    Vector,
    derived,
)

KEYS = st.binary(min_size=32, max_size=32)
KIDS = st.from_regex(r"[a-z][a-z0-9]{0,7}", fullmatch=True)
REFS = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=64)
TXN_IDS = st.text("0123456789abcdef", min_size=1, max_size=32)
COUNTERS = st.integers(0, 8)


@pytest.mark.parametrize("vector", VECTORS)
def test_a_golden_vector_derives_to_its_token(vector: Vector) -> None:
    of = (vector.digits, vector.issue_ref, vector.txn_id, vector.counter)
    assert code.derive(GENERATE_KEY, GENERATE_KID, *of) == vector.token
    assert derived(GENERATE_KEY, GENERATE_KID, *of) == vector.token
    assert code.validate(vector.token) == vector.token


def test_the_golden_lookup_is_reached() -> None:
    assert code.lookup(LOOKUP_KEY, LOOKUP_KID, VECTORS[0].token).hex() == LOOKUP_OF_THE_FIRST


@given(KEYS, KIDS, st.sampled_from(code.LENGTHS), REFS, TXN_IDS, COUNTERS)
def test_any_derivation_equals_the_independent_one(
    key: bytes, kid: str, digits: int, issue_ref: str, txn_id: str, counter: int
) -> None:
    token = code.derive(key, kid, digits, issue_ref, txn_id, counter)
    assert token == derived(key, kid, digits, issue_ref, txn_id, counter)
    assert len(token) == digits
    assert luhn.is_valid(token)


@given(st.integers(0, 10**17 - 1))
def test_the_check_digit_equals_the_library_one_for_any_body(number: int) -> None:
    assert str(code._luhn_digit(number)) == luhn.calc_check_digit(f"{number:017d}")
    short = number % 10**10
    assert str(code._luhn_digit(short)) == luhn.calc_check_digit(f"{short:010d}")


@given(REFS, TXN_IDS, COUNTERS)
def test_the_11_digit_token_is_not_the_tail_of_the_18_digit_one(
    issue_ref: str, txn_id: str, counter: int
) -> None:
    long, short = (
        code.derive(GENERATE_KEY, GENERATE_KID, digits, issue_ref, txn_id, counter)
        for digits in code.LENGTHS
    )
    assert short[:-1] != long[:-1][-10:]


def test_without_the_length_in_the_mac_the_tail_would_leak() -> None:
    long = derived(GENERATE_KEY, GENERATE_KID, 18, "INV-1", "23", 0)
    assert long[:-1][-10:] == "9345327325"
    assert code.derive(GENERATE_KEY, GENERATE_KID, 11, "INV-1", "23", 0) == "08703809007"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("INV-1", "23", 4), ("INV-12", "3", 4)),
        (("INV-1", "23", 4), ("INV-1", "2", 34)),
        (("A|B", "C", 0), ("A", "B|C", 0)),
        (("A", "1", 0), ("a", "1", 0)),
        (("A", "1", 0), ("A ", "1", 0)),
    ],
)
def test_fields_do_not_run_into_each_other(
    one: tuple[str, str, int], other: tuple[str, str, int]
) -> None:
    tokens = {code.derive(GENERATE_KEY, GENERATE_KID, 18, *of) for of in (one, other)}
    assert len(tokens) == 2


def test_every_part_of_the_input_changes_the_token() -> None:
    tokens = {
        code.derive(GENERATE_KEY, "k1", 18, "INV-1", "23", 0),
        code.derive(bytes(32), "k1", 18, "INV-1", "23", 0),
        code.derive(GENERATE_KEY, "k2", 18, "INV-1", "23", 0),
        code.derive(GENERATE_KEY, "k1", 18, "INV-2", "23", 0),
        code.derive(GENERATE_KEY, "k1", 18, "INV-1", "24", 0),
        code.derive(GENERATE_KEY, "k1", 18, "INV-1", "23", 1),
    }
    assert len(tokens) == 6


def test_two_spellings_of_one_letter_are_one_reference() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert code.derive(GENERATE_KEY, "k1", 18, composed, "1", 0) == code.derive(
        GENERATE_KEY, "k1", 18, decomposed, "1", 0
    )


@given(KEYS, KIDS, KIDS)
def test_a_lookup_depends_on_key_and_key_id(key: bytes, one: str, other: str) -> None:
    token = VECTORS[0].token
    digest = code.lookup(key, one, token)
    assert len(digest) == 32
    assert (digest == code.lookup(key, other, token)) == (one == other)
    assert digest != code.lookup(bytes(31) + b"\x01", one, token) or key == bytes(31) + b"\x01"


def test_a_third_length_is_not_derived() -> None:
    with pytest.raises(ValueError, match="18 or 11"):
        code.derive(GENERATE_KEY, GENERATE_KID, 12, "INV-1", "23", 0)


@pytest.mark.parametrize(
    ("token", "shown"),
    [("490750293453273258", "490750 293453 273258"), ("08703809007", "0870 3809 007")],
)
def test_digits_are_shown_in_groups_that_can_be_typed_back(token: str, shown: str) -> None:
    assert code.grouped(token) == shown
    assert code.validate(shown) == token


def test_the_class_of_dropped_characters_is_what_compact_drops() -> None:
    dropped = re.compile(f"[{code.DROPPED_CLASS}]")
    for character in map(chr, range(sys.maxunicode + 1)):
        assert bool(dropped.fullmatch(character)) == (code.compact(character) == ""), character
