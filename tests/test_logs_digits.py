"""What a log line never holds: the digits of a token, a PIN or a whole phone number."""

import json
import logging
import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.log import Log, captured_log

TOKEN = "902100000000000014"
T18 = "123456789012345671"
SHORT_TOKEN = "56473829101"
PHONE = "+2348030000001"


@pytest.fixture
def log() -> Iterator[Log]:
    with captured_log() as log:
        yield log


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (TOKEN, "******"),
        (SHORT_TOKEN, "******"),
        ("code 902100 used", "code ****** used"),
        ("9021 0000 0000 0000 14", "******"),
        ("9021-0000-0000-0000-14", "******"),
        ("9021.0000.0000.0000.14", "******"),
        ("1*9021*0000*0000*0000*14", "******"),
        ("9 0 2 1 0 0", "******"),
        ("9021 - 0000 - 0000", "******"),
        ("9021\n0000\n0000", "******"),
        ("9021\t0000\r\n0000", "******"),
        ("9021\u00a00000\u200b0000", "******"),
        ("9021\x1f0000\x000000", "******"),
        ("9021''0000''0000", "******"),
        ("9021\\\\0000\\\\0000", "******"),
        ('9021""""0000""""0000', "******"),
        ("９０２１００００", "******"),
        ("90２１ ００00", "******"),
        ("٩٠٢١٠٠", "******"),
        ("x902100000000000014y", "x******y"),
        (f"call {PHONE} now", "call +****** now"),
        (f"a {SHORT_TOKEN} b {TOKEN} c", "a ****** b ****** c"),
        ("12345", "12345"),
        ("NGN 500.00", "NGN 500.00"),
        ("+23480*****01", "+23480*****01"),
        ("12 of 34, then 56 and 78", "12 of 34, then 56 and 78"),
        ("error 1213 in engine.py:45", "error 1213 in engine.py:45"),
    ],
)
def test_runs_of_six_digits_and_more_are_masked(log: Log, text: str, shown: str) -> None:
    log.log.info(text, value=text, nested={"list": [text, {"deep": text}]})
    line = log.line()
    assert line["event"] == shown
    assert line["value"] == shown
    assert line["nested"] == {"list": [shown, {"deep": shown}]}


def test_keys_are_masked_too(log: Log) -> None:
    log.log.info("x", **{f"token {TOKEN}": 1}, nested={TOKEN: 1, 902100: 2, "k": 3})
    line = log.line()
    assert line["token ******"] == 1
    assert set(line["nested"]) == {"******", "k"}


def test_numbers_are_masked_from_six_digits_on(log: Log) -> None:
    log.log.info("x", a=902100, b=12345, c=int(TOKEN), d=1234.56, e=float(T18), f=Decimal("12.5"))
    line = log.line()
    assert line["a"] == "******"
    assert line["b"] == 12345
    assert line["c"] == "******"
    assert line["d"] == "******"
    assert line["e"] == "******e+17"
    assert line["f"] == "12.5"


@pytest.mark.parametrize(
    "parts",
    [
        ["1", "9021", "0000", "0000", "0000", "14"],
        ("1", "9021", "0000", "0000", "0000", "14"),
        [9021, 0, 0, 0, 14, 9021],
        {"9021": "0000", "0001": "0014"},
        list(TOKEN),
    ],
)
def test_a_token_in_pieces_is_masked_in_all_its_pieces(log: Log, parts: Any) -> None:
    log.log.info("x", parts=parts)
    assert not re.search(r"\d", json.dumps(log.line()["parts"]))


def test_machine_numbers_under_their_keys_pass_up_to_seven_digits(log: Log) -> None:
    log.log.info("x", pid=4194304, duration_ms=123456, rows=1_000_000, count=654321, bytes=999_999)
    line = log.line()
    assert line["pid"] == 4194304
    assert line["duration_ms"] == 123456
    assert line["rows"] == 1_000_000
    log.log.info("x", pid="4194304", duration_ms=int(SHORT_TOKEN), rows=12_345_678, count=[123456])
    line = log.line()
    assert line["pid"] == "******"
    assert line["duration_ms"] == "******"
    assert line["rows"] == "******"
    assert line["count"] == ["******"]


