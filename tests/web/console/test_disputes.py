"""Disputes on the console: the nearest deadline first, opened and ended once."""

import pytest

from gateway.people.staff.store import Role
from tests.disputes.staging import Office, redeemed
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import funded, wallet
from tests.web.console.answers import MARKUP, led_to, refusal, text
from tests.web.staffed import Staffed, Visitor
from tests.withdrawals.staging import Desk, Payer, naira

ROOT = "/console/disputes"


@pytest.fixture
def office(wired: Wired) -> Office:
    """Where disputes are opened by command."""
    return Office(wired, Desk(wired, Payer(phone_prefixes=("+254",))))


def opened(operator: Visitor, subject: str, **changes: str) -> str:
    """Open one on the page; its reference."""
    form = {"subject": subject, "phone": ADA, "days": "14", "reason": "not hers", **changes}
    way = led_to(operator.post(f"{ROOT}/open", **form))
    assert way.endswith("?done=opened")
    return way.removeprefix(f"{ROOT}/").partition("?")[0]


def live(wired: Wired, amount: str = "100.00") -> str:
    """The serial of a live token that Ada has paid for."""
    wallet(wired, ADA, amount)
    return funded(wired, ADA, amount, recipient=BELLO).serial


def test_the_nearest_deadline_comes_first_and_the_overdue_are_marked(
    staffed: Staffed, office: Office, wired: Wired, clock: SteppedClock
) -> None:
    late, later, last = (
        office.open(live(wired, f"{days}.00"), days=days).reference for days in (1, 5, 14)
    )
    clock.advance(days=3)
    shown = text(staffed.within(Role.OPERATOR).get(ROOT))
    places = [shown.index(reference) for reference in (late, later, last)]
    assert places == sorted(places)
    assert "One dispute is beyond its deadline." in shown
    assert "Open 3" in shown
    assert "3 Mar 2026 overdue by 1 day open overdue" in shown
    assert "7 Mar 2026 in 2 days open" in shown
    assert shown.count("overdue") == 2
    assert ADA not in shown


def test_a_list_is_read_page_by_page(operator: Visitor, office: Office, wired: Wired) -> None:
    wallet(wired, ADA, "52.00")
    serials = [funded(wired, ADA, "1.00", recipient=BELLO).serial for _ in range(52)]
    made = [office.open(name, days=1 + n % 3).reference for n, name in enumerate(serials)]
    first = operator.get(ROOT).text
    way = first.partition(">Next page")[0].rpartition('href="')[2].rstrip('"')
    second = operator.get(way.replace("&amp;", "&")).text
    on_first = {name for name in made if f">{name}<" in first}
    on_second = {name for name in made if f">{name}<" in second}
    assert (len(on_first), len(on_second), on_first & on_second) == (50, 2, set())
    assert on_second == {made[47], made[50]}  # those of the farthest day that were opened last


def test_a_dispute_is_opened_once_however_often_it_is_sent(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    serial = live(wired)
    first = opened(operator, serial.lower(), reason=MARKUP)
    assert opened(operator, serial.lower(), reason=MARKUP) == first
    assert wired.token(serial).status == "suspended"
    shown = text(operator.get(f"{ROOT}/{first}?done=opened"))
    assert "Opened. The customer is told by SMS." in shown
    assert f"dispute.open Ope Ade {MARKUP}" in shown
    assert f"About a live token {serial} Complains {ADA}" in shown
    assert [line[1] for line in staffed.trail(first)] == ["dispute.open"]
    form = {"subject": serial, "phone": BELLO, "days": "3", "reason": "his"}
    assert refusal(operator.post(f"{ROOT}/open", **form)) == f"Dispute {first} about it is open."


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"subject": MARKUP}, "There is no token and no withdrawal that is called so."),
        ({"subject": ""}, "There is no token and no withdrawal that is called so."),
        ({"phone": "0803"}, "Not a phone number."),
        ({"days": "0"}, "The deadline lies 1 to 365 days ahead."),
        ({"days": "٣"}, "The deadline lies 1 to 365 days ahead."),
        ({"days": "9" * 30}, "The deadline lies 1 to 365 days ahead."),
        ({"reason": ""}, "Say why: the reason is blank."),
    ],
)
def test_a_refused_complaint_comes_back_in_its_form(
    operator: Visitor, wired: Wired, changes: dict[str, str], said: str
) -> None:
    serial = live(wired)
    form = {"subject": serial, "phone": ADA, "days": "14", "reason": "not hers", **changes}
    answer = operator.post(f"{ROOT}/open", **form)
    assert refusal(answer) == said
    assert MARKUP not in answer.text
    assert wired.token(serial).status == "issued"


