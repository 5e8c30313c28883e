"""The console's outlets: set up by admins, settled with, counts accepted, and stopped at once."""

from decimal import Decimal

import pytest

from gateway.outlets import manage, store
from gateway.outlets.store import Status
from gateway.people.staff.store import Role
from gateway.withdrawals import store as withdrawals
from tests.end_to_end.leaks import rows_of
from tests.support.clock import SteppedClock
from tests.web.console.shop import BANK, CODE, Shop
from tests.web.staffed import Staffed, Visitor

PATH = f"/console/outlets/{CODE}"


@pytest.fixture
def shop(staffed: Staffed) -> Shop:
    """The outlet."""
    return Shop(staffed)


@pytest.fixture
def admin(staffed: Staffed) -> Visitor:
    """The browser of an admin who is in."""
    return staffed.within(Role.ADMIN)


def hidden(page: str, name: str) -> str:
    """What a hidden field of a page holds."""
    return page.partition(f'name="{name}" value="')[2].partition('"')[0]


def test_an_outlet_and_its_till_are_set_up_once_each_however_often_it_is_clicked(
    staffed: Staffed, admin: Visitor
) -> None:
    assert "There is none yet." in admin.get("/console/outlets").text
    form = {"code": "abj-02", "name": "Wuse <i>Market</i>", "settle_to": BANK, "reason": "new"}
    for _ in range(2):
        made = admin.post("/console/outlets", **form)
        assert made.location == "/console/outlets/ABJ-02?done=outlet-made"
    page = admin.get("/console/outlets/ABJ-02").text
    assert "Wuse &lt;i&gt;Market&lt;/i&gt;" in page
    assert "<i>Market" not in page + admin.get("/console/outlets").text
    after = hidden(page, "after")
    for _ in range(2):
        till = admin.post(
            "/console/outlets/ABJ-02/tills", float_limit="700.00", after=after, reason="new"
        )
        assert till.location == "/console/outlets/ABJ-02/tills/1?done=till-made"
    outlet = staffed.wired.run(lambda c: manage.known(c, "ABJ-02"))
    (made_till,) = staffed.wired.run(lambda c: store.tills_of(c, outlet.id))
    assert made_till.float_limit == Decimal("700.00")
    ada = f"staff:{staffed.member(Role.ADMIN).id}:Ada Min"
    assert staffed.trail("ABJ-02")[0][:2] == (ada, "outlet.create")
    assert staffed.trail("ABJ-02")[0][2].endswith(": new")


# Where it is sent, what is in it, and what is said about it.
REFUSED: tuple[tuple[str, dict[str, str], str], ...] = (
    ("", {"code": "x", "name": "N", "settle_to": "B"}, "An outlet&#39;s code has 2 to 16"),
    ("", {"code": CODE, "name": "N", "settle_to": "B"}, f"There is an outlet {CODE} already."),
    ("", {"code": "NEW", "name": "", "settle_to": "B"}, "An outlet&#39;s name has 1 to 40"),
    ("", {"code": "NEW", "name": "N", "settle_to": ""}, "A bank account has 1 to 64"),
    ("", {"code": "NEW", "name": "N", "settle_to": "B", "reason": ""}, "Say why"),
    (f"/{CODE}/tills", {"float_limit": "0", "after": "2"}, "An amount must be above zero."),
    (f"/{CODE}/tills", {"float_limit": "1e3", "after": "2"}, "An amount reads like 500"),
    (f"/{CODE}/tills", {"float_limit": "10", "after": "1"}, "A till was added meanwhile"),
    (f"/{CODE}/tills", {"float_limit": "10", "after": ""}, "A till was added meanwhile"),
    (f"/{CODE}/settle", {"amount": "0"}, "An amount must be above zero."),
    (f"/{CODE}/settle", {"amount": "5.00", "intent": "wallet:1"}, "This is no settlement"),
    (f"/{CODE}/close", {}, f"Close its tills first: {CODE}/1, {CODE}/2."),
    (f"/{CODE}/unfreeze", {}, f"Outlet {CODE} is open."),
    (f"/{CODE}/tills/1/unfreeze", {}, f"Till {CODE}/1 is open."),
    (f"/{CODE}/tills/1/limit", {"float_limit": "-5"}, "An amount reads like 500"),
    (f"/{CODE}/shifts/99/accept", {}, "There is no such shift."),
)


