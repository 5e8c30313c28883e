"""4 My wallet asks for the PIN once one is set, and tells nothing before."""

import pytest
from sqlalchemy import event, update

from gateway.ledger.store import accounts
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.ussd.posting import play, post

PIN, WRONG = "4711", "2580"
ENTER = b"CON Enter your PIN:\n0 Back 00 Home"


def test_balance_and_statement_are_told_after_the_pin(wired: Wired) -> None:
    wired.redeem(wired.issue("75.00").reveal())
    wired.set_pin(PIN)
    assert play(wired, "4*1", f"4*1*{PIN}", session="S1") == [ENTER, b"END Balance NGN 75.00"]
    assert play(wired, "4*2", f"4*2*{PIN}", session="S2") == [
        ENTER,
        b"END 02/03 +75.00 Token redeemed",
    ]
    assert wired.dial(BELLO, text="4*1").body == "END Balance NGN 0.00"


def test_a_wrong_pin_tells_nothing_and_the_next_may_be_right(wired: Wired) -> None:
    wired.set_pin(PIN)
    call = wired.dial(text="4*1")
    assert call.send(WRONG).encode() == b"CON Wrong PIN. 4 tries left.\n" + ENTER[4:]
    assert call.send("47110000").encode() == b"CON A PIN has 4 to 6 digits.\n" + ENTER[4:]
    assert call.send(WRONG).encode() == b"CON Wrong PIN. 3 tries left.\n" + ENTER[4:]
    assert call.send(PIN) == "END Balance NGN 0.00"


def test_an_empty_statement_is_told_on_a_screen_of_its_own(wired: Wired) -> None:
    wired.set_pin(PIN)
    assert wired.dial(text="4*2").send(PIN) == "END There are no entries yet."


def test_a_pin_cannot_be_dialled(wired: Wired) -> None:
    wired.set_pin(PIN)
    assert wired.dial(text=f"4*1*{PIN}").body.encode() == ENTER
    assert wired.dial(text=f"4*2*{PIN}*98").body.encode() == ENTER


def test_a_call_dropped_on_the_pin_resumes_at_the_wallet(wired: Wired, clock: SteppedClock) -> None:
    wired.set_pin(PIN)
    clock.advance(seconds=1)
    play(wired, "", "4", "4*2", f"4*2*{WRONG}", session="S1")
    clock.advance(minutes=1)
    *_, resumed = play(wired, "", "9", session="S2")
    assert resumed.startswith(b"CON My wallet")
    assert post(wired, "9*2", "S2") == ENTER


def test_a_dropped_statement_of_several_pages_is_not_offered_again(
    wired: Wired, clock: SteppedClock
) -> None:
    for _ in range(10):
        wired.redeem(wired.issue("1234567.00").reveal())
    wired.set_pin(PIN)
    *_, page = play(wired, "4*2", f"4*2*{PIN}", f"4*2*{PIN}*98", session="S1")
    assert page.startswith(b"CON 02/03 +1234567.00")
    clock.advance(minutes=1)
    assert b"9 Continue" not in post(wired, "", "S2")


def test_back_from_the_pin_is_the_wallet(wired: Wired) -> None:
    wired.set_pin(PIN)
    call = wired.dial(text="4*1")
    assert call.send("0").startswith("CON My wallet")
    assert call.send("2").encode() == ENTER
    assert call.send("00").startswith("CON Welcome.")


def test_without_a_pin_a_balance_costs_one_read_more(wired: Wired) -> None:
    database = wired.gateway.database
    about_pins: list[str] = []

    def listen(_: object, __: object, statement: str, *___: object) -> None:
        if "pins" in statement:
            about_pins.append(statement)

    wired.run(lambda c: wired.gateway.people.pins.has_pin(c, ADA))
    event.listen(database.engine, "before_cursor_execute", listen)
    assert wired.dial(text="4*1").body == "END Balance NGN 0.00"
    assert len(about_pins) == 1
    wired.dial(text="1")
    wired.dial(text="5")
    assert len(about_pins) == 1
    event.remove(database.engine, "before_cursor_execute", listen)


WAITS = "END Before we show this we must make sure that this is still your number."


@pytest.mark.parametrize("shown", ["4*1", "4*2"])
def test_a_wallet_that_waits_for_the_operator_shows_nothing_with_or_without_a_pin(
    wired: Wired, shown: str
) -> None:
    wired.redeem(wired.issue("75.00").reveal())
    assert "75.00" in wired.dial(text=shown).body
    wired.run(lambda c: c.execute(update(accounts).values(unverified=True)))
    assert wired.dial(text=shown).body == WAITS
    wired.run(lambda c: c.execute(update(accounts).values(unverified=False)))
    wired.set_pin(PIN)
    wired.run(lambda c: c.execute(update(accounts).values(unverified=True)))
    assert wired.dial(text=shown).send(PIN) == WAITS


@pytest.mark.parametrize("shown", ["4*1", "4*2"])
def test_a_wallet_that_was_idle_for_long_shows_nothing_to_who_has_the_number_now(
    wired: Wired, clock: SteppedClock, shown: str
) -> None:
    wired.redeem(wired.issue("75.00").reveal())
    clock.advance(days=91)
    assert wired.dial(text=shown).body == WAITS
    assert wired.dial(BELLO, text=shown).body != WAITS