def test_a_dispute_is_released_once_and_its_token_goes_on(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    serial = live(wired)
    path = f"{ROOT}/{opened(operator, serial)}"
    for _ in range(2):
        answer = operator.post(f"{path}/release", reason="she has found it")
        assert led_to(answer) == f"{path}?done=ended"
    assert wired.token(serial).status == "issued"
    late = staffed.within(Role.ADMIN).post(f"{path}/reject", reason="no")
    assert refusal(late) == "The dispute is released."
    shown = text(operator.get(path))
    assert "released" in shown
    assert "by Ope Ade" in shown
    assert "What you can do Nothing any more: it is released." in shown
    assert path in operator.get(f"{ROOT}?show=resolved").text
    assert wired.breaches() == []


def test_a_complaint_is_turned_down_on_the_page(operator: Visitor, wired: Wired) -> None:
    path = f"{ROOT}/{opened(operator, redeemed(wired))}"
    page = operator.get(path)
    assert f"{path}/release" not in page.text  # what is done cannot be released
    said = refusal(operator.post(f"{path}/release", reason="let go"))
    assert said == "A dispute about a redemption cannot be released."
    for _ in range(2):
        assert led_to(operator.post(f"{path}/reject", reason="it was her")) == f"{path}?done=ended"
    assert wired.breaches() == []


def test_a_refund_is_asked_for_once_and_a_second_operator_does_it(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    path = f"{ROOT}/{opened(operator, redeemed(wired))}"
    form = {"amount": "40", "source": "owner", "reason": "half of it"}
    for _ in range(2):
        assert led_to(operator.post(f"{path}/refund", **form)) == f"{path}?done=asked"
    assert "A refund of NGN 40.00 waits for a second operator: approval 1" in text(
        operator.get(path)
    )
    other = operator.post(f"{path}/refund", **(form | {"amount": "41"}))
    assert refusal(other) == "Approval 1 waits for this already."
    second = staffed.within(Role.ADMIN)
    shown = text(second.get("/console/approvals/1"))
    assert "Refunds NGN 40.00 for dispute" in shown
    assert "paid by whoever has the money." in shown
    led_to(second.post("/console/approvals/1/approve", reason="agreed"))
    assert (wired.balance(ADA), wired.balance(BELLO)) == (naira("40.00"), naira("60.00"))
    assert "Refunded NGN 40.00" in text(operator.get(path))
    assert wired.breaches() == []


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("100.01", "At most 100.00 is left to be refunded."),
        ("0", "An amount must be above zero."),
        ("1e3", "An amount reads like 500 or 500.00."),
    ],
)
def test_a_refund_that_cannot_be_is_refused_in_its_form(
    operator: Visitor, wired: Wired, amount: str, said: str
) -> None:
    path = f"{ROOT}/{opened(operator, redeemed(wired))}"
    answer = operator.post(f"{path}/refund", amount=amount, source="owner", reason="all of it")
    assert refusal(answer) == said
    answer = operator.post(f"{path}/refund", source="moon", reason="all of it")
    assert refusal(answer) == "A refund is paid by owner or house."


def test_one_is_found_by_its_name_or_by_what_it_is_about(operator: Visitor, wired: Wired) -> None:
    serial = live(wired)
    reference = opened(operator, serial)
    for wanted in (reference.lower(), serial, f" {serial[:4]} {serial[4:]}"):
        answer = operator.post(ROOT, find=wanted)
        assert led_to(answer) == f"{ROOT}/{reference}"
    missed = operator.post(ROOT, find=MARKUP)
    assert (missed.status_code, MARKUP in text(missed)) == (404, True)
    assert operator.get(f"{ROOT}/NOBODYS").status_code == 404
