"""5 → 2 PIN over the real route: set, change, refused entries, dropped calls, two at once."""

import pytest
from sqlalchemy import update

from gateway.audit import store as audit
from gateway.ledger import wallets
from gateway.ledger.store import accounts
from gateway.people.pins import store
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired
from tests.ussd.posting import play, post

PIN, OTHER = "4711", "2580"
CHOOSE = b"CON Choose a PIN of 4 to 6 digits:\n0 Back 00 Home"
AGAIN = b"CON Enter the new PIN again:\n0 Back 00 Home"
OLD = b"CON Enter your old PIN:\n0 Back 00 Home"
SET = b"END Your PIN is set. Never tell it to anybody, not even to us."


def has_pin(wired: Wired, phone: str = ADA) -> bool:
    """Whether a phone has a PIN."""
    return wired.run(lambda c: wired.gateway.people.pins.has_pin(c, phone))


def is_pin(wired: Wired, entry: str) -> bool:
    """Whether the balance is told for this entry."""
    call = wired.dial(text="4*1")
    return call.send(entry) == "END Balance NGN 0.00"


def test_a_pin_is_set_by_entering_it_twice(wired: Wired) -> None:
    replies = play(wired, "", "5", "5*2", f"5*2*{PIN}", f"5*2*{PIN}*{PIN}")
    assert replies[2:] == [CHOOSE, AGAIN, SET]
    assert has_pin(wired)
    assert is_pin(wired, PIN)
    assert not is_pin(wired, OTHER)
    (line,) = wired.run(lambda c: audit.about(c, ADA))
    assert (line.actor, line.action) == (ADA, "pin.set")


def test_a_repeated_entry_is_answered_alike_and_sets_nothing_by_itself(wired: Wired) -> None:
    texts = ["5*2", f"5*2*{PIN}", f"5*2*{PIN}", "5*2", f"5*2*{PIN}"]
    assert play(wired, *texts) == [CHOOSE, AGAIN, AGAIN, CHOOSE, AGAIN]
    assert not has_pin(wired)
    last = f"5*2*{PIN}*{PIN}"
    assert play(wired, last, last) == [SET, SET]


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ("471", "A PIN has 4 to 6 digits."),
        ("abcd", "A PIN has 4 to 6 digits."),
        ("", "A PIN has 4 to 6 digits."),
        ("3333", "This PIN is too easy to guess."),
        ("3456", "This PIN is too easy to guess."),
        ("0001", "This PIN is the end of your number."),
    ],
)
def test_an_entry_that_is_no_good_pin_is_asked_for_again(
    wired: Wired, entry: str, complaint: str
) -> None:
    play(wired, "5*2")
    assert post(wired, f"5*2*{entry}") == f"CON {complaint}\n".encode() + CHOOSE[4:]
    assert post(wired, f"5*2*{entry}*{PIN}") == AGAIN


def test_two_different_entries_are_told_apart_and_the_way_back_begins_anew(wired: Wired) -> None:
    call = wired.dial(text="5*2")
    call.send(PIN)
    assert call.send(OTHER).encode() == b"CON That was not the same PIN.\n" + AGAIN[4:]
    assert call.send("12").encode() == b"CON A PIN has 4 to 6 digits.\n" + AGAIN[4:]
    assert call.send("0").encode() == CHOOSE
    assert call.send(OTHER).encode() == AGAIN
    assert call.send(OTHER).encode() == SET
    assert is_pin(wired, OTHER)


def test_a_change_needs_the_old_pin_first(wired: Wired) -> None:
    wired.set_pin(PIN)
    call = wired.dial(text="5*2")
    assert call.body.encode() == OLD
    assert call.send(OTHER).encode() == b"CON Wrong PIN. 4 tries left.\n" + OLD[4:]
    assert call.send(PIN).encode() == CHOOSE
    assert call.send(OTHER).encode() == AGAIN
    assert call.send(OTHER).encode() == SET
    assert is_pin(wired, OTHER)
    assert not is_pin(wired, PIN)


def test_five_wrong_old_pins_lock_for_an_hour_and_then_it_goes_on(
    wired: Wired, clock: SteppedClock
) -> None:
    wired.set_pin(PIN)
    call = wired.dial(text="5*2")
    told = [call.send(OTHER) for _ in range(5)]
    assert [line.split("\n")[0] for line in told[:4]] == [
        "CON Wrong PIN. 4 tries left.",
        "CON Wrong PIN. 3 tries left.",
        "CON Wrong PIN. 2 tries left.",
        "CON Wrong PIN. 1 try left.",
    ]
    assert told[4] == "END Too many wrong PINs. Please try again after 02/03/2026 11:00."
    locked = wired.dial(text="5*2").send(PIN)
    assert locked == "END Too many wrong PINs. Please try again after 02/03/2026 11:00."
    clock.advance(hours=1)
    assert wired.dial(text="5*2").send(PIN).encode() == CHOOSE


