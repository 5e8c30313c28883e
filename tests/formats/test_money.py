"""Amounts: what is money, what only looks like it, and how it is written."""

import re
from decimal import Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import BadInput
from gateway.formats import money
from gateway.formats.money import InvalidAmount

CENTS = st.integers(min_value=1, max_value=10**17 - 1)

NO_AMOUNTS = [
    "",
    " ",
    "0",
    "0.0",
    "0.00",
    "000",
    "-0",
    "-5",
    "-100",
    "-0.01",
    "+5",
    "0.001",
    "500.000",
    "500.",
    ".50",
    "1e3",
    "1E3",
    "1_000",
    "1,000.00",
    "1,030.00",
    "1 000",
    " 1.00 ",
    "500\n",
    "500.00\n",
    "500.00\x00",
    "NaN",
    "sNaN",
    "nan",
    "Infinity",
    "-Infinity",
    "inf",
    "５００",
    "٥٠٠",
    "5²",
    "0x10",
    "NGN 500.00",
    "₦500",
    "1" + "0" * 15,
    "1" + "0" * 18,
    "9" * 5_000,
]

NOT_TEXT: list[Any] = [0.1, 500.0, float("nan"), 500, True, None, Decimal("1.00"), b"1", ["1"]]
NOT_DECIMAL: list[Any] = [0.1, 500.0, float("inf"), 500, True, None, "500.00"]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("500", "500.00"),
        ("500.0", "500.00"),
        ("500.00", "500.00"),
        ("0.01", "0.01"),
        ("0.1", "0.10"),
        ("007", "7.00"),
        ("999999999999999.99", "999999999999999.99"),
    ],
)
def test_an_amount_is_read_exactly_and_has_two_places(text: str, amount: str) -> None:
    parsed = money.parse(text)
    assert str(parsed) == amount


@pytest.mark.parametrize("text", NO_AMOUNTS)
def test_what_is_no_amount_above_zero_is_refused(text: str) -> None:
    with pytest.raises(InvalidAmount):
        money.parse(text)


@pytest.mark.parametrize("text", ["902100000000000014", "56473829101.001", "-56473829101"])
def test_a_refusal_never_repeats_what_was_typed(text: str) -> None:
    with pytest.raises(InvalidAmount) as refusal:
        money.parse(text)
    assert "5647" not in str(refusal.value)
    assert "9021" not in str(refusal.value)


def test_a_refusal_is_bad_input_and_a_value_error() -> None:
    assert issubclass(InvalidAmount, BadInput)
    assert issubclass(InvalidAmount, ValueError)


@pytest.mark.parametrize("value", NOT_TEXT)
def test_an_amount_is_read_from_text_only(value: Any) -> None:
    with pytest.raises(TypeError):
        money.parse(value)


@given(st.text(alphabet="0123456789.-+eE_, NaInfty０٥\n", max_size=20))
def test_only_the_written_rule_decides_what_is_an_amount(text: str) -> None:
    digits = "0123456789"
    whole, point, places = text.partition(".")
    right = (
        1 <= len(whole) <= 15
        and all(char in digits for char in whole + places)
        and (1 <= len(places) <= 2 if point else not places)
        and any(char in "123456789" for char in whole + places)
    )
    if right:
        assert money.parse(text) == Decimal(text)
    else:
        with pytest.raises(InvalidAmount):
            money.parse(text)


@given(CENTS)
def test_every_amount_survives_being_written_and_read(cents: int) -> None:
    amount = Decimal(cents).scaleb(-2)
    assert money.parse(money.plain(amount)) == amount


@given(st.integers(min_value=-(10**18 - 1), max_value=10**18 - 1))
def test_every_sum_a_column_holds_is_exact_and_written_plainly(cents: int) -> None:
    amount = Decimal(cents).scaleb(-2)
    assert money.exact(amount) == amount
    assert re.fullmatch(r"-?[0-9]+\.[0-9]{2}", money.plain(amount))
    assert money.display(amount, "NGN") == f"NGN {money.plain(amount)}"


def test_cents_do_not_drift() -> None:
    assert sum((money.parse("0.10") for _ in range(3)), Decimal(0)) == Decimal("0.30")
    assert money.plain(Decimal("0.01") + Decimal("0.01") - Decimal("0.02")) == "0.00"
    assert money.plain(money.parse("1.13") + money.parse("4.18")) == "5.31"


@pytest.mark.parametrize(
    "amount",
    ["0.001", "1.000", "-0.005", "NaN", "sNaN", "Infinity", "-Infinity", "1E+16", "-1E+99"],
)
def test_what_two_places_cannot_hold_is_refused_not_rounded(amount: str) -> None:
    for write in (money.exact, money.plain):
        with pytest.raises(InvalidAmount):
            write(Decimal(amount))
    with pytest.raises(InvalidAmount):
        money.display(Decimal(amount), "NGN")


@pytest.mark.parametrize("value", NOT_DECIMAL)
def test_a_float_never_becomes_money(value: Any) -> None:
    for write in (money.exact, money.plain):
        with pytest.raises(TypeError):
            write(value)
    with pytest.raises(TypeError):
        money.display(value, "NGN")


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("500", "NGN 500.00"),
        ("1234567.8", "NGN 1234567.80"),
        ("0", "NGN 0.00"),
        ("-0", "NGN 0.00"),
        ("-0.00", "NGN 0.00"),
        ("-5", "NGN -5.00"),
        ("1E+3", "NGN 1000.00"),
    ],
)
def test_an_amount_is_shown_with_its_currency_and_without_grouping(amount: str, shown: str) -> None:
    assert money.display(Decimal(amount), "NGN") == shown


def test_a_thread_with_rounding_of_its_own_gets_no_other_amount() -> None:
    with localcontext() as context:
        context.rounding = "ROUND_UP"
        assert money.plain(money.parse("0.99")) == "0.99"
