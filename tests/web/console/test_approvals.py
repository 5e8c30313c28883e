"""Approvals on the console: what waits is said in words, and a second operator decides."""

from decimal import Decimal

import pytest

from gateway.ledger import floats
from gateway.people.staff.store import Role
from gateway.web.console import approvals_words as words
from tests.cli.conftest import CommandLine
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import BELLO, Wired
from tests.web.console.answers import MARKUP, led_to, refusal, text
from tests.web.staffed import NAMES, PHONES, PIN, Staffed, Visitor

ROOT = "/console/approvals"
OWN = "You asked for this yourself: somebody else must approve it."


def asked(staffed: Staffed, role: Role, reference: str = "FT-1", amount: str = "5000.00") -> int:
    """A funding of the house that somebody asks for; its number."""
    wired, member = staffed.wired, staffed.member(role)
    now, funding = wired.clock.now(), wired.gateway.partners.funding
    of = (Decimal(amount), "NGN", reference, now)
    facts = wired.run(lambda c: funding.request(c, "house", *of))
    actor = f"staff:{member.id}:{member.name}"
    approvals = wired.gateway.approvals
    about = ("float.fund", reference, facts, actor, f"paid in {MARKUP}", now)
    return wired.run(lambda c: approvals.ask(c, *about))


def house(wired: Wired) -> Decimal | None:
    """What lies on the house's float."""
    found = wired.run(lambda c: floats.of_house(c, "NGN"))
    return None if found is None else found.balance


def test_what_waits_says_who_asked_why_and_what_exactly_would_be_done(
    staffed: Staffed, operator: Visitor
) -> None:
    number = asked(staffed, Role.ADMIN, "FT-<b>1</b>")
    listed = text(operator.get(ROOT))
    assert "Waiting 1" in listed
    assert f"Fund a float FT-<b>1</b>: paid in {MARKUP}" in listed
    assert "NGN 5,000.00 Ada Min" in listed
    shown = text(operator.get(f"{ROOT}/{number}"))
    would = "Puts NGN 5,000.00 on the float of house, as the bank received it under reference"
    assert f"{would} FT-<b>1</b>." in shown
    assert f"Asked by Ada Min Why paid in {MARKUP} When 2 Mar 2026, 10:00" in shown
    assert "Waits until 9 Mar 2026, 10:00" in shown


