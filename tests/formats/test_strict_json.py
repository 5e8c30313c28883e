"""JSON as a provider's bytes are read: what is kept exactly, and what is refused."""

import json
import time
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.formats.strict_json import InvalidJson, Number, amount, document, text

SECONDS_MAX = 2.0  # a generous bound; it takes milliseconds


@pytest.mark.parametrize("written", ["0", "-1", "15000", "1.00", "1.0", "1e5", "9" * 40])
def test_a_number_keeps_its_own_text_and_is_told_from_a_text(written: str) -> None:
    found = document(f'{{"a":{written},"b":"{written}"}}'.encode())
    assert found == {"a": written, "b": written}
    assert type(found["a"]) is Number
    assert type(found["b"]) is str


@pytest.mark.parametrize(
    "raw",
    [b"", b" ", b"null", b"true", b"5", b'"x"', b"[]", b"[{}]", b"NaN", b"{", b"{}}", b"{}{}",
     b"{'a':1}", b'{"a":1,}', b'{a:1}', b'{"a":01}', b'{"a":+1}', b'{"a":.5}', b'{"a":"\n"}',
     b"\xef\xbb\xbf{}", b"\xff\xfe{}", b'{"a":"\xe9"}', b'{"a":"\xed\xa0\x80"}', b"a=1&b=2",
     b"<a/>", b"\x00", '{"a":"b"}'.encode("utf-16")],
)  # fmt: skip
def test_what_is_no_object_of_json_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidJson):
        document(raw)


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_what_json_does_not_know_is_refused_wherever_it_stands(literal: str) -> None:
    for raw in (f'{{"a":{literal}}}', f'{{"a":[1,{{"b":{literal}}}]}}'):
        with pytest.raises(InvalidJson):
            document(raw.encode())


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1,"a":1}',
        b'{"a":"1","a":"999"}',
        b'{"x":{"a":1,"b":2,"a":3}}',
        b'{"a":1,"\\u0061":2}',
    ],
)
def test_a_name_that_stands_twice_is_refused_wherever_it_stands(raw: bytes) -> None:
    with pytest.raises(InvalidJson):
        document(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b'{"a":' + b"9" * 5_000 + b"}",
        b'{"a":-' + b"9" * 900_000 + b"}",
        b'{"a":0.' + b"9" * 900_000 + b"}",
        b'{"a":1e' + b"9" * 900_000 + b"}",
        b'{"a":' + b"9" * 41 + b"}",
    ],
    ids=["brackets", "objects", "closed", "digits", "minus", "places", "exponent", "41 digits"],
)
def test_a_hostile_document_is_refused_quickly(raw: bytes) -> None:
    began = time.monotonic()
    with pytest.raises(InvalidJson) as raised:
        document(raw)
    assert time.monotonic() - began < SECONDS_MAX
    assert len(str(raised.value)) < 100


def test_an_error_does_not_repeat_the_document() -> None:
    for raw in (b'{"pin":"4907"', b'{"4907":1,"4907":2}', b'{"a":' + b"4907" * 20 + b"}"):
        with pytest.raises(InvalidJson) as raised:
            document(raw)
        assert "4907" not in str(raised.value)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with suppress(InvalidJson):
        assert isinstance(document(raw), dict)


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.booleans() | st.none()))
def test_a_document_without_numbers_is_read_as_json_reads_it(written: dict[str, object]) -> None:
    assert document(json.dumps(written).encode()) == written


@pytest.mark.parametrize("written", ["1.00", "1", "1.0", "1.000", "1.0000000"])
def test_every_spelling_of_one_is_exactly_one(written: str) -> None:
    assert amount(written) == amount(Number(written)) == Decimal("1.00")


@pytest.mark.parametrize(
    "value",
    ["1,030.00", " 1.00 ", "1.", ".5", "1e3", "-1", "+1", "0", "0.00", "0.001", "1.005", "1_000",
     "NaN", "Infinity", "", "\u0661", "\uff11", "1\n", "0x1", "1" * 16, "1.00.00", "TZS 1",
     None, True, False, 1, 1.0, [], {}, Decimal("1.00"), b"1"],
)  # fmt: skip
def test_what_could_be_misread_is_no_amount(value: object) -> None:
    with pytest.raises(InvalidJson):
        amount(value)


def test_a_text_is_bounded_printable_and_of_one_kind() -> None:
    assert text({"a": "x" * 128}, "a") == "x" * 128
    assert text({"a": "\xe9\u0660\U0001f600"}, "a") == "\xe9\u0660\U0001f600"
    odd: tuple[object, ...] = ("x" * 129, "a\nb", "\x00", "\x7f", "\ud800", "\u202e", True, [], {})
    for value in odd:
        with pytest.raises(InvalidJson):
            text({"a": value}, "a")


def test_a_number_as_a_text_is_a_plain_one() -> None:
    assert type(text({"a": Number("254700000001")}, "a")) is str
