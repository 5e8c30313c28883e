"""A payment is taken back once, before a manager's eyes; its new token can be sent again."""

import re

import pytest
from werkzeug.test import TestResponse

from gateway.outbox.store import outbox
from gateway.outlets.payments.store import State
from gateway.people.staff.entrance import TRIES_MAX
from gateway.people.staff.store import Role
from gateway.tokens.store import TO_RECIPIENT
from tests.outlets.staging import naira
from tests.support.wired import ADA, BELLO
from tests.web.counter.desk import Desk, landed, words
from tests.web.staffed import PHONES, PIN, source

MANAGER = {"reason": "the drawer was empty", "manager": PHONES[Role.MANAGER], "pin": PIN}


def reference(path: str) -> str:
    """The payment that an address names."""
    return path.rsplit("/", 1)[-1]


def test_a_payment_is_taken_back_once_and_the_customer_has_a_new_token(desk: Desk) -> None:
    shift = desk.open()
    path = desk.paid("60.00")
    assert "The drawer was empty?" in words(desk.cashier.get(path))
    said = {
        words(landed(desk.cashier.post(f"{path}/void", **MANAGER), desk.cashier)) for _ in range(2)
    }
    fresh = desk.shop.payment(reference(path)).fresh_serial or ""
    (page,) = said
    for expected in ("Taken back NGN 60.00", f"New token {fresh}", "Hand out nothing."):
        assert expected in page
    assert "The drawer was empty?" not in page
    assert desk.shop.stand(shift).total == naira("0.00")
    assert [message.subject for message in desk.shop.messages()] == [fresh]
    assert desk.wired.breaches() == []


def test_the_old_digits_say_that_there_is_a_new_token(desk: Desk) -> None:
    desk.open()
    digits = desk.wired.issue("60.00").reveal()
    path = desk.shown(digits)
    desk.confirm(path)
    desk.cashier.post(f"{path}/void", **MANAGER)
    said = words(landed(desk.look_up(digits), desk.cashier))
    assert "These digits are dead: the payment was taken back at 10:00." in said


# What is entered instead, and what is said.
REFUSED: tuple[tuple[dict[str, str], str], ...] = (
    ({"pin": "1111"}, "This phone and PIN do not match."),
    ({"pin": ""}, "A PIN has 4 to 6 digits."),
    ({"manager": ""}, "That is no phone number."),
    ({"manager": "12"}, "This is no phone number: write it as it is dialled."),
    ({"reason": " \u200b "}, "Say why: the reason is blank."),
    ({"manager": PHONES[Role.CASHIER]}, "It takes another manager of this outlet"),
    ({"manager": PHONES[Role.OPERATOR]}, "It takes another manager of this outlet"),
    ({"manager": "+2348030000099"}, "This phone and PIN do not match."),
)


@pytest.mark.parametrize(("changes", "said"), REFUSED)
def test_nobody_but_a_manager_with_their_pin_and_a_reason_takes_back(
    desk: Desk, changes: dict[str, str], said: str
) -> None:
    desk.open()
    path = desk.paid()
    answer = desk.cashier.refused(f"{path}/void", **{**MANAGER, **changes})
    assert answer.status_code == 422
    assert said in words(answer)
    assert "Hand out" not in words(answer)
    assert "<details" in answer.text
    assert " open>" in answer.text
    assert PIN not in source(answer)
    assert desk.shop.payment(reference(path)).state == State.PAID


def test_a_manager_whose_pin_somebody_else_has_set_takes_nothing_back(desk: Desk) -> None:
    """Whoever took them on knows it: it may be they who stand at the screen."""
    new = "+2348030000055"
    desk.staffed.hire(Role.MANAGER, "New Manager", new, own=False)
    desk.open()
    path = desk.paid("60.00")
    answer = desk.cashier.refused(f"{path}/void", **{**MANAGER, "manager": new})
    assert "This manager must choose a PIN of their own first." in words(answer)
    assert desk.shop.payment(reference(path)).state == State.PAID


def test_a_manager_of_another_outlet_takes_nothing_back(desk: Desk) -> None:
    desk.open()
    path = desk.paid()
    desk.another("+2348030000077", Role.MANAGER, outlet="ABJ-01")
    stranger = {**MANAGER, "manager": "+2348030000077"}
    assert "another manager" in words(desk.cashier.refused(f"{path}/void", **stranger))
    assert desk.shop.payment(reference(path)).state == State.PAID


def test_wrong_pins_of_a_manager_lock_them_out_here_too(desk: Desk) -> None:
    desk.open()
    path = desk.paid()
    for _ in range(TRIES_MAX):
        desk.cashier.post(f"{path}/void", **{**MANAGER, "pin": "1111"})
    assert "Too many wrong PINs" in words(desk.cashier.refused(f"{path}/void", **MANAGER))
    assert desk.shop.payment(reference(path)).state == State.PAID


