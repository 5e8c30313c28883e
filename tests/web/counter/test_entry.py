"""The one big field: what is typed, pasted or scanned is grouped and judged before any request."""

import pytest
from playwright.sync_api import expect

from gateway.tokens import code
from gateway.tokens.code import InvalidCode, Wrong
from tests.web.counter.window import Front, Window

GOOD, BAD = "902100000000000014", "902100000000000015"
SHORT = "76543210983"
# What the page makes of an entry: the field afterwards, and what is said.
ENTRIES: tuple[tuple[str, str, str], ...] = (
    (GOOD, "902100 000000 000014", "The digits fit together."),
    (SHORT, "7654 3210 983", "The digits fit together."),
    ("9021-0000 0000.0000*14#", "902100 000000 000014", "The digits fit together."),
    ("９０２１００００００００００００１４", "902100 000000 000014", "The digits fit together."),
    ("\u200b902100\u00a0000000\u2009000014\ufeff", "902100 000000 000014", "fit together"),
    (BAD, "902100 000000 000015", "A digit is wrong. Compare it with the SMS."),
    (GOOD + "07", "902100 000000 000014 07", "2 digits too many: a token has 18."),
    (GOOD[:-1], "902100 000000 00001", "1 digit is missing of 18."),
    ("9021000", "902100 0", "4 digits are missing of 11, or 11 of 18."),
    ("76543210984", "765432 10984", "A digit is wrong, if the token has 11; else 7 digits"),
    ("9021 0000 OO", "9021 0000 OO", "A token has digits alone: take out “O”."),
    ("²", "²", "A token has digits alone: take out “²”."),
)


@pytest.fixture
def window(one_front: Front) -> Window:
    """A cashier whose till is open, before the field."""
    one_front.desk.open()
    opened = one_front.window()
    opened.asked.clear()
    return opened


def test_what_is_pasted_is_grouped_and_judged_without_any_request(window: Window) -> None:
    expect(window.entry).to_be_focused()
    for entry, shown, said in ENTRIES:
        window.entry.fill(entry)
        expect(window.entry).to_have_value(shown)
        expect(window.verdict).to_contain_text(said)
        is_good = "fit together" in said
        assert "too many" not in said or window.page.locator("#entry-count").inner_text() == ""
        assert window.page.get_by_role("button", name="Look up").is_enabled() == is_good
        assert (window.entry.get_attribute("aria-invalid") == "true") == (
            ("wrong." in said) or "too many" in said or "take out" in said
        )
    assert window.asked == []


def test_a_wrong_digit_is_said_at_the_last_key_and_enter_sends_nothing(window: Window) -> None:
    window.page.keyboard.type(BAD[:-1])
    expect(window.verdict).to_have_text("1 digit is missing of 18.")
    window.page.keyboard.type(BAD[-1])
    expect(window.page.get_by_role("status")).to_have_text(
        "A digit is wrong. Compare it with the SMS."
    )
    window.page.keyboard.press("Enter")
    window.page.wait_for_timeout(200)
    assert window.asked == []


def test_what_is_only_unfinished_is_read_out_when_enter_is_pressed(window: Window) -> None:
    status = window.page.get_by_role("status")
    window.page.keyboard.type("902100")
    expect(status).to_have_text("")
    window.page.keyboard.press("Enter")
    expect(status).to_have_text("5 digits are missing of 11, or 12 of 18.")
    assert window.asked == []


def test_a_digit_in_the_middle_is_mended_where_the_caret_stands(window: Window) -> None:
    window.page.keyboard.type("902109000000000014")
    for _ in range(14):  # over two spaces, to right of the wrong digit
        window.page.keyboard.press("ArrowLeft")
    window.page.keyboard.press("Backspace")
    window.page.keyboard.type("0")
    expect(window.entry).to_have_value("902100 000000 000014")
    assert window.entry.evaluate("field => field.selectionStart") in (6, 7)
    expect(window.verdict).to_contain_text("The digits fit together.")


def test_a_scan_that_went_wrong_is_replaced_by_the_next_one(window: Window) -> None:
    window.scan(BAD)
    assert window.asked == []
    window.page.keyboard.type(GOOD)
    expect(window.entry).to_have_value("902100 000000 000014")


def judged(entry: str) -> str:
    """What the server says of an entry; empty when it could be a token."""
    try:
        code.validate(entry)
    except InvalidCode as error:
        return error.wrong
    return ""


ODD = (
    *("", " ", "#", "-", "０", "٠١", "³", "1\u20032", "1\x0b2", "1\x1c2", "1\x852", "1\u180e2"),
    *("+902100000000000014", "902100000000000014a", "902100000000000014##", "#902100000000000014"),
    *("90210000000000001\u0664", "9021,0000", "1e5", "0x12", "00000000000", "0" * 18),
)


def test_the_page_and_the_server_judge_every_entry_alike(window: Window) -> None:
    entries = [*(entry for entry, _, _ in ENTRIES), *ODD]
    dropped = [f"{chr(n)}{GOOD}" for n in (*range(0x20, 0x100), *range(0x2000, 0x2070), 0x3000)]
    asked = entries + dropped
    verdicts = window.page.evaluate(
        """async (entries) => {
            const { judged } = await import("/static/counter_entry.js");
            return entries.map((entry) => judged(entry).state);
        }""",
        asked,
    )
    states = {"": "ready", Wrong.EMPTY: "empty"}
    for entry, state in zip(asked, verdicts, strict=True):
        wrong = judged(entry)
        fits = states.get(wrong)
        assert (state == fits) if fits else (state in ("wrong", "short")), (entry, state, wrong)


def test_digits_are_grouped_as_in_the_sms(window: Window) -> None:
    shown = window.page.evaluate(
        """async (all) => {
            const { grouped } = await import("/static/counter_entry.js");
            return all.map(grouped);
        }""",
        [GOOD, SHORT],
    )
    assert shown == [code.grouped(GOOD), code.grouped(SHORT)]
