"""The login: who gets in, what the others are told, and a PIN of one's own."""

import pytest

from gateway.people.staff.entrance import LOCKED_FOR, TRIES_MAX
from gateway.people.staff.store import Role
from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from tests.web.staffed import AREAS, NAMES, PHONES, PIN, Staffed, Visitor, source

WRONG_PIN = "8264"
NO_MATCH = "This phone and PIN do not match."


def is_in(visitor: Visitor) -> bool:
    """Whether the area's first page is shown."""
    return visitor.get(visitor.area).status_code == 200


@pytest.mark.parametrize("role", list(Role))
def test_phone_and_pin_let_each_role_into_its_area(staffed: Staffed, role: Role) -> None:
    visitor = staffed.visitor(AREAS[role])
    answer = visitor.log_in(PHONES[role])
    assert (answer.status_code, answer.location) == (303, AREAS[role])
    page = visitor.get(AREAS[role])
    assert page.status_code == 200
    assert NAMES[role] in page.text


@pytest.mark.parametrize("phone", ["0803 000 0013", "+234-803-000-0013", "2348030000013"])
def test_the_phone_may_be_written_as_people_write_it(staffed: Staffed, phone: str) -> None:
    assert staffed.visitor().log_in(phone).status_code == 303


# What is typed, and what is said about it.
REFUSED = (
    (PHONES[Role.OPERATOR], WRONG_PIN, NO_MATCH),
    ("+2348030000099", PIN, NO_MATCH),
    ("+2348030000099", WRONG_PIN, NO_MATCH),
    (PHONES[Role.OPERATOR], "", "A PIN has 4 to 6 digits."),
    (PHONES[Role.OPERATOR], "73917391", "A PIN has 4 to 6 digits."),
    (PHONES[Role.OPERATOR], "73 91\x00", "A PIN has 4 to 6 digits."),
    ("", PIN, "That is no phone number."),
    ("<script>", PIN, "That is no phone number."),
    ("\x00", PIN, "That is no phone number."),
    ("+234" * 5000, PIN, "That is no phone number."),
    (PHONES[Role.CASHIER], PIN, "You work at the counter: log in at /counter/login."),
)


@pytest.mark.parametrize(("phone", "pin", "said"), REFUSED)
def test_who_is_not_let_in_is_told_why_beside_the_form(
    staffed: Staffed, phone: str, pin: str, said: str
) -> None:
    visitor = staffed.visitor()
    answer = visitor.kept_out(phone, pin)
    assert answer.status_code == 422
    assert said in answer.text
    assert "<script>" not in answer.text
    assert not pin or pin not in source(answer)
    assert not is_in(visitor)


def test_a_pin_may_be_typed_on_a_full_width_keyboard(staffed: Staffed) -> None:
    assert staffed.visitor().log_in(PHONES[Role.OPERATOR], "７３９１").status_code == 303


def test_five_wrong_pins_lock_the_phone_out_for_everybody_and_the_right_pin_too(
    staffed: Staffed, clock: SteppedClock
) -> None:
    phone = PHONES[Role.OPERATOR]
    for _ in range(TRIES_MAX):
        # Each from another browser and, as it says, from another place.
        answer = staffed.visitor().kept_out(phone, WRONG_PIN)
        assert NO_MATCH in answer.text
    visitor = staffed.visitor()
    locked = visitor.kept_out(phone)
    assert locked.status_code == 429
    assert "Too many wrong PINs. Try again after 11:00." in locked.text  # in Lagos
    assert staffed.visitor().log_in(PHONES[Role.ADMIN]).status_code == 303
    clock.advance(seconds=LOCKED_FOR.total_seconds())
    assert visitor.log_in(phone).status_code == 303


def test_who_is_locked_out_gets_back_in_when_another_operator_unlocks_them(
    staffed: Staffed,
) -> None:
    phone, gateway = PHONES[Role.OPERATOR], staffed.wired.gateway
    visitor = staffed.visitor()
    for _ in range(TRIES_MAX):
        visitor.log_in(phone, WRONG_PIN)
    assert visitor.kept_out(phone).status_code == 429
    unlock, now = gateway.core.way_back.unlock, staffed.wired.clock.now()
    staffed.wired.run(lambda c: unlock(c, phone, "cli:test", "it was me", now))
    assert visitor.log_in(phone).status_code == 303


