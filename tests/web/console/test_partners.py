"""The console's partners: taken on, funded by two operators, suspended and resumed."""

from decimal import Decimal

import pytest

from gateway.ledger import floats
from gateway.partners import profiles
from gateway.people.staff.store import Role
from tests.support.wired import ADA
from tests.web.staffed import Staffed, Visitor

NAME = "Café <b>Lagos</b> & Sons"
CODE = "cafe-b-lagos-b-sons"


@pytest.fixture
def partner(staffed: Staffed, operator: Visitor) -> str:
    """The code of a partner that was just taken on."""
    made = operator.post("/console/partners", name=NAME, code="cafe", reason="signed today")
    assert made.location == "/console/partners/cafe?done=partner-made"
    return "cafe"


def balance(staffed: Staffed, owner: str) -> Decimal | None:
    """What is on a float."""
    account = staffed.wired.run(lambda c: floats.find(c, owner, "NGN"))
    return account.balance if account else None


def approve(staffed: Staffed, role: Role = Role.ADMIN) -> None:
    """Have somebody else approve the first that waits."""
    approvals, now = staffed.wired.gateway.approvals, staffed.wired.clock.now()
    member = staffed.member(role)
    actor = f"staff:{member.id}:{member.name}"
    staffed.wired.run(lambda c: approvals.approve(c, approvals.listed(c, now)[0].id, actor, now))


def test_before_the_first_partner_there_is_the_house(staffed: Staffed, operator: Visitor) -> None:
    text = operator.get("/console/partners").text
    assert "There is no partner yet." in text
    assert "Our own house" in text
    assert "never funded" in text
    assert (
        "the house gives away no more than its advance"
        in operator.get("/console/partners/house").text
    )


def test_a_partner_is_taken_on_with_a_reason_and_its_name_runs_as_nothing(
    staffed: Staffed, operator: Visitor
) -> None:
    for _ in range(2):
        made = operator.post("/console/partners", name=NAME, code="", reason="signed today")
        assert made.location == f"/console/partners/{CODE}?done=partner-made"
    ope = f"staff:{staffed.member(Role.OPERATOR).id}:Ope Ade"
    assert staffed.trail(CODE) == [(ope, "partner.create", "signed today")]
    for path in ("/console/partners", f"/console/partners/{CODE}"):
        text = operator.get(path).text
        assert "Café &lt;b&gt;Lagos&lt;/b&gt; &amp; Sons" in text
        assert "<b>Lagos" not in text


# What is typed, and what is said about it.
REFUSED = (
    ({"name": "", "reason": "x"}, "A partner&#39;s name takes 1 to 64 printable characters."),
    ({"name": "Cafe", "reason": ""}, "Say why: the reason is blank."),
    ({"name": "Cafe", "code": "House!", "reason": "x"}, "A code is 2 to 20 of a-z"),
    ({"name": "Cafe", "code": "house", "reason": "x"}, "A code is 2 to 20 of a-z"),
    ({"name": "Other", "code": "cafe", "reason": "x"}, "There is a partner cafe already"),
)


@pytest.mark.parametrize(("form", "said"), REFUSED)
def test_who_cannot_be_taken_on_is_said_and_the_form_keeps_what_was_typed(
    partner: str, operator: Visitor, form: dict[str, str], said: str
) -> None:
    answer = operator.post("/console/partners", **form)
    assert answer.status_code == 422
    assert said in answer.text
    assert f'value="{form["name"]}"' in answer.text


def test_a_float_is_funded_once_a_second_operator_has_approved(
    staffed: Staffed, operator: Visitor, partner: str
) -> None:
    form = {"amount": "5000.00", "reference": "FT2026/03-0012", "reason": "paid in"}
    for _ in range(2):
        asked = operator.post(f"/console/partners/{partner}/fund", **form)
        assert asked.location == f"/console/partners/{partner}?done=asked"
    assert balance(staffed, partner) is None
    for path in ("/console/partners", f"/console/partners/{partner}"):
        assert "waits for a second operator" in operator.get(path).text
    approve(staffed)
    assert balance(staffed, partner) == Decimal("5000.00")
    page = operator.get(f"/console/partners/{partner}").text
    assert "NGN 5,000.00" in page
    assert "FT2026/03-0012" in page
    assert "waits for a second operator" not in page
    again = operator.post(f"/console/partners/{partner}/fund", **form)
    assert again.status_code == 422
    assert "has been booked before" in again.text
    assert staffed.wired.breaches() == []


