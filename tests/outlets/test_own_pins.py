"""Counts are made and accepted by two people: a PIN that somebody else knows proves neither."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.ledger.operate import Deed
from gateway.outlets.shifts.store import Shift, State
from gateway.people.staff import store
from gateway.people.staff.hands import actor_of
from gateway.people.staff.store import Member, Role, Status
from tests.outlets.staging import Shop, naira

ADA, PUPPET = "+2348030000061", "+2348030000062"


def operators(shop: Shop) -> tuple[Member, Member]:
    """An operator, and another one whose PIN they have set."""
    now = shop.wired.clock.now()

    def work(connection: Connection) -> tuple[Member, ...]:
        by = "staff:1:Somebody"
        for phone in (ADA, PUPPET):
            named = (f"Person {phone[-2:]}", phone, Role.OPERATOR, "no hash", Status.ACTIVE)
            row = store.add(connection, *named, None, by, None, now)
            by = f"staff:{row}:{named[0]}"
            if phone == ADA:
                store.set_pin(connection, row, "no hash", "no hash", by)
        found = [store.by_msisdn(connection, phone) for phone in (ADA, PUPPET)]
        return tuple(one for one in found if one)

    ada, puppet = shop.wired.run(work)
    return ada, puppet


@pytest.fixture(params=["counted by", "accepted by"])
def pair(request: pytest.FixtureRequest, shop: Shop) -> tuple[Member, Member]:
    """Who counts and who accepts: one person in both cases."""
    ada, puppet = operators(shop)
    return (puppet, ada) if request.param == "counted by" else (ada, puppet)


def test_nobody_counts_and_accepts_in_the_name_of_whose_pin_they_have_set(
    shop: Shop, pair: tuple[Member, Member]
) -> None:
    shift, now = shop.shift(cash="500.00"), shop.wired.clock.now()
    counter, accepter = (Deed(actor_of(one), "left", now) for one in pair)

    def both() -> None:
        cash = naira("1.00")
        shop.keyed(lambda c: shop.counter.count_from_office(c, shift.id, cash, 0, counter))
        shop.keyed(lambda c: shop.counter.accept_from_office(c, shift.id, 1, accepter))

    with pytest.raises(BadInput, match="your PIN was set by somebody else"):
        both()
    assert shop.stand(shift).state != State.CLOSED


def decisions(shop: Shop, shift: Shift) -> list[Callable[[Member], object]]:
    """What a manager decides about a count."""
    cash = naira("1.00")
    return [
        lambda one: shop.accept(shift, one),
        lambda one: shop.send_back(shift, one),
        lambda one: shop.keyed(
            lambda c: shop.counter.count_for(
                c, shift.id, one, cash, shift.counts, "left", shop.wired.clock.now()
            )
        ),
    ]


def test_a_manager_whose_pin_somebody_else_has_set_decides_about_no_count(shop: Shop) -> None:
    shop.shift(cash="500.00")
    counted, manager = shop.count("495.00"), shop.manager()
    shop.wired.run(lambda c: store.set_pin(c, manager.id, "no hash", "no hash", "staff:99:Other"))
    for decide in decisions(shop, counted):
        with pytest.raises(BadInput, match="a PIN of their own first"):
            decide(manager)
    assert shop.stand(counted).state == State.COUNTED
