"""Sessions: they begin anew at each login, and end by themselves, by hand and by order."""

import pytest

from gateway.errors import BadInput
from gateway.people.staff import store, way_back
from gateway.people.staff.proofs import store as proofs
from gateway.people.staff.sessions.sessions import AGE_MAX, IDLE_MAX
from gateway.people.staff.store import Role, staff
from tests.end_to_end.leaks import rows_of
from tests.support.clock import SteppedClock
from tests.web.staffed import PHONES, PIN, Staffed, Visitor

HOME = "/console"


def is_in(visitor: Visitor) -> bool:
    """Whether the area's first page is shown; else it is the login."""
    answer = visitor.get(visitor.area)
    assert answer.status_code in (200, 303)
    return answer.status_code == 200


def test_a_cookie_that_was_planted_before_the_login_is_worth_nothing_after_it(
    staffed: Staffed,
) -> None:
    thief, victim = staffed.visitor(), staffed.visitor()
    planted = staffed.wired.gateway.door().sessions.new_value()
    thief.cookie = victim.cookie = planted
    assert victim.log_in(PHONES[Role.OPERATOR]).status_code == 303
    assert victim.cookie != planted
    assert is_in(victim)
    assert not is_in(thief)


def test_a_value_that_we_never_gave_out_is_replaced_at_once(staffed: Staffed) -> None:
    for chosen in (
        "admin",
        "x" * 43 + "!",
        "1",
        "../../etc",
        "é" * 43,
        "A" * 43,
        f"{'A' * 43}.{'0' * 32}",
    ):
        visitor = staffed.visitor()
        visitor.cookie = chosen
        visitor.get("/console/login")
        assert visitor.cookie != chosen


def test_each_login_has_a_value_of_its_own_and_ends_the_session_before_it(
    staffed: Staffed,
) -> None:
    visitor, before = staffed.within(Role.OPERATOR), staffed.visitor()
    before.cookie = visitor.cookie
    assert is_in(before)
    visitor.log_in(PHONES[Role.ADMIN])
    assert is_in(visitor)
    assert not is_in(before)


def test_a_session_ends_after_half_an_hour_without_a_page(
    staffed: Staffed, clock: SteppedClock
) -> None:
    visitor = staffed.within(Role.OPERATOR)
    clock.advance(seconds=IDLE_MAX.total_seconds() - 1)
    assert is_in(visitor)
    clock.advance(seconds=IDLE_MAX.total_seconds() - 1)
    assert is_in(visitor)
    clock.advance(seconds=IDLE_MAX.total_seconds())
    assert not is_in(visitor)


def test_a_session_in_use_all_the_time_ends_after_twelve_hours(
    staffed: Staffed, clock: SteppedClock
) -> None:
    visitor = staffed.within(Role.OPERATOR)
    began = clock.now()
    while clock.now() - began < AGE_MAX:
        assert is_in(visitor)
        clock.advance(minutes=20)
    assert not is_in(visitor)


def test_logging_out_ends_it_for_a_copied_cookie_too(staffed: Staffed) -> None:
    visitor, copy = staffed.within(Role.OPERATOR), staffed.visitor()
    copy.cookie = visitor.cookie
    assert is_in(copy)
    answer = visitor.post("/console/logout")
    assert (answer.status_code, answer.location) == (303, "/console/login")
    assert visitor.cookie == ""
    assert not is_in(copy)


def test_logging_out_leaves_the_other_browsers_of_the_same_person(staffed: Staffed) -> None:
    one, other = staffed.within(Role.OPERATOR), staffed.within(Role.OPERATOR)
    one.post("/console/logout")
    assert is_in(other)


def test_who_is_disabled_is_out_at_once_and_being_enabled_is_no_way_back_in(
    staffed: Staffed,
) -> None:
    visitor = staffed.within(Role.CASHIER)
    assert is_in(visitor)
    roster, now, phone = staffed.wired.gateway.roster, staffed.wired.clock.now(), PHONES
    of = phone[Role.CASHIER]
    staffed.wired.run(lambda c: roster.disable(c, of, "cli:test", "left", now))
    assert not is_in(visitor)
    staffed.wired.run(lambda c: roster.enable(c, of, "cli:test", "came back", now))
    assert not is_in(visitor)
    assert visitor.log_in(of).status_code == 303