@pytest.mark.parametrize(("path", "form", "said"), REFUSED)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    shop: Shop, admin: Visitor, path: str, form: dict[str, str], said: str
) -> None:
    url = shop.staffed.wired.gateway.settings.database_url
    admin.form_key()
    before = list(rows_of(url))
    answer = admin.post(f"/console/outlets{path}", **{"reason": "because", **form})
    assert answer.status_code == 422
    assert said in answer.text
    assert list(rows_of(url)) == before


def test_operators_stop_and_settle_and_only_admins_set_up(shop: Shop, operator: Visitor) -> None:
    for path in ("", f"/{CODE}/tills", f"/{CODE}/close", f"/{CODE}/tills/1/limit"):
        assert operator.post(f"/console/outlets{path}", reason="x").status_code == 403
    page = operator.get(PATH).text
    assert "Settle with it" in page
    assert "Freeze it" in page
    assert "Add a till" not in page
    assert "Close it for good" not in page
    assert "Admins set outlets and tills up." in operator.get("/console/outlets").text
    assert "Change its float limit" not in operator.get(f"{PATH}/tills/1").text


def test_a_count_that_differs_is_accepted_by_the_office_and_then_settled(
    shop: Shop, operator: Visitor
) -> None:
    shift = shop.open()
    shop.pay(shift)
    assert "Chika Obi" in operator.get("/console/outlets").text
    shop.count(shift, "5000.00")
    for path in ("/console/outlets", PATH):
        page = operator.get(path).text
        assert "-500.00" in page
        assert "counted" in page
    for _ in range(2):
        done = operator.post(
            f"{PATH}/shifts/{shift.id}/accept", counts="1", reason="no manager is in"
        )
        assert done.location == f"{PATH}?done=count-accepted"
    page = operator.get(PATH).text
    assert "NGN 3,500.00" in page
    intent = hidden(page, "intent")
    ways = {
        operator.post(f"{PATH}/settle", amount="3500.00", intent=intent, reason="weekly").location
        for _ in range(2)
    }
    (way,) = ways
    assert way is not None
    reference = way.removeprefix("/console/withdrawals/").removesuffix("?done=held")
    wired = shop.staffed.wired
    held = wired.run(lambda c: withdrawals.by_reference(c, reference))
    assert held is not None
    assert (held.amount, held.destination) == (Decimal("3500.00"), BANK)
    assert operator.get(way).status_code == 200
    assert "NGN 0.00" in operator.get(PATH).text
    more = operator.post(
        f"{PATH}/settle",
        amount="1.00",
        intent=hidden(operator.get(PATH).text, "intent"),
        reason="x",
    )
    assert more.status_code == 422
    assert wired.breaches() == []


def test_a_count_that_a_manager_accepted_first_is_said(
    shop: Shop, operator: Visitor, admin: Visitor
) -> None:
    shift = shop.open()
    shop.count(shift, "8000.00")
    admin.post(f"{PATH}/shifts/{shift.id}/accept", counts="1", reason="I was first")
    late = operator.post(f"{PATH}/shifts/{shift.id}/accept", counts="1", reason="me too")
    assert late.status_code == 422
    assert "This shift was accepted by staff:" in late.text
    open_one = shop.open()
    early = operator.post(f"{PATH}/shifts/{open_one.id}/accept", counts="0", reason="too early")
    assert "The cash of this shift is not counted yet." in early.text


def test_the_office_counts_where_nobody_else_can_and_accepts_what_it_saw(
    shop: Shop, operator: Visitor, admin: Visitor
) -> None:
    shift = shop.open()
    deed = f"{PATH}/shifts/{shift.id}"
    page = operator.get(PATH).text
    assert "Count the drawer of LAG-01/1" in page
    form = {"counts": hidden(page, "counts"), "reason": "everybody left"}
    assert "An amount reads like" in operator.post(f"{deed}/count", **form, counted="x").text
    for _ in range(2):
        done = operator.post(f"{deed}/count", **form, counted="8000")
        assert done.location == f"{PATH}?done=count-made"
    own = operator.post(f"{deed}/accept", counts="1", reason="mine")
    assert (own.status_code, "somebody else must" in own.text) == (422, True)
    stale = admin.post(f"{deed}/accept", counts="0", reason="not seen")
    assert "counted anew since you looked" in stale.text
    done = admin.post(f"{deed}/accept", counts="1", reason="seen")
    assert done.location == f"{PATH}?done=count-accepted"
    shift = shop.open()
    done = operator.post(f"{PATH}/shifts/{shift.id}/count", **form, counted="9000")
    assert done.location == f"{PATH}?done=count-closed"


