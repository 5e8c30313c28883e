"""6 Cashier: who has it, what it asks and says, and that a payment credits the till once."""

from decimal import Decimal

import pytest
from sqlalchemy import select

from gateway.outlets.payments.store import payments
from gateway.people.staff.store import Role
from gateway.tokens.store import TO_RECIPIENT
from tests.menus.paying import NONE, looked, opened, paid
from tests.outlets.staging import AMA, BIM, MUSA, OTHER, Shop
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import count

MENU = (
    "CON Cashier LAG-1/1\n1 Pay token\n2 Look up\n3 Last five\n4 Till total\n5 Close till\n0 Back"
)


@pytest.mark.parametrize(("phone", "role"), [(AMA, Role.CASHIER), (MUSA, Role.MANAGER)])
def test_cashiers_and_managers_find_it_at_the_root(wired: Wired, phone: str, role: Role) -> None:
    shop = Shop(wired).open()
    shop.shift(shop.member(phone, role))
    call = wired.dial(phone)
    assert "5 Settings\n6 Cashier\n0 Exit" in call.body
    assert call.send("6") == MENU


@pytest.mark.parametrize(
    ("phone", "role"), [(ADA, None), (OTHER, Role.OPERATOR), (OTHER, Role.ADMIN)]
)
def test_for_others_it_is_an_invalid_choice_also_when_dialled(
    wired: Wired, phone: str, role: Role | None
) -> None:
    shop = opened(wired)
    if role is not None:
        shop.member(phone, role)
    call = wired.dial(phone)
    assert "6 Cashier" not in call.body
    assert call.send("6").startswith("CON Invalid choice.\nWelcome.")
    digits = wired.issue().reveal()
    assert wired.dial(phone, text=f"6*1*{digits}").body.startswith("CON Invalid choice.\nWelcome.")
    assert count(wired, payments) == 0


def test_who_is_dismissed_is_turned_away_at_the_next_step(wired: Wired) -> None:
    shop = opened(wired)
    call = looked(wired, wired.issue().reveal())
    menu = wired.dial(AMA)
    shop.dismiss(shop.member())
    over = "END You may not do this any more. Nothing was changed."
    assert call.send("1") == over
    assert menu.send("6").startswith("CON Invalid choice.\nWelcome.")
    assert shop.account().balance == 0


def test_a_payment_shows_the_value_asks_and_credits_the_till(
    wired: Wired, clock: SteppedClock
) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    call = wired.dial(AMA)
    assert call.send("6") == MENU
    assert call.send("1") == "CON Enter the token to pay:\n0 Back 00 Home"
    assert call.send(issued.reveal()) == (
        f"CON Pay NGN 60.00?\nRef {issued.serial}\n1 Confirm\n2 Do not pay\n0 Back 00 Home"
    )
    assert shop.account().balance == 0
    assert call.send("1") == (
        f"END PAID NGN 60.00\nRef {issued.serial}\nTill LAG-1/1, 02/03/2026 10:00\n"
        "Hand out the cash."
    )
    assert shop.account().balance == Decimal("60.00")
    row = wired.run(lambda c: c.execute(select(payments)).one())
    assert (row.state, row.channel, row.serial) == ("paid", "ussd", issued.serial)
    assert wired.breaches() == []


def test_it_can_be_dialled_up_to_the_confirmation_and_no_further(wired: Wired) -> None:
    shop = opened(wired)
    digits = wired.issue("60.00").reveal()
    call = wired.dial(AMA, text=f"6*1*{digits[:6]}*{digits[6:12]}*{digits[12:]}*1")
    assert call.body.startswith("CON Pay NGN 60.00?")
    assert shop.account().balance == 0