def test_whoever_knew_the_old_pin_is_out_once_it_is_changed(staffed: Staffed) -> None:
    accomplice, phone = staffed.within(Role.OPERATOR), PHONES[Role.OPERATOR]
    owner = staffed.visitor()
    changed = owner.post("/console/pin", phone=phone, pin="7391", new="6139", again="6139")
    assert changed.status_code == 303
    assert is_in(owner)
    assert not is_in(accomplice)


def test_a_role_is_asked_for_at_each_page(staffed: Staffed) -> None:
    visitor = staffed.within(Role.OPERATOR)
    assert is_in(visitor)
    row = staffed.member(Role.OPERATOR).id
    staffed.wired.run(
        lambda c: c.execute(staff.update().where(staff.c.id == row).values(role="cashier"))
    )
    assert visitor.get(HOME).status_code == 403
    assert visitor.get("/counter").status_code == 200


def test_a_pin_for_once_ends_the_session_too(staffed: Staffed) -> None:
    visitor, row = staffed.within(Role.OPERATOR), staffed.member(Role.OPERATOR).id
    staffed.wired.run(lambda c: store.propose_pin(c, row, staffed.pin_hash))
    now = staffed.wired.clock.now()
    staffed.wired.run(lambda c: store.renew_pin(c, row, "cli:test", now))
    assert not is_in(visitor)


def test_what_the_database_keeps_of_a_session_lets_nobody_in(staffed: Staffed) -> None:
    visitor = staffed.within(Role.OPERATOR)
    url = staffed.wired.gateway.settings.database_url
    kept = [text for place, text in rows_of(url) if place.startswith("staff_sessions.")]
    assert kept
    assert not any(visitor.cookie in text for text in kept)


def test_what_an_old_pin_had_proved_begins_no_session(staffed: Staffed) -> None:
    phone, wired = PHONES[Role.CASHIER], staffed.wired
    roster, sessions = wired.gateway.roster, wired.gateway.door().sessions
    thief = roster.entrance.entered(phone, PIN)
    owner = roster.change_pin(phone, PIN, "8264")
    with pytest.raises(BadInput, match="the PIN was changed meanwhile"):
        wired.run(lambda c: sessions.begin(c, thief, wired.clock.now()))
    assert wired.run(lambda c: sessions.begin(c, owner, wired.clock.now()))


def test_a_pin_that_is_set_anew_ends_the_sessions_of_the_old_one(staffed: Staffed) -> None:
    wired, phone = staffed.wired, PHONES[Role.OPERATOR]
    visitor, hashed = staffed.within(Role.OPERATOR), wired.gateway.roster.hashed("5028", phone)
    now, by = wired.clock.now(), f"staff:{staffed.member(Role.ADMIN).id}:x"
    wired.run(lambda c: store.propose_pin(c, staffed.member(Role.OPERATOR).id, hashed))
    wired.run(lambda c: way_back.renew(c, phone, by, now))
    wired.gateway.roster.change_pin(phone, "5028", "6139")
    assert not is_in(visitor)


def test_a_disabled_manager_takes_nothing_back_with_what_was_proved_before(
    staffed: Staffed,
) -> None:
    wired = staffed.wired
    proved = wired.gateway.roster.entrance.entered(PHONES[Role.MANAGER], PIN)
    disable, now = wired.gateway.roster.disable, wired.clock.now()
    wired.run(lambda c: proofs.insist_unchanged(c, proved))
    wired.run(lambda c: disable(c, PHONES[Role.MANAGER], "cli:test", "gone", now))
    with pytest.raises(BadInput, match="changed meanwhile"):
        wired.run(lambda c: proofs.insist_unchanged(c, proved))
