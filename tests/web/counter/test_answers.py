"""Every answer to a look-up or a confirmation has words of its own, and a way on."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from gateway.switches import board
from gateway.tokens import store as tokens
from gateway.tokens.guesses import limits
from gateway.tokens.guesses import store as guesses
from gateway.tokens.store import Status
from gateway.tokens.tills.pay import CASHIER
from tests.support.clock import SteppedClock
from tests.tokens.staging import change
from tests.web.counter.desk import Desk, landed, words

UNKNOWN = "902100000000000014"
MISTYPED: tuple[tuple[str, str], ...] = (
    ("", "Type the digits of the token."),
    (" - ", "Type the digits of the token."),
    ("9021 0000 0000 0000 1O", "A token has digits alone: leave everything else out."),
    ("³", "A token has digits alone: leave everything else out."),
    ("٩", "A token has digits alone: leave everything else out."),
    ("902100000000000015", "A digit is wrong. Compare it with the SMS, digit by digit."),
    ("90210000000000001", "1 digit is missing of 18."),
    ("9021000", "4 digits are missing of 11, or 11 of 18."),
    ("9021000000000000140", "1 digit too many: a token has 18."),
)


@pytest.mark.parametrize(("entry", "said"), MISTYPED)
def test_a_mistyped_entry_is_told_what_is_wrong_and_can_be_typed_again(
    desk: Desk, entry: str, said: str
) -> None:
    desk.open()
    answer = desk.look_up(entry)
    assert answer.status_code == 422
    assert said in words(answer)
    assert "Digits of the token" in words(answer)
    assert 'value="9021' not in answer.text


def test_a_token_is_found_however_it_is_spelled(desk: Desk) -> None:
    desk.open()
    digits = desk.wired.issue("60.00").reveal()
    wide = "".join(chr(0xFF10 + int(digit)) for digit in digits)
    grouped = f"{digits[:6]}-{digits[6:12]} {digits[12:]}#"
    paths = {desk.shown(entry) for entry in (digits, wide, grouped, f"*\u200b{digits}\u00a0")}
    assert len(paths) == 1


def ended(desk: Desk, status: Status, **more: object) -> str:
    """The digits of a token that is in a state."""
    issued = desk.wired.issue("60.00")
    change(desk.wired, issued.serial, status=status.value, **more)
    return issued.reveal()


def expired(desk: Desk) -> str:
    """One whose time is over, before any sweep."""
    issued = desk.wired.issue("60.00")
    past = desk.wired.clock.now() - timedelta(seconds=1)
    change(desk.wired, issued.serial, expires_at=past)
    return issued.reveal()


def redeemed(desk: Desk) -> str:
    """One that a phone has redeemed."""
    digits = desk.wired.issue("60.00").reveal()
    desk.wired.redeem(digits)
    return digits


def of_a_partner(desk: Desk) -> str:
    """One that its issuer alone takes."""
    return desk.wired.issue("60.00", binding=tokens.TO_PARTNER).reveal()


def foreign(desk: Desk) -> str:
    """One of another currency."""
    issued = desk.wired.issue("60.00")
    change(desk.wired, issued.serial, currency="KES")
    return issued.reveal()


# What there is, and what is said of it: the title, and more.
REFUSED: tuple[tuple[Callable[[Desk], str], str, str], ...] = (
    (redeemed, "The token is spent", "Spent 2 Mar 2026 10:00, phone +23480*****01"),
    (expired, "The token has expired", "Was good until 02/03/2026"),
    (lambda desk: ended(desk, Status.SUSPENDED), "The token is suspended", "ask support"),
    (lambda desk: ended(desk, Status.CANCELLED), "The token was cancelled", "another one"),
    (of_a_partner, "The token is not paid at counters", "the business that issued it"),
    (foreign, "The token is of another currency", "This till does not pay it."),
)


@pytest.mark.parametrize(("made", "title", "more"), REFUSED)
def test_a_token_that_is_not_paid_says_why_with_its_value_and_serial(
    desk: Desk, made: Callable[[Desk], str], title: str, more: str
) -> None:
    desk.open()
    page = landed(desk.look_up(made(desk)), desk.cashier)
    said = words(page)
    for expected in (title, more, "60.00", "Serial", "Next token"):
        assert expected in said
    assert "Pay NGN" not in said


def test_an_unknown_token_is_said_to_be_none(desk: Desk) -> None:
    desk.open()
    answer = desk.look_up(UNKNOWN)
    assert answer.status_code == 422
    assert "There is no such token" in words(answer)


def test_after_too_many_wrong_entries_the_page_says_until_when(desk: Desk) -> None:
    desk.open()
    for _ in range(CASHIER.an_hour):
        desk.shop.show(UNKNOWN, desk.teller)
    answer = desk.look_up(desk.wired.issue().reveal())
    assert answer.status_code == 422
    assert "You can look tokens up again at 11:00." in words(answer)


def test_wrong_entries_count_for_the_cashier_from_wherever_they_seem_to_come(desk: Desk) -> None:
    desk.open()
    key, statuses = desk.cashier.form_key(), []
    for number in range(CASHIER.an_hour + 1):
        seems = {"X-Forwarded-For": f"10.0.0.{number}, <script>"}
        form = {"csrf": key, "entry": UNKNOWN}
        answer = desk.cashier.client.post("/counter/payments", data=form, headers=seems)
        statuses.append("Too many wrong entries" in words(answer))
    assert statuses == [False] * CASHIER.an_hour + [True]


def test_while_short_tokens_are_withheld_the_page_says_nothing_of_them(desk: Desk) -> None:
    desk.open()
    digits, now = desk.wired.issue(digits=11).reveal(), desk.wired.clock.now()
    desk.wired.run(lambda c: guesses.set_maxima(c, limits.SHORT_BREAKER, 0, 0, 0, now))
    answer = desk.look_up(digits)
    assert answer.status_code == 422
    assert "It cannot be checked just now This says nothing about the token." in words(answer)


def test_a_days_limit_says_on_which_day_it_ends(desk: Desk, clock: SteppedClock) -> None:
    desk.open()
    wired, source = desk.wired, f"cashier:staff:{desk.teller.id}"
    now = wired.clock.now()
    wired.run(lambda c: guesses.add(c, source, now, counted=CASHIER.a_day))
    clock.advance(hours=4)
    desk.come_in()
    said = words(desk.look_up(wired.issue("5.00").reveal()))
    assert "You can look tokens up again at 3 Mar 2026 10:00." in said


def test_without_an_open_till_nothing_is_looked_up(desk: Desk) -> None:
    answer = desk.look_up(desk.wired.issue().reveal())
    assert answer.status_code == 422
    assert "Open a till" in words(answer)


def pause(desk: Desk) -> None:
    """Operators pause redeeming."""
    now = desk.wired.clock.now()
    desk.wired.run(lambda c: board.throw(c, board.REDEEM, "cli:ops", "a fault", now, pause=True))
    desk.wired.gateway.board._read_at = None


def test_while_redeeming_is_paused_nothing_is_looked_up_or_paid(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    pause(desk)
    assert "Payments are paused" in words(desk.look_up(UNKNOWN))
    said = words(desk.confirm(path))
    assert "Payments are paused" in said
    assert "Pay NGN 60.00" in said  # it can be paid later
