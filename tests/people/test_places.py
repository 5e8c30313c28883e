"""Where the staff try their PINs: a place has few wrong tries, and a member is known at theirs."""

from datetime import timedelta

import pytest

from gateway.database.engine import Deadline
from gateway.errors import BadInput, TryAgain
from gateway.people.pins.hashing import Busy
from gateway.people.staff.entrance import LOCKED_FOR, TRIES_MAX, Crowded, Locked, PinOnce, Wrong
from gateway.people.staff.store import Role
from gateway.people.staff.tries import limits, store
from gateway.people.staff.tries.limits import KNOWN_FOR, KNOWN_MAX
from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from tests.web.staffed import NAMES, PHONES, PIN, Staffed

TILL, HOME, ELSEWHERE = "203.0.113.7", "198.51.100.9", "2001:db8:a:b::/64"
WRONG_PIN, NEW_PIN = "8264", "6139"
CASHIER, NOBODY = PHONES[Role.CASHIER], "+2348030000999"


@pytest.fixture
def staffed(wired: Wired) -> Staffed:
    """One of each role."""
    return Staffed(wired)


def tried(
    staffed: Staffed, place: str, pin: str = PIN, phone: str = CASHIER
) -> str | type[BadInput]:
    """Who is let in from there, or how they are refused."""
    try:
        return staffed.wired.gateway.roster.entrance.entered(phone, pin, place=place).name
    except (Locked, Wrong, PinOnce) as error:
        return type(error)


def outsiders(staffed: Staffed, tries: int = TRIES_MAX) -> None:
    """Somebody far away who knows the cashier's phone, each time from another address."""
    for n in range(tries):
        tried(staffed, f"192.0.2.{n}", WRONG_PIN)


def crowd(staffed: Staffed, place: str) -> None:
    """Somebody tries until the place has no try left."""
    for n in range(limits.TRIES_MAX):
        assert tried(staffed, place, WRONG_PIN, f"{NOBODY[:-2]}{n:02}") is Wrong


def rows(staffed: Staffed) -> int:
    """How many rows are kept."""
    query = store.staff_tries.select()
    return staffed.wired.run(lambda c: len(c.execute(query).all()))


def test_a_place_has_so_many_wrong_tries_an_hour_over_all_phones(
    staffed: Staffed, clock: SteppedClock
) -> None:
    crowd(staffed, HOME)
    assert tried(staffed, HOME) is Crowded
    assert tried(staffed, TILL) == NAMES[Role.CASHIER]
    clock.advance(hours=1)
    assert tried(staffed, HOME) == NAMES[Role.CASHIER]


def test_a_crowded_place_is_told_when_it_may_try_again(staffed: Staffed) -> None:
    began = staffed.wired.clock.now()
    crowd(staffed, HOME)
    with pytest.raises(Crowded, match="too many tries from there: none is taken until") as error:
        staffed.wired.gateway.roster.entrance.entered(CASHIER, PIN, place=HOME)
    assert error.value.until == began + limits.WINDOW


def test_a_crowded_place_gets_no_turn_at_hashing(staffed: Staffed) -> None:
    crowd(staffed, HOME)
    gateway = staffed.wired.gateway
    with gateway.people.hasher.turn():  # whoever waited for it now would be `Busy`
        with pytest.raises(Crowded):
            gateway.roster.entrance.entered(CASHIER, PIN, Deadline(1.0), HOME)
        with pytest.raises(Busy):
            gateway.roster.entrance.entered(CASHIER, PIN, Deadline(1.0), TILL)


def test_right_pins_use_a_place_up_never(staffed: Staffed) -> None:
    for role in (*Role, *Role) * 3:
        assert tried(staffed, TILL, phone=PHONES[role]) == NAMES[role]
    assert tried(staffed, TILL, WRONG_PIN, NOBODY) is Wrong


def test_waiting_for_the_hashing_costs_a_place_no_try(staffed: Staffed) -> None:
    gateway = staffed.wired.gateway
    with gateway.people.hasher.turn():
        for _ in range(limits.TRIES_MAX + 1):
            with pytest.raises(TryAgain):
                gateway.roster.entrance.entered(CASHIER, PIN, Deadline(0.55), HOME)
    assert tried(staffed, HOME) == NAMES[Role.CASHIER]


def test_outsiders_lock_a_member_out_everywhere_but_where_they_are_known(
    staffed: Staffed, clock: SteppedClock
) -> None:
    tried(staffed, TILL)
    outsiders(staffed)
    for _ in range(3):
        assert tried(staffed, TILL) == NAMES[Role.CASHIER]
        assert tried(staffed, HOME) is Locked
        clock.advance(seconds=LOCKED_FOR.total_seconds())
        outsiders(staffed, 1)  # one wrong try an hour kept everybody out before
    assert tried(staffed, TILL) == NAMES[Role.CASHIER]


def test_who_comes_in_where_they_are_known_gives_outsiders_no_further_tries(
    staffed: Staffed,
) -> None:
    tried(staffed, TILL)
    for _ in range(2):
        outsiders(staffed, TRIES_MAX - 1)
        tried(staffed, TILL)
    assert tried(staffed, HOME) is Locked


