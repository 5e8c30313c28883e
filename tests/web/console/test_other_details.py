"""A form with other details than the one before is no repeat of it, and is not said to be done."""

import pytest

from gateway.people.staff import store as staff
from gateway.people.staff.store import Role
from gateway.withdrawals.settlements import new_intent
from tests.disputes.staging import redeemed
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.till_staging import cash, pay, till
from tests.web.console.answers import led_to, refusal
from tests.web.console.forms import kept, send
from tests.web.console.shop import BANK, CODE, Shop
from tests.web.staffed import Staffed, Visitor

PHONE = "+2348030000077"


@pytest.fixture
def admin(staffed: Staffed) -> Visitor:
    """The browser of an admin who is in."""
    return staffed.within(Role.ADMIN)


def test_a_partner_with_another_name_is_not_said_to_be_taken_on(operator: Visitor) -> None:
    form = {"code": "acme", "reason": "new"}
    for _ in range(2):
        assert "done=" in led_to(operator.post("/console/partners", name="Acme", **form))
    said = refusal(operator.post("/console/partners", name="Acme Two", **form))
    assert "There is a partner acme already" in said


def test_a_funding_over_another_amount_or_of_another_partner_is_not_said_to_be_asked_for(
    operator: Visitor,
) -> None:
    for code in ("acme", "other"):
        led_to(operator.post("/console/partners", name=code, code=code, reason="new"))
    form = {"reference": "FT1", "reason": "at the bank"}
    for amount in ("1000.00", "1000"):
        assert "done=asked" in led_to(
            operator.post("/console/partners/acme/fund", amount=amount, **form)
        )
    for code, amount in (("acme", "100000.00"), ("other", "1000.00"), ("acme", "lots")):
        way = f"/console/partners/{code}/fund"
        assert refusal(operator.post(way, amount=amount, **form))


def test_an_outlet_with_another_bank_account_is_not_said_to_be_set_up(admin: Visitor) -> None:
    form = {"code": CODE, "name": "Ikeja Mall", "settle_to": BANK, "reason": "new"}
    for _ in range(2):
        assert "done=" in led_to(admin.post("/console/outlets", **form))
    for other in ({"settle_to": "GTB 9"}, {"name": "Elsewhere"}):
        said = refusal(admin.post("/console/outlets", **{**form, **other}))
        assert "There is an outlet LAG-01 already" in said


def test_a_till_with_another_limit_is_not_said_to_be_added(
    staffed: Staffed, admin: Visitor
) -> None:
    Shop(staffed)
    way, form = f"/console/outlets/{CODE}/tills", {"after": "2", "reason": "busy"}
    for _ in range(2):
        assert "done=" in led_to(admin.post(way, float_limit="500.00", **form))
    assert "A till was added" in refusal(admin.post(way, float_limit="5000.00", **form))


@pytest.mark.parametrize(
    "other",
    [
        {"name": "Other Two"},
        {"role": "manager"},
        {"outlet": "ABJ-02"},
        {"pin": "9173", "again": "9173"},
        {"reason": "asked for"},
    ],
)
def test_somebody_else_with_the_same_phone_is_not_said_to_be_taken_on(
    staffed: Staffed, admin: Visitor, other: dict[str, str]
) -> None:
    Shop(staffed)
    facts = {"code": "ABJ-02", "name": "Wuse", "settle_to": "GTB 2", "reason": "new"}
    led_to(admin.post("/console/outlets", **facts))
    form = {"name": "New One", "phone": PHONE, "role": "cashier", "outlet": CODE}
    form |= {"pin": "8264", "again": "8264", "reason": "needed"}
    for _ in range(2):
        assert "done=staff-hire" in led_to(admin.post("/console/staff", **form))
    page = admin.refused("/console/staff", **{**form, **other})
    assert "This phone is New One&#39;s, who is active." in page.text
    found = staffed.wired.run(lambda c: staff.by_msisdn(c, PHONE))
    assert found is not None
    assert (found.name, found.role) == ("New One", "cashier")


def test_another_pin_for_once_is_not_said_to_be_asked_for(staffed: Staffed, admin: Visitor) -> None:
    way = f"/console/staff/{staffed.member(Role.CASHIER).id}/pin"
    form = {"reason": "forgot it"}
    assert "done=asked" in led_to(admin.post(way, pin="8264", again="8264", **form))
    for pin in ("9173", "8264"):
        page = admin.refused(way, pin=pin, again=pin, **form)
        assert "Approval 1 waits for this already." in page.text


def test_a_refund_from_another_payer_or_over_another_amount_is_not_said_to_be_asked_for(
    wired: Wired, operator: Visitor
) -> None:
    serial = redeemed(wired)
    form = {"subject": serial, "phone": ADA, "days": "14", "reason": "x"}
    way = led_to(operator.post("/console/disputes/open", **form)).partition("?")[0]
    page = kept(operator, way, f"{way}/refund")
    for amount in ("100.00", ""):  # all that is left
        asked = send(operator, page, amount=amount, source="owner", reason="hers")
        assert "done=asked" in led_to(asked)
    for amount, source in (("100.00", "house"), ("40.00", "owner")):
        assert refusal(send(operator, page, amount=amount, source=source, reason="hers"))


def test_a_dispute_for_somebody_else_is_not_said_to_be_opened(
    wired: Wired, operator: Visitor
) -> None:
    page = kept(operator, "/console/disputes/open", "/console/disputes/open")
    form = {"subject": redeemed(wired), "phone": ADA, "days": "14", "reason": "x"}
    for _ in range(2):
        assert "done=opened" in led_to(send(operator, page, **form))
    for other in ({"phone": BELLO}, {"days": "30"}, {"reason": "y"}):
        assert refusal(send(operator, page, **{**form, **other}))


def test_a_settlement_to_another_bank_account_is_not_said_to_be_held(
    wired: Wired, operator: Visitor
) -> None:
    pay(wired, cash(wired, "80.00").reveal(), till(wired))
    form = {"kind": "till", "owner": "till-1", "amount": "50.00", "destination": BANK}
    form |= {"intent": new_intent(), "reason": "asked by mail"}
    for _ in range(2):
        assert "done=held" in led_to(operator.post("/console/withdrawals/settle", **form))
    for other in ({"destination": "GTB 9"}, {"amount": "60.00"}):
        said = refusal(operator.post("/console/withdrawals/settle", **{**form, **other}))
        assert said.startswith("This was confirmed before")
