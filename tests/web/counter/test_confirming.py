"""Confirming a payment: every refusal has its words, and what was paid is paid once."""

from collections.abc import Iterator

import pytest

from gateway.outlets.payments.answers import Stop
from gateway.outlets.payments.store import State
from gateway.people.staff.store import Role
from gateway.settings.limits import Money
from gateway.tokens import store as tokens
from gateway.tokens.issue import expiry
from gateway.tokens.tills.pay import CASHIER, Answer
from gateway.web.counter.words import WORDS
from tests.outlets.staging import naira
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.web.counter.desk import Desk, landed, words
from tests.web.staffed import PHONES, source

ALREADY = "You have paid this token already, at 10:00. Hand the cash out only if you have not yet."


@pytest.fixture
def capped(database_url: str, clock: SteppedClock) -> Iterator[Desk]:
    """A counter whose agent has caps: in all, and for one customer."""
    money = Money(agent={"per_customer": naira("100.00"), "a_day": naira("150.00")})
    wired = Wired(database_url, clock, money=money)
    yield Desk(wired)
    wired.close()


def test_what_was_found_is_shown_before_it_is_paid(desk: Desk) -> None:
    desk.open()
    issued = desk.wired.issue("500.00")
    page = desk.cashier.get(desk.shown(issued.reveal()))
    said = words(page)
    for expected in ("Pay this token?", "NGN 500.00", issued.serial, "Pay NGN 500.00"):
        assert expected in said
    assert issued.reveal() not in page.text
    assert desk.wired.token(issued.serial).status == "issued"


def test_the_receipt_names_all_but_the_digits(desk: Desk) -> None:
    desk.open()
    issued = desk.wired.issue("500.00")
    page = desk.confirm(desk.shown(issued.reveal()))
    said = words(page)
    for expected in (
        *("Paid NGN 500.00", "Shop LAG-01", "LAG-01/1", "Chika Obi", issued.serial),
        *("Paid 2 Mar 2026 10:00", "Hand out NGN 500.00, once."),
    ):
        assert expected in said
    assert issued.reveal()[:6] not in source(page)
    assert desk.wired.breaches() == []


def test_every_repeat_of_a_confirmation_comes_back_to_the_receipt_and_hands_out_nothing(
    desk: Desk, clock: SteppedClock
) -> None:
    shift = desk.open()
    path = desk.found("60.00")
    assert "Hand out NGN 60.00, once." in words(desk.confirm(path))
    clock.advance(seconds=1)
    receipts = {words(desk.confirm(path)) for _ in range(2)}
    receipts.add(words(landed(desk.cashier.post(f"{path}/decline"), desk.cashier)))
    receipts.add(words(desk.cashier.get(path)))
    (said,) = receipts
    assert ALREADY in said
    assert "Hand out NGN" not in said
    assert desk.shop.stand(shift).paid == naira("60.00")


def test_what_was_paid_over_the_phone_is_not_handed_out_again_from_the_page(
    desk: Desk, clock: SteppedClock
) -> None:
    desk.open()
    issued = desk.wired.issue("60.00")
    path = desk.shown(issued.reveal())
    call = desk.wired.dial(PHONES[Role.CASHIER])
    for entry in ("6", "1", issued.reveal()):
        call.send(entry)
    assert "Hand out" in call.send("1")
    clock.advance(minutes=5)
    said = words(desk.confirm(path))
    assert ALREADY in said
    assert "Hand out NGN" not in said
    assert desk.wired.token(issued.serial).redeemed_channel == "ussd"


def test_the_page_says_until_when_a_token_is_good_as_its_sms_does(
    desk: Desk, clock: SteppedClock
) -> None:
    clock.advance(hours=13, minutes=30)  # 23:30 in Lagos
    desk.come_in()
    desk.open()
    zone = desk.wired.gateway.settings.zone
    issued = desk.wired.issue(expires_at=expiry("1d", clock.now(), zone), deliver=True)
    desk.wired.send_all()
    assert "03/03/2026" in desk.wired.gateway.inbox(ADA)[0].text
    assert "Good until 03/03/2026" in words(desk.cashier.get(desk.shown(issued.reveal())))