def test_a_phone_bound_token_is_paid_for_its_recipients_number_alone(wired: Wired) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00", BELLO, binding=TO_RECIPIENT)
    call = looked(wired, issued.reveal())
    asked = f"CON NGN 60.00, Ref {issued.serial}\nEnter the recipient's number:\n0 Back 00 Home"
    assert call.body == asked
    assert call.send("what").startswith("CON This is not a phone number.")
    assert call.send(ADA).startswith(
        f"CON Pay NGN 60.00?\nRef {issued.serial}\nFor +234 803 000 0001\n1 Confirm"
    )
    assert call.send("1") == (
        f"CON NGN 60.00, Ref {issued.serial} is for another number. Nothing was paid.\n"
        "1 Enter the number again\n0 Back 00 Home"
    )
    assert shop.account().balance == 0
    assert call.send("1") == asked
    assert "For +234 803 000 0002" in call.send(BELLO.replace("+234", "0"))
    assert call.send("1").startswith("END PAID NGN 60.00\n")
    assert shop.account().balance == Decimal("60.00")
    assert wired.breaches() == []


def test_looking_up_pays_nothing_until_it_is_asked_to(wired: Wired) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    call = wired.dial(AMA, text=f"6*2*{issued.reveal()}")
    assert call.body == (
        f"CON NGN 60.00\nRef {issued.serial}\nIt can be paid.\n1 Pay it\n0 Back 00 Home"
    )
    assert shop.account().balance == 0
    assert call.send("1").startswith("CON Pay NGN 60.00?")
    assert call.send("1").startswith("END PAID NGN 60.00")


def test_what_is_declined_stays_good_and_can_be_paid_later(wired: Wired) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    call = looked(wired, issued.reveal())
    assert call.send("2") == f"END Not paid: NGN 60.00, Ref {issued.serial}. The token stays good."
    assert shop.account().balance == 0
    assert looked(wired, issued.reveal()).send("1").startswith("END PAID NGN 60.00")


def test_the_last_five_are_listed_newest_first(wired: Wired, clock: SteppedClock) -> None:
    shop = opened(wired)
    assert wired.dial(AMA, text="6*3").body.startswith("CON Nothing was paid yet.\nCashier")
    serials = []
    for minute in range(6):
        clock.advance(minutes=1)
        serials.append(paid(wired, f"{minute + 1}.00"))
    reference = wired.run(
        lambda c: c.execute(
            select(payments.c.reference).where(payments.c.serial == serials[4])
        ).scalar_one()
    )
    shop.void(reference)
    assert wired.dial(AMA, text="6*3").body == "END " + "\n".join(
        [
            f"10:06 NGN 6.00 {serials[5]}",
            f"10:05 NGN 5.00 {serials[4]} taken back",
            *(f"10:0{n} NGN {n}.00 {serials[n - 1]}" for n in (4, 3, 2)),
        ]
    )


def test_the_till_total_tells_what_was_paid_and_not_what_should_be_there(wired: Wired) -> None:
    opened(wired, cash="500.00")
    paid(wired, "60.00")
    paid(wired, "15.50")
    assert wired.dial(AMA, text="6*4").body == (
        "END Till LAG-1/1 since 02/03/2026 10:00\nPaid out NGN 75.50\n75.50 less 0.00 taken back"
    )


def test_two_cashiers_have_a_till_each(wired: Wired) -> None:
    shop = opened(wired)
    shop.shift(shop.member(BIM), till=2)
    paid(wired, "60.00", BIM)
    assert (shop.account(1).balance, shop.account(2).balance) == (NONE, Decimal("60.00"))


def test_it_speaks_french_to_who_chose_it(wired: Wired) -> None:
    opened(wired)
    wired.dial(AMA, text="5*1*2")
    issued = wired.issue("60.00")
    call = looked(wired, issued.reveal())
    assert call.body == (
        f"CON Payer NGN 60.00 ?\nRéf {issued.serial}\n1 Confirmer\n2 Ne pas payer\n"
        "0 Retour 00 Accueil"
    )
    assert call.send("1").startswith(f"END PAYÉ NGN 60.00\nRéf {issued.serial}\nCaisse LAG-1/1,")