def test_a_second_operator_approves_once_however_often_it_is_sent(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    number = asked(staffed, Role.ADMIN)
    path = f"{ROOT}/{number}"
    for _ in range(3):
        answer = operator.post(f"{path}/approve", reason="it is on the bank's page")
        assert led_to(answer) == f"{path}?done=approved"
    assert house(wired) == Decimal("5000.00")
    (line,) = (line for line in staffed.trail("FT-1") if line[1] == "approval.approve")
    assert line[0] == f"staff:{staffed.member(Role.OPERATOR).id}:{NAMES[Role.OPERATOR]}"
    assert line[2].endswith("house funded with NGN 5000.00: it is on the bank's page")
    shown = text(operator.get(f"{path}?done=approved"))
    assert "Approved, and done." in shown
    assert "What was done house funded with NGN 5000.00" in shown
    assert "Nothing any more: it is approved." in shown
    assert f"{path}" in operator.get(f"{ROOT}?show=decided").text
    assert wired.breaches() == []


def test_ones_own_request_says_that_it_cannot_be_approved_and_is_not(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    number = asked(staffed, Role.OPERATOR)
    path = f"{ROOT}/{number}"
    page = operator.get(path)
    assert OWN in text(page)
    assert f"{path}/approve" not in page.text
    assert "Take it back" in text(page)
    answer = operator.post(f"{path}/approve", reason="I am sure")
    assert answer.status_code == 422
    assert OWN in text(answer)
    assert house(wired) is None
    for _ in range(2):
        answer = operator.post(f"{path}/refuse", reason=MARKUP)
        assert led_to(answer) == f"{path}?done=refused"
    assert f"Why not {MARKUP}" in text(operator.get(path))
    late = staffed.within(Role.ADMIN).post(f"{path}/approve", reason="now")
    assert refusal(late) == f"Approval {number} is refused by {actor_of(staffed)}."
    assert house(wired) is None


def actor_of(staffed: Staffed) -> str:
    """How the trail names the operator."""
    return f"staff:{staffed.member(Role.OPERATOR).id}:{NAMES[Role.OPERATOR]}"


@pytest.mark.parametrize("form", ["approve", "refuse"])
def test_a_decision_without_a_reason_comes_back_in_its_form(
    staffed: Staffed, operator: Visitor, wired: Wired, form: str
) -> None:
    number = asked(staffed, Role.ADMIN)
    answer = operator.post(f"{ROOT}/{number}/{form}", reason="  ")
    assert refusal(answer) == "Say why: the reason is blank."
    assert "Waiting 1" in text(operator.get(ROOT))
    assert house(wired) is None


def test_what_cannot_be_done_any_more_goes_on_waiting(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    given = wired.issue()  # the house has money out before its first funding
    first, second = asked(staffed, Role.ADMIN), asked(staffed, Role.ADMIN, "FT-2", "9.00")
    operator.post(f"{ROOT}/{first}/approve", reason="seen")
    funding, now = wired.gateway.partners.funding, wired.clock.now()
    facts = {"owner": "house", "amount": "9.00", "currency": "NGN"}
    wired.run(lambda c: funding.fund(c, "FT-2", facts, now))
    answer = operator.post(f"{ROOT}/{second}/approve", reason="seen")
    assert refusal(answer) == "The reference 'FT-2' has been booked before."
    assert "waiting" in text(answer)
    assert house(wired) == Decimal("5009.00") - given.amount


def test_a_request_about_whoever_looks_is_said_to_be_theirs(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    now, phone = wired.clock.now(), PHONES[Role.OPERATOR]
    about = ("wallet.move", BELLO, {"to": phone, "wallet": "1"}, "cli:root", "hers now", now)
    number = wired.run(lambda c: wired.gateway.approvals.ask(c, *about))
    shown = text(operator.get(f"{ROOT}/{number}"))
    assert f"Gives the wallet of {BELLO} to {phone}, with all its money." in shown
    assert "This is about you: somebody else must approve it." in shown
    assert BELLO not in operator.get(ROOT).text


def test_nothing_waits_longer_than_a_week(staffed: Staffed, clock: SteppedClock) -> None:
    number = asked(staffed, Role.ADMIN)
    clock.advance(days=7)
    operator = staffed.within(Role.OPERATOR)
    assert "Nothing waits for a second operator" in text(operator.get(ROOT))
    assert "expired" in text(operator.get(f"{ROOT}?show=decided"))
    late = operator.post(f"{ROOT}/{number}/approve", reason="at last")
    assert refusal(late) == f"Approval {number} is expired."


def test_every_kind_of_approval_has_its_words(wired: Wired) -> None:
    assert set(words.WORDS) == set(wired.gateway.approvals.kinds)


def test_new_staff_is_let_in_by_a_second_operator(staffed: Staffed, operator: Visitor) -> None:
    phone = "+2348030000021"
    staffed.hire(Role.OPERATOR, "<i>Eve</i>", phone)
    shown = text(operator.get(f"{ROOT}/1"))
    assert f"Lets <i>Eve</i> work as operator, with the phone {phone}." in shown
    answer = operator.post(f"{ROOT}/1/approve", reason="I know her")
    assert led_to(answer) == f"{ROOT}/1?done=approved"
    visitor = staffed.visitor()
    assert led_to(visitor.log_in(phone)) == "/console"
    own = {"phone": phone, "pin": PIN, "new": "6139", "again": "6139"}
    assert led_to(visitor.post("/console/pin", **own)) == "/console"
    assert "&lt;i&gt;Eve&lt;/i&gt;" in visitor.get(ROOT).text


def test_a_request_by_command_is_approved_on_the_page(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    fund = ("house", "fund", "--amount", "70.00", "--reference", "FT-9", "--pin-stdin")
    with captured_log():
        command_line = CommandLine(wired.gateway.parts)
        made = command_line.json(*fund, "--as", PHONES[Role.ADMIN], stdin=PIN + "\n")
    own = staffed.within(Role.ADMIN)
    assert OWN in text(own.get(f"{ROOT}/{made['approval']}"))
    answer = operator.post(f"{ROOT}/{made['approval']}/approve", reason="seen")
    assert led_to(answer).endswith("?done=approved")
    assert house(wired) == Decimal("70.00")
    assert operator.get(f"{ROOT}/99").status_code == 404
    assert operator.post(f"{ROOT}/99/approve", reason="x").status_code == 404
