"""The console's audit trail: searched by what people know, and shown as it was written."""

import pytest

from gateway.audit import trail
from gateway.people.staff.store import Role
from tests.support.clock import SteppedClock
from tests.web.staffed import PHONES, Staffed, Visitor, source

PHONE = "+2348030000001"
MARKUP = '<b>stolen</b> & sold "it\'s"'


def write(staffed: Staffed, actor: str, action: str, subject: str, reason: str = "") -> None:
    """A line of now."""
    now = staffed.wired.clock.now()
    staffed.wired.run(lambda c: trail.record(c, actor, action, subject, now, reason))


@pytest.fixture
def busy(staffed: Staffed, clock: SteppedClock) -> Staffed:
    """A trail of three days."""
    ope = f"staff:{staffed.member(Role.OPERATOR).id}:Ope Ade"
    write(staffed, ope, "wallet.freeze", PHONE, MARKUP)
    clock.advance(days=1)
    write(staffed, "cli:root", "token.suspend", "K7M29QXD", "she asked for it")
    clock.advance(days=1)
    write(staffed, PHONE, "pin.set", PHONE)
    return staffed


def shown(staffed: Staffed, query: str) -> tuple[int, set[str]]:
    """The status, and which of the three lines are on the page."""
    answer = staffed.within(Role.OPERATOR).get(f"/console/audit{query}")
    actions = {"wallet.freeze", "token.suspend", "pin.set"}
    return answer.status_code, {action for action in actions if action in answer.text}


# What is asked for, and what is found.
SEARCHES: tuple[tuple[str, set[str]], ...] = (
    ("", {"wallet.freeze", "token.suspend", "pin.set"}),
    ("?subject=&actor=&day=", {"wallet.freeze", "token.suspend", "pin.set"}),
    (f"?subject=%2B{PHONE[1:]}", {"wallet.freeze", "pin.set"}),
    ("?subject=0803+000+0001", {"wallet.freeze", "pin.set"}),
    ("?subject=k7m29qxd", {"token.suspend"}),
    ("?actor=Ope+Ade", {"wallet.freeze"}),
    ("?actor=ope+ade", {"wallet.freeze"}),
    ("?actor=0803+000+0013", {"wallet.freeze"}),
    ("?actor=cli:root", {"token.suspend"}),
    ("?actor=0803+000+0001", {"pin.set"}),
    ("?day=2026-03-03", {"token.suspend"}),
    ("?day=2026-03-02&actor=cli:root", set()),
    ("?subject=0803+000+0001&day=2026-03-04", {"pin.set"}),
    ("?subject=nobody", set()),
    ("?from=1", set()),
    ("?from=x", {"wallet.freeze", "token.suspend", "pin.set"}),
)


@pytest.mark.parametrize(("query", "expected"), SEARCHES)
def test_each_search_finds_its_lines(busy: Staffed, query: str, expected: set[str]) -> None:
    assert shown(busy, query) == (200, expected)


@pytest.mark.parametrize("day", ["2026-13-01", "yesterday", "9999-12-31", "0001-01-01", "\x00"])
def test_a_day_that_is_none_is_said_and_finds_nothing(busy: Staffed, day: str) -> None:
    answer = busy.within(Role.OPERATOR).client.get("/console/audit", query_string={"day": day})
    assert answer.status_code in (200, 422)
    assert "wallet.freeze" not in answer.text
    assert (answer.status_code == 422) == ("A day is written like 2026-03-02." in answer.text)


def test_words_are_shown_as_they_were_written_and_run_as_nothing(busy: Staffed) -> None:
    text = busy.within(Role.ADMIN).get("/console/audit").text
    assert "&lt;b&gt;stolen&lt;/b&gt; &amp; sold" in text
    assert "<b>stolen" not in text
    assert "2 Mar 2026, 10:00" in text  # in Lagos
    assert "Times are those of Africa/Lagos." in text


def test_long_lists_are_read_page_by_page(busy: Staffed, operator: Visitor) -> None:
    for n in range(60):
        write(busy, "cli:root", f"deed.{n}.", "S")
    first = operator.get("/console/audit?subject=S").text
    assert ("deed.59." in first, "deed.10." in first, "deed.9." in first) == (True, True, False)
    further = first.partition('">Next page')[0].rpartition('href="')[2].replace("&amp;", "&")
    rest = operator.get(further).text
    assert ("deed.9." in rest, "deed.0." in rest, "deed.10." in rest) == (True, True, False)
    assert "First page" in rest


def test_what_the_staff_do_with_themselves_is_in_it(staffed: Staffed) -> None:
    visitor = staffed.within(Role.ADMIN)
    phone = PHONES[Role.CASHIER]
    assert "staff.create" in visitor.get(f"/console/audit?subject=%2B{phone[1:]}").text


def test_the_search_leads_to_an_address_that_can_be_shared(
    busy: Staffed, operator: Visitor
) -> None:
    answer = operator.post("/console/audit", subject="0803 000 0001", day="2026-03-02")
    assert answer.status_code == 303
    assert answer.location == "/console/audit?subject=%2B2348030000001&day=2026-03-02"
    assert "wallet.freeze" in operator.get(answer.location).text
    assert operator.post("/console/audit").location == "/console/audit"
    assert busy.trail("nothing") == []


@pytest.mark.parametrize("name", ["subject", "actor"])
def test_a_tokens_digits_are_kept_in_no_address_and_no_page(operator: Visitor, name: str) -> None:
    answer = operator.post("/console/audit", **{name: "9021 0000 0000 000014"})
    assert answer.status_code == 422
    assert "Digits of a token are not searched: use its serial." in answer.text
    assert "000014" not in source(answer)
