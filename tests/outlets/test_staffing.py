"""Where cashiers and managers work, and how they move."""

from functools import partial

import pytest
from sqlalchemy import update

from gateway.errors import BadInput
from gateway.ledger.operate import Deed
from gateway.outlets import manage, staffing
from gateway.outlets.rights import NotAllowed
from gateway.outlets.shifts.store import Shift
from gateway.people.staff.roster import Hire
from gateway.people.staff.store import Member, Role, Status, staff
from tests.outlets.staging import AMA, BIM, BY, Shop
from tests.support.races import race
from tests.support.wired import Wired

RACERS = 6


def hire(shop: Shop, role: Role, outlet: str | None, phone: str = AMA) -> str | None:
    """Take somebody on; where they work."""
    wanted, now = Hire("Ama", phone, role, "no hash", outlet), shop.wired.clock.now()
    roster = shop.wired.gateway.roster
    return shop.wired.run(lambda c: roster.hire(c, wanted, BY, "needed", now)).member.outlet


def move(shop: Shop, outlet: str, phone: str = AMA, why: str = "as agreed") -> Member:
    """Let somebody work elsewhere."""
    deed = Deed(BY, why, shop.wired.clock.now())
    return shop.wired.run(lambda c: staffing.move(c, phone, outlet, deed))


def close(shop: Shop) -> None:
    """Close an outlet and its tills."""
    deed = Deed(BY, "it moved out", shop.wired.clock.now())
    for number in (1, 2):
        name = f"{shop.outlet}/{number}"
        shop.wired.run(partial(manage.close_till, name=name, deed=deed))
    shop.wired.run(lambda c: manage.close_outlet(c, shop.outlet, deed))


@pytest.fixture
def there(wired: Wired, shop: Shop) -> Shop:
    """Another outlet."""
    return Shop(wired, "ABJ-1").open()


@pytest.mark.parametrize("role", [Role.CASHIER, Role.MANAGER])
def test_who_works_at_a_counter_is_taken_on_for_an_outlet_that_there_is(
    shop: Shop, role: Role
) -> None:
    for outlet, words in (("KAN-1", "there is LAG-1"), (None, f"a {role} works at an outlet")):
        with pytest.raises(BadInput, match=words):
            hire(shop, role, outlet)
    assert hire(shop, role, " lag-1 ") == "LAG-1"


def test_an_operator_needs_no_outlet(shop: Shop) -> None:
    assert hire(shop, Role.OPERATOR, None) is None


def test_before_the_first_outlet_nobody_needs_one(wired: Wired) -> None:
    shop = Shop(wired)
    assert hire(shop, Role.CASHIER, None) is None
    assert hire(shop, Role.CASHIER, "LAG-1", BIM) == "LAG-1"


def test_nobody_is_taken_on_for_an_outlet_that_was_closed(shop: Shop, there: Shop) -> None:
    close(there)
    with pytest.raises(BadInput, match="closed for good"):
        hire(shop, Role.CASHIER, "ABJ-1")
    with pytest.raises(BadInput, match=r"there is LAG-1$"):
        hire(shop, Role.CASHIER, "KAN-1")


def test_a_cashier_who_has_moved_opens_a_till_there_and_none_here(shop: Shop, there: Shop) -> None:
    shop.member()
    moved = move(shop, "abj-1")
    assert moved.outlet == "ABJ-1"
    with pytest.raises(NotAllowed):
        shop.shift(moved)
    assert there.shift(moved).till == "ABJ-1/1"
    assert shop.trail("staff.move") == ["LAG-1 to ABJ-1: as agreed"]


def test_a_cashier_is_not_moved_while_they_have_a_till(shop: Shop, there: Shop) -> None:
    shop.shift(cash="500.00")
    with pytest.raises(BadInput, match=r"has till LAG-1/1 open"):
        move(shop, "ABJ-1")
    counted = shop.count("499.00")
    with pytest.raises(BadInput, match="open"):
        move(shop, "ABJ-1")
    shop.accept(counted)
    assert move(shop, "ABJ-1").outlet == "ABJ-1"


def test_who_has_no_outlet_yet_is_given_one(wired: Wired) -> None:
    shop = Shop(wired)
    hire(shop, Role.CASHIER, None)
    shop.open()
    assert move(shop, "LAG-1").outlet == "LAG-1"
    assert shop.trail("staff.move") == ["no outlet to LAG-1: as agreed"]


def test_what_is_no_move_is_refused(shop: Shop, there: Shop) -> None:
    shop.member()
    hire(shop, Role.OPERATOR, None, BIM)
    refusals = (
        ("KAN-1", AMA, "there is ABJ-1, LAG-1"),
        ("LAG-1", AMA, "at LAG-1 already"),
        ("ABJ-1", BIM, "works at no outlet"),
        ("ABJ-1", "+2348039999999", "nobody's of the staff"),
    )
    for outlet, phone, words in refusals:
        with pytest.raises(BadInput, match=words):
            move(shop, outlet, phone)
    with pytest.raises(BadInput, match="say why"):
        move(shop, "ABJ-1", why=" ")
    close(there)
    with pytest.raises(BadInput, match="closed for good"):
        move(shop, "ABJ-1")
    assert shop.member().outlet == "LAG-1"


def test_moving_a_cashier_whose_till_was_looked_for_before_leaves_it_behind(
    shop: Shop, there: Shop
) -> None:
    member = shop.member()
    assert shop.wired.run(lambda c: shop.counter.shift_of(c, member.id)) is None
    shop.shift(member)  # at this moment
    moved = update(staff).where(staff.c.id == member.id).values(outlet="ABJ-1")
    shop.wired.run(lambda c: c.execute(moved).rowcount)
    with pytest.raises(NotAllowed):
        shop.count("500.00", member)


@pytest.mark.parametrize("round_number", range(4))
def test_a_move_and_the_opening_of_a_till_at_once_leave_no_till_behind(
    shop: Shop, there: Shop, round_number: int
) -> None:
    member = shop.member()

    def act(number: int) -> Shift | Member:
        return shop.shift(member) if number % 2 else move(shop, "ABJ-1")

    results = race(RACERS, act)
    assert all(isinstance(one, (Shift, Member, BadInput)) for one in results)
    shift = shop.wired.run(lambda c: shop.counter.shift_of(c, member.id))
    assert (shift is None) == (shop.member().outlet == "ABJ-1")
    assert shop.member().status == Status.ACTIVE