def test_ten_wrong_ones_lock_until_we_are_called(database_url: str, clock: SteppedClock) -> None:
    wired = Wired(database_url, clock, help_number="08001234567")
    wired.set_pin(PIN)
    for _ in range(5):
        wired.dial(text="5*2").send(OTHER)
    clock.advance(hours=1)
    call = wired.dial(text="5*2")
    for _ in range(5):
        call.send(OTHER)
    clock.advance(days=1)
    expected = "END Your PIN is locked after too many wrong tries. Please call 08001234567."
    assert call.body == expected
    assert wired.dial(text="5*2").send(PIN) == expected
    wired.close()


@pytest.mark.parametrize("typed", [PIN, f"{PIN}*{PIN}", f"{PIN}*{OTHER}*{OTHER}"])
@pytest.mark.parametrize("pin_is_set", [False, True])
def test_a_direct_dial_never_goes_into_a_pin(wired: Wired, typed: str, pin_is_set: bool) -> None:
    if pin_is_set:
        wired.set_pin(PIN)
    assert wired.dial(text=f"5*2*{typed}").body.encode() == (OLD if pin_is_set else CHOOSE)
    found = wired.run(lambda c: store.read(c, ADA))
    assert (found.tries, found.version, found.pending_hash) == (0, int(pin_is_set), None)


def test_of_several_entries_at_once_only_the_first_is_taken_on_a_pin_screen(wired: Wired) -> None:
    play(wired, "5*2")
    assert post(wired, f"5*2*{PIN}*{PIN}") == AGAIN
    assert not has_pin(wired)


def test_a_call_dropped_between_the_entries_resumes_before_them(
    wired: Wired, clock: SteppedClock
) -> None:
    play(wired, "", "5", "5*2", f"5*2*{PIN}", session="S1")
    clock.advance(minutes=1)
    root, resumed = play(wired, "", "9", session="S2")
    assert b"9 Continue" in root
    assert resumed.startswith(b"CON Settings")
    assert post(wired, f"9*2*{PIN}", "S2") == CHOOSE
    assert not has_pin(wired)


def test_another_process_takes_the_second_entry(wired: Wired) -> None:
    play(wired, "5*2", f"5*2*{PIN}")
    restarted = Wired(str(wired.gateway.settings.database_url), wired.clock)
    assert post(restarted, f"5*2*{PIN}*{PIN}") == SET
    restarted.close()
    assert is_pin(wired, PIN)


def test_of_two_dialogues_the_later_first_entry_counts(wired: Wired) -> None:
    play(wired, "5*2", f"5*2*{PIN}", session="S1")
    play(wired, "5*2", f"5*2*{OTHER}", session="S2")
    assert post(wired, f"5*2*{PIN}*{PIN}", "S1").startswith(b"CON That was not the same PIN.")
    assert post(wired, f"5*2*{OTHER}*{OTHER}", "S2") == SET
    stale = post(wired, f"5*2*{PIN}*{PIN}*{OTHER}", "S1")
    assert stale.startswith(b"END Your PIN was not changed: it is being set in another call")
    assert is_pin(wired, OTHER)


def test_a_change_begun_before_an_operators_reset_comes_to_nothing(wired: Wired) -> None:
    wired.set_pin(PIN)
    call = wired.dial(text="5*2")
    call.send(PIN)
    now = wired.clock.now()
    wired.run(lambda c: wired.gateway.people.pins.reset(c, ADA, "cli:ann", "stolen", now))
    assert call.send(OTHER).startswith("END Your PIN was not changed")
    assert not has_pin(wired)


def test_a_number_that_waits_for_an_operator_can_set_no_pin(
    database_url: str, clock: SteppedClock
) -> None:
    wired = Wired(database_url, clock, help_number="08001234567")
    call = wired.dial(text="5*2")
    call.send(PIN)
    wired.run(lambda c: wallets.ensure(c, ADA, "NGN", clock.now()))
    wired.run(lambda c: c.execute(update(accounts).values(unverified=True)))
    refusal = (
        "END Before you can set a PIN we must make sure that this is still your number."
        " Please call 08001234567."
    )
    assert call.send(PIN) == refusal
    assert wired.dial(text="5*2").body == refusal
    assert not has_pin(wired)
    wired.run(lambda c: c.execute(update(accounts).values(unverified=False)))
    wired.set_pin(PIN)
    wired.close()