def test_no_forwarded_address_gives_further_tries(staffed: Staffed) -> None:
    visitor, phone = staffed.visitor(), PHONES[Role.OPERATOR]
    for n in range(TRIES_MAX + 1):
        form = {"csrf": visitor.form_key(), "phone": phone, "pin": WRONG_PIN}
        forged = {"X-Forwarded-For": f"10.0.0.{n}", "X-Real-IP": f"10.0.1.{n}"}
        visitor.client.post("/console/login", data=form, headers=forged)
    assert "Too many wrong PINs." in visitor.kept_out(phone).text


def test_a_pin_for_once_leads_to_choosing_ones_own_and_then_one_is_in(staffed: Staffed) -> None:
    phone, gateway, now = PHONES[Role.CASHIER], staffed.wired.gateway, staffed.wired.clock.now()
    hashed = gateway.roster.hashed("5028", phone)
    reset = gateway.core.way_back.reset_pin
    asked = staffed.wired.run(lambda c: reset(c, phone, hashed, "cli:test", "forgot it", now))
    number = asked.approval
    assert number is not None
    by = f"staff:{staffed.member(Role.OPERATOR).id}:{NAMES[Role.OPERATOR]}"
    staffed.wired.run(lambda c: gateway.approvals.approve(c, number, by, now))

    visitor = staffed.visitor("/counter")
    refused = visitor.kept_out(phone, "5028")
    assert "This PIN is good for one thing: choosing your own." in refused.text
    assert 'action="/counter/pin"' in refused.text
    assert f'value="{phone}"' in refused.text
    chosen = visitor.post("/counter/pin", phone=phone, pin="5028", new="6139", again="6139")
    assert (chosen.status_code, chosen.location) == (303, "/counter")
    assert is_in(visitor)
    assert staffed.visitor("/counter").log_in(phone, "6139").status_code == 303
    assert NO_MATCH in staffed.visitor("/counter").kept_out(phone, "5028").text


# The new PIN twice, and what is said about it.
UNFIT = (
    ("6139", "6138", "The two new PINs are not the same."),
    ("7391", "7391", "This is the PIN as it was."),
    ("1234", "1234", "This PIN is too easy to guess."),
    ("61", "61", "A PIN has 4 to 6 digits."),
)


@pytest.mark.parametrize(("new", "again", "said"), UNFIT)
def test_a_new_pin_that_is_none_is_refused_and_the_old_one_stays(
    staffed: Staffed, new: str, again: str, said: str
) -> None:
    visitor, phone = staffed.visitor(), PHONES[Role.OPERATOR]
    answer = visitor.refused("/console/pin", phone=phone, pin=PIN, new=new, again=again)
    assert answer.status_code == 422
    assert said in answer.text
    assert new not in source(answer)
    assert visitor.log_in(phone).status_code == 303


def test_changing_the_pin_takes_the_old_one_as_every_login_does(staffed: Staffed) -> None:
    visitor, phone = staffed.visitor(), PHONES[Role.OPERATOR]
    for _ in range(TRIES_MAX):
        wrong = {"phone": phone, "pin": WRONG_PIN, "new": "6139", "again": "6139"}
        assert NO_MATCH in visitor.refused("/console/pin", **wrong).text
    assert "Too many wrong PINs." in visitor.kept_out(phone).text


def test_who_waits_too_long_for_the_hashing_of_pins_is_told_and_no_try_is_counted(
    sqlite_url: str, clock: SteppedClock
) -> None:
    staffed = Staffed(Wired(sqlite_url, clock))
    visitor = staffed.visitor()
    visitor.form_key()
    with staffed.wired.gateway.core.people.hasher.turn():
        answer = visitor.kept_out(PHONES[Role.OPERATOR])
    assert answer.status_code == 422
    assert "Many people log in just now. Try again in a moment." in answer.text
    assert staffed.member(Role.OPERATOR).tries == 0
    assert visitor.log_in(PHONES[Role.OPERATOR]).status_code == 303
    staffed.wired.close()