def test_phones_and_tills_at_one_moment_have_one_winner(desk: Desk) -> None:
    shift = desk.open()
    digits = desk.wired.issue("60.00").reveal()
    path, key = desk.shown(digits), desk.cashier.form_key()
    device = desk.staffed.visitor("/counter")
    device.cookie = desk.cashier.cookie

    def redeem(number: int) -> str:
        if number % 2:
            return desk.wired.dial(BELLO, f"1*{digits}").body
        return device.client.post(f"{path}/confirm", data={"csrf": key}).text

    race(4, redeem)
    paid = desk.shop.stand(shift).paid
    assert {paid, desk.wired.balance(BELLO)} == {naira("60.00"), naira("0.00")}
    said = words(desk.cashier.get(path))
    assert ("Paid NGN 60.00" in said) == (paid == naira("60.00"))
    assert ("The token is spent" in said) == (paid == naira("0.00"))
    assert desk.wired.breaches() == []


def test_many_clicks_at_once_from_tabs_and_devices_pay_once(desk: Desk) -> None:
    shift = desk.open()
    path, key = desk.found("60.00"), desk.cashier.form_key()

    def click(_: int) -> int:
        device = desk.staffed.visitor("/counter")
        device.cookie = desk.cashier.cookie
        return device.client.post(f"{path}/confirm", data={"csrf": key}).status_code

    assert race(6, click) == [303] * 6
    assert desk.shop.stand(shift).paid == naira("60.00")
    assert desk.shop.account().balance == naira("60.00")
    assert desk.wired.breaches() == []


def test_a_token_typed_again_after_a_lost_answer_leads_to_its_receipt(desk: Desk) -> None:
    desk.open()
    digits = desk.wired.issue("60.00").reveal()
    path = desk.shown(digits)
    desk.confirm(path)
    again = desk.look_up(digits)
    assert again.headers["Location"] == f"{path}?again"
    said = words(landed(again, desk.cashier))
    assert "You have paid this token already, at 10:00. Hand the cash out only if you" in said
    assert "Hand out NGN" not in said


def test_a_receipt_that_is_opened_again_later_asks_for_no_cash(
    desk: Desk, clock: SteppedClock
) -> None:
    desk.open()
    path = desk.paid()
    assert "Hand out NGN" not in words(desk.manager.get(path))
    clock.advance(minutes=11)
    said = words(desk.cashier.get(path))
    assert "Paid NGN 60.00" in said
    assert "Hand out" not in said


