"""6 Cashier asks for a PIN of one's own first: whoever set it could pay on the page meanwhile."""

import pytest
from sqlalchemy import select, update

from gateway.outlets.payments.store import payments
from gateway.people.staff.store import Role, staff
from tests.menus.paying import opened
from tests.outlets.staging import AMA, MUSA, Shop
from tests.support.wired import Wired

ASKS = (
    "END Somebody else has set your PIN. Choose your own first: Change PIN, on the counter's page."
)


def set_by(shop: Shop, phone: str, by: str) -> None:
    """Let somebody have set the PIN of whoever has this phone."""
    changed = update(staff).where(staff.c.msisdn == phone).values(pin_set_by=by)
    shop.wired.run(lambda c: c.execute(changed).rowcount)


@pytest.mark.parametrize(("phone", "role"), [(AMA, Role.CASHIER), (MUSA, Role.MANAGER)])
def test_who_has_a_pin_that_another_set_is_asked_to_choose_their_own(
    wired: Wired, phone: str, role: Role
) -> None:
    shop = Shop(wired).open()
    shop.shift(shop.member(phone, role))
    set_by(shop, phone, "cli:ops")
    assert wired.dial(phone).send("6") == ASKS
    digits = wired.issue().reveal()
    for dialled in ("6", "6*6", "6*2", f"6*1*{digits}", f"6*1*{digits}*1"):
        assert wired.dial(phone, text=dialled).body == ASKS
    assert wired.run(lambda c: c.execute(select(payments)).all()) == []


def test_who_has_chosen_it_pays_as_ever(wired: Wired) -> None:
    shop = opened(wired)
    set_by(shop, AMA, f"staff:{shop.member().id}:Ama")
    assert wired.dial(AMA).send("6").startswith("CON Cashier LAG-1/1")
