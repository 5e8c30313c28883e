"""Phone numbers: which spellings are one subscriber, and what is no number at all."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.formats.msisdn import InvalidMsisdn

E164 = re.compile(r"\+[1-9][0-9]{7,14}", re.ASCII)

NIGERIAN = "+2348030000001"
KENYAN = "+254700000001"

ONE_SUBSCRIBER = [
    # spelling, country, subscriber
    ("08030000001", "NG", NIGERIAN),
    ("8030000001", "NG", NIGERIAN),
    ("2348030000001", "NG", NIGERIAN),
    ("2348030000001", "KE", NIGERIAN),
    ("+2348030000001", "NG", NIGERIAN),
    ("+2348030000001", "KE", NIGERIAN),
    ("+234 (0) 803 000 0001", "NG", NIGERIAN),
    ("+23408030000001", "NG", NIGERIAN),
    ("002348030000001", "NG", NIGERIAN),
    ("0803-000-0001", "NG", NIGERIAN),
    ("0803.000.0001", "NG", NIGERIAN),
    ("0803\u00a0000\u20110001", "NG", NIGERIAN),
    ("０８０３００００００１", "NG", NIGERIAN),
    ("+２３４8030000001", "NG", NIGERIAN),
    ("08030000001\n", "NG", NIGERIAN),
    ("\t08030000001 \r\n", "NG", NIGERIAN),
    ("0700000001", "KE", KENYAN),
    ("700000001", "KE", KENYAN),
    ("254700000001", "KE", KENYAN),
    ("254700000001", "NG", KENYAN),
    (" 254700000001", "KE", KENYAN),
    (" 254700000001", "NG", KENYAN),
    ("00254700000001", "KE", KENYAN),
    ("00254700000001", "NG", KENYAN),
    ("000254700000001", "KE", KENYAN),
    ("009254700000001", "NG", KENYAN),
    ("+254 700-000-001", "KE", KENYAN),
    ("+254700000002", "KE", "+254700000002"),
    ("+254110000001", "KE", "+254110000001"),
    ("0110000001", "KE", "+254110000001"),
    ("0712345678", "TZ", "+255712345678"),
    ("0244000001", "GH", "+233244000001"),
    ("0700000001", "CI", "+2250700000001"),
    ("+15005550006", "NG", "+15005550006"),
]

UNKNOWN_RANGES = [
    ("+2347999999999", "NG", "+2347999999999"),
    ("2347999999999", "NG", "+2347999999999"),
    ("07999999999", "NG", "+2347999999999"),
    ("+255999999999", "NG", "+255999999999"),
    ("255999999999", "NG", "+255999999999"),
    ("+2250900000001", "CI", "+2250900000001"),
]

NO_NUMBERS = [
    "",
    " ",
    "+",
    "0",
    "00",
    "+1234",
    "2710000",
    "080300000",
    "+234803000000",
    "+23480300000011",
    "080300000011",
    "+2340803000001",  # the trunk zero, and one digit short
    "+254254700000001",
    "+999123456789",
    "+0254700000001",
    "++254700000001",
    "254700000001+",
    "+254700000001 ext 5",
    "+254700000001;2547",
    "tel:+254700000001",
    "0803000000A",
    "O8030000001",
    "*384*123#",
    "+254\n700000001",
    "+254700000001\x00",
    "٠٨٠٣٠٠٠٠٠٠١",
    "০৮০৩০০০০০০১",
    "+²³⁴8030000001",
    "1e11",
    "902100000000000014",
    "000000123456789015",
    "00012345674",
    "Café",
    "1" * 300,
    "0803" + " " * 300 + "0000001",
]


@pytest.mark.parametrize(("spelling", "country", "subscriber"), ONE_SUBSCRIBER)
def test_every_usual_spelling_is_the_same_subscriber(
    spelling: str, country: str, subscriber: str
) -> None:
    assert msisdn.parse(spelling, country) == subscriber


@pytest.mark.parametrize(("spelling", "country", "subscriber"), UNKNOWN_RANGES)
def test_a_range_newer_than_the_numbering_plan_is_accepted(
    spelling: str, country: str, subscriber: str
) -> None:
    assert msisdn.parse(spelling, country) == subscriber


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_phone_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidMsisdn):
        msisdn.parse(text, "NG")


@pytest.mark.parametrize("text", [text for text in NO_NUMBERS if text.strip(" +0")])
def test_the_refusal_never_repeats_what_was_typed(text: str) -> None:
    with pytest.raises(InvalidMsisdn) as refusal:
        msisdn.parse(text, "NG")
    assert text not in str(refusal.value)
    assert not re.search(r"\d", str(refusal.value))


def test_a_refusal_is_bad_input_and_a_value_error() -> None:
    assert issubclass(InvalidMsisdn, BadInput)
    assert issubclass(InvalidMsisdn, ValueError)


def test_a_local_number_never_just_gets_a_plus() -> None:
    assert msisdn.parse("08030000001", "NG") != "+08030000001"


def test_an_unknown_country_still_reads_full_numbers_and_refuses_local_ones() -> None:
    assert msisdn.parse("+254700000001", "XX") == KENYAN
    assert msisdn.parse("254700000001", "XX") == KENYAN
    with pytest.raises(InvalidMsisdn):
        msisdn.parse("0700000001", "XX")


@given(
    text=st.text(alphabet="0123456789+ -.()/*#\n０９٣\u00a0\u200bax", max_size=45),
    country=st.sampled_from(["NG", "KE", "GH", "TZ", "CI", "IT", "US"]),
)
@example(text="07012345678", country="NG")
@example(text="2710000", country="NG")
def test_whatever_is_accepted_is_e164_and_reads_as_itself_in_every_country(
    text: str, country: str
) -> None:
    try:
        parsed = msisdn.parse(text, country)
    except InvalidMsisdn:
        return
    assert E164.fullmatch(parsed)
    assert msisdn.parse(parsed, country) == parsed
    assert msisdn.parse(parsed, "ZM") == parsed
    assert msisdn.parse(msisdn.display(parsed), country) == parsed


@given(number=st.integers(min_value=0, max_value=9_999_999))
def test_all_spellings_of_a_made_up_nigerian_number_agree(number: int) -> None:
    digits = f"803{number:07}"
    expected = f"+234{digits}"
    for spelling in (f"0{digits}", digits, f"234{digits}", f"+234{digits}", f"00234{digits}"):
        assert msisdn.parse(spelling, "NG") == expected


def test_a_number_seen_before_costs_next_to_nothing() -> None:
    msisdn.parse(NIGERIAN, "NG")
    repeats = 2_000
    best = min(_seconds(repeats) for _ in range(5))
    assert best / repeats < 2e-6


def _seconds(repeats: int) -> float:
    started = time.perf_counter()
    for _ in range(repeats):
        msisdn.parse(NIGERIAN, "NG")
    return time.perf_counter() - started


@pytest.mark.parametrize(
    ("number", "shown", "at_home"),
    [
        ("+2348030000001", "+234 803 000 0001", "0803 000 0001"),
        ("+254700000001", "+254 700 000001", "0700 000001"),
        ("+233244000001", "+233 24 400 0001", "024 400 0001"),
    ],
)
def test_numbers_are_grouped_for_people(number: str, shown: str, at_home: str) -> None:
    assert msisdn.display(number) == shown
    assert msisdn.national(number) == at_home


@pytest.mark.parametrize("number", ["", "+", "0803", "2348030000001", "+2348030000001\n", "+x"])
def test_only_e164_is_grouped(number: str) -> None:
    with pytest.raises(InvalidMsisdn):
        msisdn.display(number)
    with pytest.raises(InvalidMsisdn):
        msisdn.national(number)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("+2348030000001", "+23480*****01"),
        ("+254700000001", "+25470*****01"),
        ("+15005550006", "+15005*****06"),
        ("+2904123456", "+29*****"),
        ("+29012345", "+29*****"),
        ("+2901234", "*****"),
        ("2348030000001", "*****"),
        ("+2348030000001\n", "*****"),
        ("902100000000000014", "*****"),
        ("+902100000000000014", "*****"),
        ("", "*****"),
    ],
)
def test_a_masked_number_tells_the_network_but_not_the_person(number: str, shown: str) -> None:
    assert msisdn.masked(number) == shown


@given(st.text(max_size=40))
def test_masking_takes_any_text(text: str) -> None:
    assert len(re.sub(r"\D", "", msisdn.masked(text))) <= 7
