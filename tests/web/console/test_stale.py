"""A console form from a page that is out of date says so instead of acting (docs/console.md)."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from gateway.ledger import wallets
from gateway.partners import store as partners
from gateway.people.staff.store import Role
from gateway.switches import store as switches
from gateway.web.console.doing import STALE
from gateway.web.pages.answers import sentence
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import funded, wallet
from tests.web.console.answers import led_to, refusal
from tests.web.console.forms import kept, send
from tests.web.console.shop import CODE, Shop
from tests.web.staffed import NAMES, Staffed, Visitor, words

SAID = sentence(STALE)
PERSON = f"/console/people?phone=%2B{ADA[1:]}"


@dataclass
class Toggle:
    """A page, the two forms that undo each other, and how the subject stands."""

    page: str
    on: str
    off: str
    stands: Callable[[], object]


def _wallet(wired: Wired, staffed: Staffed) -> Toggle:
    wallet(wired, ADA, "100.00")

    def stands() -> object:
        found = wired.run(lambda c: wallets.find(c, ADA, "NGN"))
        return found and found.status

    return Toggle(PERSON, "/console/people/freeze", "/console/people/unfreeze", stands)


def _token(wired: Wired, staffed: Staffed) -> Toggle:
    serial = wired.issue(to=ADA).serial
    page = f"/console/tokens/{serial}"
    return Toggle(page, f"{page}/suspend", f"{page}/resume", lambda: wired.token(serial).status)


def _switch(wired: Wired, staffed: Staffed) -> Toggle:
    page = "/console/switches"
    way = f"{page}/redeem"
    return Toggle(page, f"{way}/pause", f"{way}/resume", lambda: wired.run(switches.paused))


def _member(wired: Wired, staffed: Staffed) -> Toggle:
    page = f"/console/staff/{staffed.member(Role.CASHIER).id}"
    stands = lambda: staffed.member(Role.CASHIER).status  # noqa: E731 - one word
    return Toggle(page, f"{page}/disable", f"{page}/enable", stands)


def _partner(wired: Wired, staffed: Staffed) -> Toggle:
    form = {"name": "Acme", "code": "acme", "reason": "new"}
    led_to(staffed.within(Role.OPERATOR).post("/console/partners", **form))
    page = "/console/partners/acme"

    def stands() -> object:
        found = wired.run(lambda c: partners.by_code(c, "acme"))
        return found and found.status

    return Toggle(page, f"{page}/suspend", f"{page}/resume", stands)


def _outlet(wired: Wired, staffed: Staffed) -> Toggle:
    shop, page = Shop(staffed), f"/console/outlets/{CODE}"
    return Toggle(page, f"{page}/freeze", f"{page}/unfreeze", lambda: shop.outlet().stand)


def _till(wired: Wired, staffed: Staffed) -> Toggle:
    shop, page = Shop(staffed), f"/console/outlets/{CODE}/tills/1"
    return Toggle(page, f"{page}/freeze", f"{page}/unfreeze", lambda: shop.till().stand)


@pytest.mark.parametrize("of", [_wallet, _token, _switch, _member, _partner, _outlet, _till])
def test_what_was_stopped_anew_is_not_let_go_by_a_form_about_the_stop_before(
    wired: Wired,
    staffed: Staffed,
    clock: SteppedClock,
    of: Callable[[Wired, Staffed], Toggle],
) -> None:
    it = of(wired, staffed)
    one, two = staffed.within(Role.ADMIN), staffed.within(Role.ADMIN)

    def do(visitor: Visitor, form: str, reason: str) -> None:
        clock.advance(minutes=1)
        led_to(send(visitor, kept(visitor, it.page, form), reason=reason))

    do(two, it.on, "a drill")
    old = kept(one, it.page, it.off)  # the tab stays open
    do(two, it.off, "it is over")
    do(two, it.on, "fraud: police")
    stopped = it.stands()
    assert refusal(send(one, old, reason="it is over")) == SAID
    assert it.stands() == stopped
    fresh = kept(one, it.page, it.off)
    for _ in range(2):  # and a second click on it is answered as the first
        assert "done=" in led_to(send(one, fresh, reason="they are back"))
    assert it.stands() != stopped


@pytest.mark.parametrize("of", [_wallet, _token, _switch, _member, _partner, _outlet, _till])
def test_the_way_back_to_an_own_sent_form_stops_nothing_anew(
    wired: Wired,
    staffed: Staffed,
    clock: SteppedClock,
    of: Callable[[Wired, Staffed], Toggle],
) -> None:
    it, one = of(wired, staffed), staffed.within(Role.ADMIN)
    running = it.stands()
    old = kept(one, it.page, it.on)
    led_to(send(one, old, reason="a drill"))
    clock.advance(seconds=1)
    led_to(send(one, kept(one, it.page, it.off), reason="it is over"))
    clock.advance(seconds=1)
    assert refusal(send(one, old, reason="a drill")) == SAID
    assert it.stands() == running


def test_a_form_that_does_not_say_what_its_page_knew_does_nothing(
    wired: Wired, staffed: Staffed
) -> None:
    it, one = _wallet(wired, staffed), staffed.within(Role.OPERATOR)
    action, fields = kept(one, it.page, it.on)
    for seen in ("", "-1", "x", "9" * 30):
        assert refusal(send(one, (action, fields), seen=seen, reason="SIM lost")) == SAID
    assert it.stands() == "active"


def test_a_limit_that_was_lowered_is_not_raised_by_the_form_before(
    staffed: Staffed, clock: SteppedClock
) -> None:
    shop, one = Shop(staffed), staffed.within(Role.ADMIN)
    page = f"/console/outlets/{CODE}/tills/1"
    old = kept(one, page, f"{page}/limit")
    high = {"float_limit": "90000.00", "reason": "market day"}
    for _ in range(2):
        led_to(send(one, old, **high))
    clock.advance(minutes=1)
    low = {"float_limit": "100.00", "reason": "robbed"}
    led_to(send(one, kept(one, page, f"{page}/limit"), **low))
    assert refusal(send(one, old, **high)) == SAID
    assert str(shop.till().float_limit) == "100.00"


def test_a_member_who_was_moved_back_is_not_moved_by_the_form_before(
    staffed: Staffed, clock: SteppedClock
) -> None:
    Shop(staffed)
    one = staffed.within(Role.ADMIN)
    facts = {"code": "ABJ-02", "name": "Wuse", "settle_to": "GTB 2", "reason": "new"}
    led_to(one.post("/console/outlets", **facts))
    page = f"/console/staff/{staffed.member(Role.CASHIER).id}"
    old = kept(one, page, f"{page}/move")
    led_to(send(one, old, outlet="ABJ-02", reason="to help"))
    clock.advance(minutes=1)
    led_to(send(one, kept(one, page, f"{page}/move"), outlet=CODE, reason="is back"))
    assert refusal(send(one, old, outlet="ABJ-02", reason="to help")) == SAID
    assert staffed.member(Role.CASHIER).outlet == CODE


def test_a_dispute_that_was_rejected_is_not_opened_anew_by_its_form(
    wired: Wired, staffed: Staffed
) -> None:
    wallet(wired, ADA, "100.00")
    serial = funded(wired, ADA, "100.00", recipient=BELLO).serial
    one = staffed.within(Role.OPERATOR)
    old = kept(one, f"/console/disputes/open?subject={serial}", "/console/disputes/open")
    fields = {"subject": serial, "phone": ADA, "days": "14", "reason": "not hers"}
    first = led_to(send(one, old, **fields))
    assert led_to(send(one, old, **fields)) == first
    later = refusal(send(one, old, **{**fields, "days": "20"}))
    assert later == SAID
    way = first.partition("?")[0]
    led_to(send(one, kept(one, way, f"{way}/reject"), reason="it was hers"))
    assert refusal(send(one, old, **fields)) == SAID
    assert wired.token(serial).status == "issued"


def test_an_owner_verified_before_a_new_doubt_is_not_verified_by_the_old_form(
    wired: Wired, staffed: Staffed
) -> None:
    wallet(wired, ADA, "100.00")
    wired.set_pin(phone=ADA)
    one, two = staffed.within(Role.OPERATOR), staffed.within(Role.ADMIN)
    old = kept(one, PERSON, "/console/people/verify")
    led_to(send(one, old, reason="showed her passport"))
    led_to(send(one, kept(one, PERSON, "/console/people/pin"), reason="says she forgot it"))
    led_to(two.post("/console/approvals/1/approve", reason="fine"))
    assert "not verified" in words(one.get(PERSON))
    assert refusal(send(one, old, reason="showed her passport")) == SAID
    assert "not verified" in words(one.get(PERSON))


def test_two_clicks_of_two_people_on_one_state_do_it_once(wired: Wired, staffed: Staffed) -> None:
    it = _wallet(wired, staffed)
    one, two = staffed.within(Role.OPERATOR), staffed.within(Role.ADMIN)
    pages = [(who, kept(who, it.page, it.on)) for who in (one, two)]
    led_to(send(*pages[0], reason="SIM lost"))
    assert refusal(send(*pages[1], reason="SIM lost")) == SAID
    actors = [actor for actor, action, _ in staffed.trail(ADA) if action == "wallet.freeze"]
    assert [actor.rpartition(":")[2] for actor in actors] == [NAMES[Role.OPERATOR]]