def test_an_outlet_and_a_till_are_frozen_and_work_again(shop: Shop, operator: Visitor) -> None:
    for path, stand in ((PATH, shop.outlet), (f"{PATH}/tills/1", shop.till)):
        for form, expected in (("freeze", Status.FROZEN), ("unfreeze", Status.OPEN)):
            for _ in range(2):
                done = operator.post(f"{path}/{form}", reason=f"to {form}")
                kind = "till" if "tills" in path else "outlet"
                assert done.location == f"{path}?done={kind}-{form}"
            assert stand().stand is expected
    assert [line[1] for line in shop.staffed.trail(CODE)][-2:] == [
        "outlet.freeze",
        "outlet.unfreeze",
    ]


def test_a_till_is_limited_and_closed_and_then_its_outlet(shop: Shop, admin: Visitor) -> None:
    for _ in range(2):
        done = admin.post(f"{PATH}/tills/1/limit", float_limit="800.00", reason="less cash")
        assert done.location == f"{PATH}/tills/1?done=till-limit"
    assert shop.till().float_limit == Decimal("800.00")
    assert [line[1] for line in shop.staffed.trail(f"{CODE}/1")].count("till.limit") == 1
    shift = shop.open()
    busy = admin.post(f"{PATH}/tills/1/close", reason="done")
    assert "is Chika Obi&#39;s until its shift is closed" in busy.text
    shop.count(shift, "9000.00")
    for number in (1, 2):
        closed = admin.post(f"{PATH}/tills/{number}/close", reason="done")
        assert closed.location == f"{PATH}/tills/{number}?done=till-close"
    assert admin.post(f"{PATH}/close", reason="done").location == f"{PATH}?done=outlet-close"
    assert "It is closed for good." in admin.get(PATH).text
    assert shop.outlet().stand is Status.CLOSED


def test_what_was_looked_up_and_redeemed_later_by_the_cashier_stands_out(
    shop: Shop, operator: Visitor
) -> None:
    assert "None in the last 30 days." in operator.get(PATH).text
    wired, shift = shop.staffed.wired, shop.open()
    cashier, now = shop.staffed.member(Role.CASHIER), wired.clock.now()
    issued = wired.issue("700.00")
    token = issued.reveal()
    counter = wired.gateway.counter
    wired.run(lambda c: counter.show(c, shift, token, cashier, "counter", now))
    wired.redeem(token, cashier.msisdn)
    page = operator.get(PATH).text
    assert issued.serial in page
    assert "the cashier’s own phone" in page
    assert token not in page


def test_what_its_own_till_has_paid_after_all_stands_out(shop: Shop, clock: SteppedClock) -> None:
    wired, shift = shop.staffed.wired, shop.open()
    cashier, token = shop.staffed.member(Role.CASHIER), wired.issue("700.00").reveal()
    counter = wired.gateway.counter

    def looked_up() -> str:
        now = wired.clock.now()
        shown = wired.run(lambda c: counter.show(c, shift, token, cashier, "counter", now))
        assert shown.payment is not None
        return shown.payment.reference

    looked_up()
    clock.advance(minutes=30)
    reference, now = looked_up(), wired.clock.now()
    wired.run(lambda c: counter.confirm(c, reference, cashier, "", now))
    assert "the same till" in shop.staffed.within(Role.OPERATOR).get(PATH).text


@pytest.mark.parametrize("path", ["NOWHERE", f"{CODE}/tills/9", "NOWHERE/tills/1", "%00"])
def test_what_is_not_there_is_not_there(shop: Shop, admin: Visitor, path: str) -> None:
    assert admin.get(f"/console/outlets/{path}").status_code == 404
    for form in ("freeze", "close"):
        assert admin.post(f"/console/outlets/{path}/{form}", reason="x").status_code == 404