def test_the_house_is_funded_as_a_partner_is(staffed: Staffed, operator: Visitor) -> None:
    form = {"amount": "900.00", "reference": "FT9", "reason": "paid in"}
    assert operator.post("/console/partners/house/fund", **form).status_code == 303
    approve(staffed)
    assert balance(staffed, "house") == Decimal("900.00")
    issued = staffed.wired.issue("100.00", to=ADA)
    page = operator.get("/console/partners/house").text
    assert "NGN 800.00" in page
    assert f'href="/console/tokens/{issued.serial}"' in page


FORMS = (
    ({"amount": "-1", "reference": "FT1", "reason": "x"}, "An amount reads like 500 or 500.00."),
    ({"amount": "1e9", "reference": "FT1", "reason": "x"}, "An amount reads like 500 or 500.00."),
    ({"amount": "0", "reference": "FT1", "reason": "x"}, "An amount must be above zero."),
    ({"amount": "1.00", "reference": "", "reason": "x"}, "A reference takes 1 to 35"),
    ({"amount": "1.00", "reference": "F" * 36, "reason": "x"}, "A reference takes 1 to 35"),
    ({"amount": "1.00", "reference": "FT1", "reason": " "}, "Say why: the reason is blank."),
    ({"amount": "1.00", "reference": "FT\x001", "reason": "x"}, "A reference takes 1 to 35"),
)


@pytest.mark.parametrize(("form", "said"), FORMS)
def test_a_funding_that_could_never_be_booked_is_refused_in_the_form(
    staffed: Staffed, operator: Visitor, partner: str, form: dict[str, str], said: str
) -> None:
    answer = operator.post(f"/console/partners/{partner}/fund", **form)
    assert answer.status_code == 422
    assert said in answer.text
    now = staffed.wired.clock.now()
    assert staffed.wired.run(lambda c: staffed.wired.gateway.approvals.count(c, now)) == 0


def test_nobody_approves_their_own_funding(staffed: Staffed, operator: Visitor) -> None:
    form = {"amount": "900.00", "reference": "FT9", "reason": "paid in"}
    operator.post("/console/partners/house/fund", **form)
    with pytest.raises(Exception, match="you asked for this yourself"):
        approve(staffed, Role.OPERATOR)
    assert balance(staffed, "house") is None


def test_a_partner_is_suspended_and_resumed_with_a_reason(
    staffed: Staffed, operator: Visitor, partner: str
) -> None:
    for form in ("suspend", "resume"):
        for _ in range(2):
            done = operator.post(f"/console/partners/{partner}/{form}", reason=f"to {form}")
            assert done.location == f"/console/partners/{partner}?done=partner-{form}"
    assert [line[1] for line in staffed.trail(partner)] == [
        "partner.create",
        "partner.suspended",
        "partner.active",
    ]
    late = staffed.within(Role.ADMIN).post(f"/console/partners/{partner}/resume", reason="late")
    assert late.status_code == 422
    assert "The partner cafe is active." in late.text


@pytest.mark.parametrize("path", ["", "/fund", "/suspend", "/resume"])
def test_a_partner_that_is_not_there_is_not_there(
    staffed: Staffed, operator: Visitor, path: str
) -> None:
    form = {"amount": "1.00", "reference": "FT1", "reason": "x"}
    way = f"/console/partners/nobody{path}"
    answer = operator.post(way, **form) if path else operator.get(way)
    assert answer.status_code == 404
    with pytest.raises(profiles.UnknownPartner):
        staffed.wired.run(lambda c: profiles.find(c, "nobody"))