def test_who_tries_a_managers_pin_is_named_in_the_trail(desk: Desk) -> None:
    desk.open()
    path = desk.paid()
    serial = desk.shop.payment(reference(path)).serial
    wrong = {**MANAGER, "pin": "1111"}
    said = [words(desk.cashier.refused(f"{path}/void", **wrong)) for _ in range(TRIES_MAX + 1)]
    assert "Too many wrong PINs. Try again after 11:00." in said[-1]  # local time
    by = f"staff:{desk.teller.id}:{desk.teller.name}"
    tried = [line for line in desk.staffed.trail(PHONES[Role.MANAGER]) if line[0] == by]
    assert {line[1] for line in tried} == {"staff.wrong_pin"}
    reasons = sorted(line[2].rsplit(", ", 1)[1] for line in tried)
    assert reasons == ["locked"] + ["wrong"] * TRIES_MAX
    assert all(serial[0] in line[2] for line in tried)


def test_a_right_pin_leaves_no_line_about_wrong_ones(desk: Desk) -> None:
    desk.open()
    desk.cashier.post(f"{desk.paid()}/void", **MANAGER)
    assert "staff.wrong_pin" not in [line[1] for line in desk.staffed.trail(MANAGER["manager"])]


def test_a_token_without_a_recipient_asks_where_the_new_one_goes(desk: Desk) -> None:
    desk.open()
    path = desk.shown(desk.wired.issue("60.00", None).reveal())
    desk.confirm(path)
    answer = desk.cashier.refused(f"{path}/void", **MANAGER)
    assert answer.status_code == 422
    assert "Enter the phone number that the fresh token goes to." in words(answer)
    landed(desk.cashier.post(f"{path}/void", recipient="08030000002", **MANAGER), desk.cashier)
    assert [message.to for message in desk.shop.messages()] == [BELLO]


def test_after_the_count_nothing_is_taken_back(desk: Desk) -> None:
    desk.open()
    path = desk.paid()
    desk.shop.count("1.00", desk.teller)
    assert "The drawer was empty?" not in words(desk.cashier.get(path))
    answer = desk.cashier.refused(f"{path}/void", **MANAGER)
    assert answer.status_code == 422
    assert "The shift is counted already" in words(answer)


def test_the_new_token_is_sent_again_to_its_recipient_a_few_times(desk: Desk) -> None:
    desk.open()
    path = desk.paid()
    desk.cashier.post(f"{path}/void", **MANAGER)
    page = desk.cashier.get(path)
    assert "To +23480*****01" in words(page)
    assert ADA not in page.text
    for _ in range(2):
        assert "It is sent again." in words(landed(resend(desk, path), desk.cashier))
    limited = resend(desk, path)
    assert limited.status_code == 422
    assert "The token was sent often enough for now." in words(limited)
    assert {message.to for message in desk.shop.messages()} == {ADA}


def resend(desk: Desk, path: str) -> TestResponse:
    """Press the button that the page shows."""
    found = re.search('name="seen" value="([0-9]+)"', desk.cashier.get(path).text)
    return desk.cashier.post(f"{path}/resend", seen=found[1] if found else "0")


def test_a_button_pressed_twice_sends_one_sms(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    desk.cashier.post(f"{path}/decline")
    for _ in range(2):
        answer = desk.cashier.post(f"{path}/resend", seen="0")
        assert "It is sent again." in words(landed(answer, desk.cashier))
    assert len(desk.shop.messages()) == 1


def test_what_waits_to_be_paid_is_not_sent_again(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    answer = desk.cashier.post(f"{path}/resend", seen="0")
    assert answer.status_code == 422
    assert "It waits to be paid: decline it first." in words(answer)
    assert desk.shop.messages() == []


def test_the_number_that_a_token_is_tied_to_stays_with_the_customer(desk: Desk) -> None:
    desk.open()
    bound = desk.wired.issue("60.00", to="+2348031234567", binding=TO_RECIPIENT)
    path = desk.shown(bound.reveal())
    desk.cashier.post(f"{path}/decline")
    resend(desk, path)
    page = desk.cashier.get(path)
    assert "To the phone that it is tied to" in words(page)
    assert "+23480" not in page.text


def test_a_token_that_was_declined_can_be_sent_again_and_a_paid_one_cannot(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    desk.cashier.post(f"{path}/decline")
    assert "It is sent again." in words(landed(resend(desk, path), desk.cashier))
    paid = desk.paid()
    assert "Send it again" not in words(desk.cashier.get(paid))
    refused = desk.cashier.post(f"{paid}/resend")
    assert refused.status_code == 422
    assert "The token is redeemed." in words(refused)


def test_an_sms_that_failed_says_why(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    desk.cashier.post(f"{path}/decline")
    resend(desk, path)
    failed = outbox.update().values(state="failed", reason="UserInBlackList")
    desk.wired.run(lambda c: c.execute(failed).rowcount)
    assert "State failed: UserInBlackList" in words(desk.cashier.get(path))