def test_a_declined_payment_pays_nothing_any_more(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    said = words(landed(desk.cashier.post(f"{path}/decline"), desk.cashier))
    assert "Not paid" in said
    assert "Not paid" in words(desk.confirm(path))
    assert desk.shop.account().balance == naira("0.00")


def test_a_bound_token_asks_for_the_recipients_number(desk: Desk) -> None:
    desk.open()
    issued = desk.wired.issue("60.00", ADA, binding=tokens.TO_RECIPIENT)
    path = desk.shown(issued.reveal())
    assert "tied to the phone that its SMS came to" in words(desk.cashier.get(path))
    for typed, said in (
        ("", "Enter the recipient's phone number."),
        ("12", "This is no phone number: write it as it is dialled."),
    ):
        answer = desk.cashier.post(f"{path}/confirm", customer=typed)
        assert answer.status_code == 422
        assert said in words(answer)
    assert "That is not the recipient's number" in words(desk.confirm(path, customer=BELLO))
    assert "Hand out NGN 60.00" in words(desk.confirm(path, customer="0803 000 0001"))
    assert ADA not in desk.cashier.get(path).text


def test_too_many_wrong_numbers_are_limited_and_nothing_is_paid(desk: Desk) -> None:
    desk.open()
    path = desk.shown(desk.wired.issue("60.00", ADA, binding=tokens.TO_RECIPIENT).reveal())
    for _ in range(CASHIER.an_hour):
        desk.shop.confirm(path.split("/")[-1], desk.teller, BELLO)
    said = words(desk.confirm(path, customer=ADA))
    assert "Too many wrong entries" in said
    assert "You can confirm it again at 11:00." in said
    assert desk.shop.account().balance == naira("0.00")


def test_a_till_pays_no_more_than_its_float_limit(wired: Wired) -> None:
    desk = Desk(wired, float_limit="100.00")
    desk.open()
    too_much = desk.found("100.01")
    said = words(desk.confirm(too_much))
    assert "Your till would pay out too much" in said
    assert "In this shift it can still pay NGN 100.00." in said
    assert "Hand out" in words(desk.confirm(desk.found("100.00")))
    assert "In this shift it can still pay NGN 0.00." in words(desk.cashier.get(too_much))


def test_the_caps_of_an_agent_are_said_and_leave_the_token_good(
    capped: Desk, clock: SteppedClock
) -> None:
    capped.open()
    path, more = capped.found("80.00"), capped.found("30.00")
    assert "What is paid counts for this customer's day." in words(capped.cashier.get(path))
    assert "Hand out" in words(capped.confirm(path, customer=ADA))
    full = words(capped.confirm(more, customer=ADA))
    assert "The customer has had enough for today" in full
    assert "Today it can still pay this customer NGN 20.00." in full
    too_much = capped.found("90.00")
    full = words(capped.confirm(too_much, customer=BELLO))
    assert "Your till has paid enough for today" in full
    assert "Today it can still pay NGN 70.00." in full
    clock.advance(days=1)
    capped.come_in()
    for path in (more, too_much):
        assert "Now there is room for it: look the token up again." in words(
            capped.cashier.get(path)
        )


def test_a_stopped_till_pays_nothing(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    desk.shop.freeze(desk.shop.account())
    assert "Your till is stopped" in words(desk.confirm(path))
    looked_up = desk.look_up(desk.wired.issue("10.00").reveal())
    assert looked_up.status_code == 422
    assert "another till can pay it" in words(looked_up)


def test_a_till_that_was_counted_meanwhile_pays_nothing(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    desk.shop.count("1.00", desk.teller)
    assert "Your till is not open" in words(desk.confirm(path))
    assert desk.shop.account().balance == naira("0.00")


def test_what_was_shown_long_ago_is_looked_up_again(desk: Desk, clock: SteppedClock) -> None:
    desk.open()
    path = desk.found()
    clock.advance(minutes=11)
    page = words(desk.cashier.get(path))
    assert "Look the token up again." in page
    assert "Pay NGN" not in page
    assert "You looked it up too long ago" in words(desk.confirm(path))


def test_a_token_redeemed_meanwhile_is_not_paid(desk: Desk) -> None:
    desk.open()
    issued = desk.wired.issue("60.00")
    path = desk.shown(issued.reveal())
    desk.wired.redeem(issued.reveal())
    assert "The token is spent" in words(desk.confirm(path))


def test_another_cashiers_payment_is_nowhere(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    other = desk.another("+2348030000055")
    for answer in (
        other.get(path),
        *(other.post(f"{path}/{deed}") for deed in ("confirm", "decline", "resend")),
        other.post(f"{path}/void", reason="x", manager=ADA, pin="7391"),
        other.get("/counter/payments/0123456789abcdef"),
        other.get("/counter/payments/%27%22%3Cscript%3E"),
    ):
        assert answer.status_code == 404
        assert "There is no such payment of yours." in words(answer) or "another" in words(answer)
    assert desk.shop.payment(path.split("/")[-1]).state == State.SHOWN


def test_a_manager_sees_a_payment_of_the_outlet_but_does_not_pay_it(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    assert "Pay NGN" not in words(desk.manager.get(path))
    assert desk.manager.post(f"{path}/confirm").status_code == 404
    assert desk.shop.payment(path.split("/")[-1]).state == State.SHOWN


def test_there_are_words_for_every_answer() -> None:
    good = {Answer.PAYABLE, Answer.PAID}
    assert set(WORDS) == (set(Answer) | set(Stop)) - good
    assert len({said.title for said in WORDS.values()}) == len(WORDS)