def test_others_at_the_same_address_do_not_keep_out_who_is_known_there(staffed: Staffed) -> None:
    tried(staffed, TILL)
    crowd(staffed, TILL)
    assert tried(staffed, TILL) == NAMES[Role.CASHIER]
    assert tried(staffed, TILL, phone=PHONES[Role.MANAGER]) is Crowded


def test_where_somebody_is_known_their_pin_has_as_few_tries_as_anywhere(
    staffed: Staffed, clock: SteppedClock
) -> None:
    tried(staffed, TILL)
    assert [tried(staffed, TILL, WRONG_PIN) for _ in range(TRIES_MAX)] == [Wrong] * TRIES_MAX
    assert tried(staffed, TILL) is Locked
    clock.advance(seconds=LOCKED_FOR.total_seconds())
    assert tried(staffed, TILL, WRONG_PIN) is Wrong
    assert tried(staffed, TILL) is Locked  # each further wrong one locks again
    clock.advance(seconds=LOCKED_FOR.total_seconds())
    assert tried(staffed, TILL) == NAMES[Role.CASHIER]
    assert tried(staffed, HOME) == NAMES[Role.CASHIER]


def test_an_unlocking_ends_the_lock_at_the_known_place_too_once_a_day(staffed: Staffed) -> None:
    tried(staffed, TILL)
    of, now = staffed.wired.gateway.core.way_back, staffed.wired.clock.now()
    for _ in range(TRIES_MAX):
        tried(staffed, TILL, WRONG_PIN)
    staffed.wired.run(lambda c: of.unlock(c, CASHIER, "cli:test", "she rang", now))
    assert tried(staffed, TILL) == NAMES[Role.CASHIER]
    for _ in range(TRIES_MAX):
        tried(staffed, TILL, WRONG_PIN)
    with pytest.raises(BadInput, match="unlocked within a day already: locked until"):
        staffed.wired.run(lambda c: of.unlock(c, CASHIER, "cli:test", "again", now))


def test_a_new_pin_is_known_only_where_it_was_chosen(staffed: Staffed) -> None:
    tried(staffed, TILL)
    tried(staffed, HOME)
    staffed.wired.gateway.roster.change_pin(CASHIER, PIN, NEW_PIN, place=HOME)
    outsiders(staffed)
    assert tried(staffed, HOME, NEW_PIN) == NAMES[Role.CASHIER]
    assert tried(staffed, TILL, NEW_PIN) is Locked


def test_who_was_let_go_is_known_nowhere(staffed: Staffed) -> None:
    tried(staffed, TILL)
    roster, now = staffed.wired.gateway.roster, staffed.wired.clock.now()
    staffed.wired.run(lambda c: roster.disable(c, CASHIER, "cli:test", "left", now))
    assert tried(staffed, TILL) is Wrong
    staffed.wired.run(lambda c: roster.enable(c, CASHIER, "cli:test", "back", now))
    outsiders(staffed)
    assert tried(staffed, TILL) is Locked


def test_somebody_is_known_at_few_places_and_not_for_ever(
    staffed: Staffed, clock: SteppedClock
) -> None:
    for n in range(KNOWN_MAX + 1):
        tried(staffed, f"203.0.113.{n}")
        clock.advance(seconds=1)
    outsiders(staffed)
    assert tried(staffed, "203.0.113.0") is Locked
    assert tried(staffed, "203.0.113.1") == NAMES[Role.CASHIER]
    clock.advance(seconds=KNOWN_FOR.total_seconds() - 1800)
    assert tried(staffed, "203.0.113.1") == NAMES[Role.CASHIER]
    outsiders(staffed, 1)
    clock.advance(seconds=1800)
    assert tried(staffed, "203.0.113.1") == NAMES[Role.CASHIER]
    assert tried(staffed, "203.0.113.5") is Locked


def test_the_machine_itself_is_a_place_where_operators_are_known(staffed: Staffed) -> None:
    roster, phone = staffed.wired.gateway.roster, PHONES[Role.OPERATOR]
    roster.proved(phone, PIN)
    for n in range(TRIES_MAX):
        tried(staffed, f"192.0.2.{n}", WRONG_PIN, phone)
    assert tried(staffed, HOME, PIN, phone) is Locked
    assert roster.proved(phone, PIN).name == NAMES[Role.OPERATOR]


def test_what_says_nothing_any_more_is_forgotten(staffed: Staffed, clock: SteppedClock) -> None:
    forget = staffed.wired.gateway.chores()["staff_tries_purged"]
    tried(staffed, TILL)
    tried(staffed, ELSEWHERE, WRONG_PIN, NOBODY)
    assert (forget(), rows(staffed)) == (0, 4)  # two places, one member at one, and a phone
    clock.advance(hours=1)
    assert (forget(), rows(staffed)) == (2, 2)
    clock.advance(seconds=KNOWN_FOR.total_seconds() - timedelta(hours=1).total_seconds())
    assert (forget(), rows(staffed)) == (2, 0)
