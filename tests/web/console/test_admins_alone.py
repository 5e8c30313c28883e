"""What the console lets admins alone do, as docs/console.md has it."""

import pytest

from gateway.people.staff.store import Role
from tests.web.console.forms import kept, send
from tests.web.console.shop import CODE, Shop
from tests.web.routes import staff_routes
from tests.web.staffed import Staffed

ADMINS_ALONE = {
    "/console/staff",
    "/console/staff/1/1",  # disable, enable, unlock
    "/console/staff/1/move",
    "/console/staff/1/pin",
    "/console/outlets",
    "/console/outlets/1/close",
    "/console/outlets/1/tills",
    "/console/outlets/1/tills/1/close",
    "/console/outlets/1/tills/1/limit",
}


def test_admins_alone_change_staff_and_set_up_and_close_outlets_and_tills(
    staffed: Staffed,
) -> None:
    forms = [route for route in staff_routes(staffed.wired.app) if route.method == "POST"]
    assert {route.path for route in forms if route.roles == (Role.ADMIN,)} == ADMINS_ALONE


@pytest.mark.parametrize("where", ["", "/tills/1"])
def test_operators_freeze_outlets_and_tills(staffed: Staffed, where: str) -> None:
    shop, one = Shop(staffed), staffed.within(Role.OPERATOR)
    page = f"/console/outlets/{CODE}{where}"
    for word, stand in (("freeze", "frozen"), ("unfreeze", "open")):
        answer = send(one, kept(one, page, f"{page}/{word}"), reason="a theft")
        assert answer.status_code == 303
        of = shop.till() if where else shop.outlet()
        assert of.stand.value == stand