def test_a_phone_number_under_its_key_is_shown_in_part(log: Log) -> None:
    log.log.info("x", msisdn=PHONE)
    assert log.line()["msisdn"] == "+23480*****01"
    log.log.info("x", msisdn=TOKEN, caller={"msisdn": PHONE})
    line = log.line()
    assert line["msisdn"] == "*****"
    assert line["caller"] == {"msisdn": "+23480*****01"}
    log.log.info("x", msisdn=2348030000001)
    assert log.line()["msisdn"] == "******"


def test_a_serial_passes_and_nothing_else_does_under_its_key(log: Log) -> None:
    log.log.info("token K7M2P9QX issued", serial="K7M2P9QX")
    line = log.line()
    assert line["event"] == "token K7M2P9QX issued"
    assert line["serial"] == "K7M2P9QX"
    log.log.info("x", serial="K1234567")
    assert log.line()["serial"] == "K1234567"
    for no_serial in ("12345678", TOKEN, "K1234567\n", f"K{SHORT_TOKEN}"):
        log.log.info("x", serial=no_serial)
        assert not re.search(r"\d", log.line()["serial"])


def test_an_amount_passes_under_its_key_if_it_is_shorter_than_a_token(log: Log) -> None:
    log.log.info("x", amount="1234567.00")
    assert log.line()["amount"] == "1234567.00"
    for no_amount in (f"{SHORT_TOKEN}.00", SHORT_TOKEN, "12345678.00", "123456"):
        log.log.info("x", amount=no_amount)
        assert log.line()["amount"] == "******"


SEPARATORS = [*" -.*#,:/_'\"\\\n\t\x00\u00a0\u200b\u2013", "", " - ", "**", "\r\n", "', '"]
DIGITS = ["0123456789", "０１２３４５６７８９"]
TEXTS = st.text(max_size=20)


@st.composite
def typed_tokens(draw: st.DrawFn) -> tuple[str, list[str], str]:
    """A token's digits, its groups, and the token as somebody typed it, in some text."""
    digits = draw(st.from_regex(r"[0-9]{11}|[0-9]{18}", fullmatch=True))
    cuts = draw(st.lists(st.integers(1, len(digits) - 1), max_size=6, unique=True))
    places = [0, *sorted(cuts), len(digits)]
    script = str.maketrans(DIGITS[0], draw(st.sampled_from(DIGITS)))
    groups = [digits[a:b].translate(script) for a, b in pairwise(places)]
    typed = groups[0]
    for group in groups[1:]:
        typed += draw(st.sampled_from(SEPARATORS)) + group
    return digits, groups, draw(TEXTS) + typed + draw(TEXTS)


def nested(leaf: Any) -> st.SearchStrategy[Any]:
    """The value somewhere in lists, tuples and mappings."""
    return st.recursive(
        st.just(leaf),
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=2),
            st.tuples(inner, TEXTS),
            st.dictionaries(TEXTS, inner, min_size=1, max_size=2),
        ),
        max_leaves=4,
    )


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    else:
        yield str(value)


def bare(text: str) -> str:
    """The text as somebody would read digits out of it: no separators, one script."""
    kept = (char for char in text if char.isalnum())
    return "".join(str(unicodedata.digit(char, char)) for char in kept)


@given(token=typed_tokens(), data=st.data())
def test_no_line_holds_a_token_wherever_it_was(
    token: tuple[str, list[str], str], data: st.DataObject
) -> None:
    digits, groups, typed = token
    with captured_log() as log:
        log.log.info(typed, field=data.draw(nested(typed)))
        log.log.info("x", **{typed: data.draw(nested(int(digits)))}, parts=groups)
        log.log.info("x", pid=int(digits), msisdn=typed, serial=typed, amount=digits, count=typed)
        logging.getLogger("urllib3").warning("got %s and %r", typed, groups)
        try:
            raise KeyError(typed, groups) from ValueError(typed)
        except KeyError as error:
            log.log.exception(typed, error=error)
            logging.getLogger("alembic").exception(typed)
    assert len(log.text().splitlines()) == 6
    for text in log.text().splitlines():
        line = json.loads(text)
        del line["at"]
        assert digits not in bare("".join(leaves(line)))
        assert digits not in bare(json.dumps(line, ensure_ascii=False))


@given(st.text(), st.lists(st.integers() | st.floats() | TEXTS))
def test_every_line_is_json_whatever_it_holds(text: str, values: list[Any]) -> None:
    with captured_log() as log:
        log.log.info(text, text=text, values=values, mapping={text: values})
    (line,) = log.text().splitlines()
    assert set(json.loads(line)) == {"at", "level", "event", "text", "values", "mapping"}
