"""A number that no row can have is no address: on neither engine does it reach the database."""

import re

from gateway.people.staff.store import Role
from gateway.web.numbers import ROW_MAX
from tests.support.wired import Wired
from tests.web.staffed import Staffed

TOO_LARGE = (ROW_MAX + 1, 2**63, 10**400)


def test_no_address_takes_a_number_too_large_for_a_row(wired: Wired) -> None:
    staffed = Staffed(wired)
    visitors = [staffed.within(role) for role in (Role.ADMIN, Role.MANAGER)]
    rules = [rule.rule for rule in wired.app.url_map.iter_rules() if "<int" in rule.rule]
    assert len(rules) > 10
    for rule in rules:
        who = next(visitor for visitor in visitors if rule.startswith(visitor.area))
        for number in TOO_LARGE:
            path = re.sub("<[^>]*>", "x", re.sub("<int[^>]*>", str(number), rule))
            for answer in (who.get(path), who.client.post(path, data={"csrf": who.form_key()})):
                assert answer.status_code in (404, 405), path


def test_the_largest_number_of_a_row_is_an_address_of_nothing(wired: Wired) -> None:
    visitor = Staffed(wired).within(Role.ADMIN)
    for place in ("staff", "approvals", "outbox", "reconciliation"):
        assert visitor.get(f"/console/{place}/{ROW_MAX}").status_code == 404
