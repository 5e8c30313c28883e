"""What is typed into a search stands in no address, and a token's digits on no page either."""

import re

import pytest

from gateway.people.staff.store import Role
from tests.support.wired import ADA
from tests.web.staffed import Staffed

SEARCHES = ("tokens", "people", "outbox", "audit", "withdrawals", "disputes", "deposits")
_FORM = re.compile('<form class="search"[^>]*>.*?</form>', re.DOTALL)
_OTHERS = {"day", "csrf"}


@pytest.mark.parametrize("area", SEARCHES)
def test_digits_that_are_typed_into_a_search_stand_nowhere(staffed: Staffed, area: str) -> None:
    one, root = staffed.within(Role.OPERATOR), f"/console/{area}"
    digits = staffed.wired.issue(to=ADA).reveal()
    (form,) = _FORM.findall(one.get(root).text)
    assert 'method="post"' in form
    names = re.findall('name="([a-z]+)"', form)
    for name in {*names} - _OTHERS:
        for entry in (digits, f"{digits[:9]} {digits[9:]}", f"{digits[:9]}-{digits[9:]}"):
            found = one.post(root, **{name: entry})
            assert digits[:9] not in found.headers.get("Location", "")
            assert digits[:9] not in found.text
    assert digits not in one.get(f"{root}?find={digits}").text


def test_digits_that_are_typed_into_a_form_are_not_repeated(staffed: Staffed) -> None:
    one, digits = staffed.within(Role.OPERATOR), staffed.wired.issue(to=ADA).reveal()
    form = {"phone": ADA, "days": "14", "reason": f"she reads {digits}"}
    refused = one.post("/console/disputes/open", subject=digits, **form)
    assert (refused.status_code, digits in refused.text) == (422, False)
    assert digits not in one.get(f"/console/disputes/open?subject={digits}").text


def test_no_page_of_the_console_has_a_search_that_is_not_posted(staffed: Staffed) -> None:
    one, found = staffed.within(Role.ADMIN), []
    for rule in staffed.wired.app.url_map.iter_rules():
        if (
            rule.rule.startswith("/console")
            and "GET" in (rule.methods or ())
            and not rule.arguments
        ):
            page = one.get(rule.rule)
            if re.search('<form[^>]*method="get"', page.text):
                found.append(rule.rule)
    assert found == []
