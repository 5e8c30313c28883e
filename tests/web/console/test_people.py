"""The console's pages of people: found by phone, with their wallet; what is done to it counts."""

from decimal import Decimal

import pytest
from sqlalchemy import update

from gateway.ledger import wallets
from gateway.people import store as subscribers
from gateway.people.staff.store import Role, staff
from gateway.settings.limits import Money
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import wallet
from tests.web.staffed import PHONES, Staffed, Visitor

PAGE = f"/console/people?phone=%2B{ADA[1:]}"
NEW = "+2348030000009"
MARKUP = "<b onclick=alert(1)>\"'"
WHY = "asked by phone, and proved who they are"


@pytest.fixture
def wired(database_url: str, clock: SteppedClock) -> Wired:
    """A gateway that knows a second tier, over a wallet with money."""
    tiers = {"basic": {"debits_a_day": Decimal("70.00")}, "full": {"debit": Decimal("900.00")}}
    whole = Wired(database_url, clock, money=Money(tiers=tiers))
    wallet(whole, ADA, "100.00")
    return whole


def do(operator: Visitor, form: str, **fields: str) -> str:
    """Send one of the forms of Ada's page; where it leads."""
    given = {"phone": ADA, "reason": WHY, **fields}
    answer = operator.post(f"/console/people/{form}", **given)
    assert answer.status_code == 303
    return answer.headers["Location"]


def refused(operator: Visitor, form: str, **fields: str) -> str:
    """What one of the forms of Ada's page is refused with."""
    given = {"phone": ADA, "reason": WHY, **fields}
    answer = operator.post(f"/console/people/{form}", **given)
    assert answer.status_code == 422
    return answer.text


def status(staffed: Staffed) -> str:
    """How Ada's wallet stands."""
    found = staffed.wired.run(lambda c: wallets.find(c, ADA, "NGN"))
    assert found is not None
    return found.status


@pytest.mark.parametrize("spelling", ["0803 000 0001", "%2B2348030000001", "2348030000001"])
def test_somebody_is_found_by_any_spelling_of_their_phone(operator: Visitor, spelling: str) -> None:
    text = operator.get(f"/console/people?phone={spelling}").text
    assert f"<h1>{ADA}</h1>" in text
    assert "NGN 100.00" in text
    assert "never chosen" in text
    assert "never set" in text


def test_what_is_no_phone_is_said_beside_the_field(operator: Visitor) -> None:
    answer = operator.get("/console/people?phone=%3Cb%3Eada")
    assert answer.status_code == 422
    assert "That is no phone number." in answer.text
    assert 'value="&lt;b&gt;ada"' in answer.text
    assert "<b>ada" not in answer.text


def test_digits_that_may_be_a_token_are_not_repeated(operator: Visitor) -> None:
    text = operator.get("/console/people?phone=902100000000000014").text
    assert "902100000000000014" not in text


def test_a_phone_without_a_wallet_has_nothing_that_could_be_done(operator: Visitor) -> None:
    text = operator.get(f"/console/people?phone=%2B{BELLO[1:]}").text
    assert "None yet" in text
    assert 'action="/console/people/' not in text


def test_the_caps_are_shown_with_what_was_used_today(staffed: Staffed, operator: Visitor) -> None:
    staffed.wired.set_pin()
    call = staffed.wired.dial(ADA)
    for entry in ("2", BELLO, "30", "1", "4711"):
        call.send(entry)
    text = " ".join(operator.get(PAGE).text.split())
    assert "You have sent" in call.body
    assert (
        '<td>Debits today</td> <td class="amount">70.00</td> <td class="amount">30.00</td>' in text
    )
    assert "NGN 70.00" in text
    assert 'set <time datetime="2026-03-02T09:00:00+00:00">2 Mar 2026, 10:00</time>' in text


def test_wrong_tries_and_locks_of_the_pin_are_shown_and_never_the_pin(
    staffed: Staffed, operator: Visitor
) -> None:
    staffed.wired.set_pin("4711")
    for _ in range(5):
        staffed.wired.dial(ADA, text="4*1").send("5812")
    text = operator.get(PAGE).text
    assert "locked" in text
    assert "5 wrong tries" in text
    assert "4711" not in text
    assert "argon2" not in text


def test_a_wallet_that_is_frozen_here_refuses_a_debit_at_once(
    staffed: Staffed, operator: Visitor
) -> None:
    staffed.wired.set_pin("4711")
    call = staffed.wired.dial(ADA)
    for entry in ("2", BELLO, "30", "1"):
        call.send(entry)
    assert do(operator, "freeze") == f"{PAGE}&done=wallet-freeze"
    assert "Your wallet is stopped. Nothing was sent." in call.send("4711")
    assert staffed.wired.balance(ADA) == Decimal("100.00")
    assert "frozen</span>" in operator.get(PAGE).text
    member = staffed.member(Role.OPERATOR)
    actor = f"staff:{member.id}:{member.name}"
    assert staffed.trail(ADA)[-1] == (actor, "wallet.freeze", WHY)


def test_an_unfrozen_wallet_works_again(staffed: Staffed, operator: Visitor) -> None:
    do(operator, "freeze")
    do(operator, "unfreeze", reason="it was a mistake")
    assert status(staffed) == "active"
    token = staffed.wired.issue("5.00").reveal()
    assert "5.00" in staffed.wired.dial(ADA, text=f"1*{token}").body
    assert staffed.wired.breaches() == []


def test_the_same_form_sent_twice_does_it_once(staffed: Staffed, operator: Visitor) -> None:
    assert do(operator, "freeze") == do(operator, "freeze")
    assert [line[1] for line in staffed.trail(ADA)].count("wallet.freeze") == 1
    assert "the wallet is frozen" in refused(operator, "freeze", reason="anew").lower()


@pytest.mark.parametrize("form", ["freeze", "verify", "tier", "move", "pin"])
@pytest.mark.parametrize("reason", ["", "  ", "\u200b", "x" * 201])
def test_nothing_is_done_without_a_reason(
    staffed: Staffed, operator: Visitor, form: str, reason: str
) -> None:
    before = staffed.trail(ADA)
    refused(operator, form, reason=reason, to=NEW, tier="full")
    assert (status(staffed), staffed.trail(ADA)) == ("active", before)


def test_a_tier_is_one_of_those_that_settings_name(staffed: Staffed, operator: Visitor) -> None:
    assert "The tiers are basic, full." in refused(operator, "tier", tier="<gold>")
    do(operator, "tier", tier="full")
    assert do(operator, "tier", tier="full").endswith("done=wallet-tier")
    assert staffed.trail(ADA)[-1][1:] == ("wallet.tier", f"full: {WHY}")
    assert "<dd>full</dd>" in operator.get(PAGE).text


def test_a_verified_owner_may_spend_again(staffed: Staffed, operator: Visitor) -> None:
    found = wallet(staffed.wired, ADA)
    staffed.wired.run(lambda c: wallets.require_verification(c, found))
    assert "not verified" in operator.get(PAGE).text
    do(operator, "verify")
    assert "not verified" not in operator.get(PAGE).text


def test_a_move_waits_for_a_second_operator_and_then_is_done(
    staffed: Staffed, operator: Visitor
) -> None:
    assert do(operator, "move", to="0803 000 0009") == f"{PAGE}&done=asked"
    text = operator.get(PAGE).text
    assert f"Moving this wallet to {NEW} waits for a second operator" in text
    assert f"asked by {staffed.member(Role.OPERATOR).name}" in text
    assert do(operator, "move", to=NEW) == f"{PAGE}&done=asked"  # the same click
    assert "waits for this already" in refused(operator, "move", to=NEW, reason="once more")
    admin = staffed.member(Role.ADMIN)
    approvals, now = staffed.wired.gateway.approvals, staffed.wired.clock.now()
    (waiting,) = staffed.wired.run(lambda c: approvals.listed(c, now))
    by = f"staff:{admin.id}:{admin.name}"
    staffed.wired.run(lambda c: approvals.approve(c, waiting.id, by, now))
    assert "NGN 100.00" in operator.get(f"/console/people?phone=%2B{NEW[1:]}").text
    assert "None any more" in operator.get(PAGE).text
    assert staffed.wired.breaches() == []


def test_both_numbers_of_a_move_lead_to_each_other(staffed: Staffed, operator: Visitor) -> None:
    do(operator, "move", to=NEW)
    assert "None yet" in operator.get(f"/console/people?phone=%2B{NEW[1:]}").text
    second = staffed.within(Role.ADMIN)
    assert second.post("/console/approvals/1/approve", reason="seen").status_code == 303
    of_new = f"/console/people?phone=%2B{NEW[1:]}"
    old, new = operator.get(PAGE).text, operator.get(of_new).text
    to_new = f'<a href="/console/people?phone=%2B{NEW[1:]}">{NEW}</a>'
    to_old = f'<a href="/console/people?phone=%2B{ADA[1:]}">{ADA}</a>'
    assert f"the wallet of this number was moved to {to_new}" in old
    assert "None any more. A new one is made" in old
    assert f"this number was given the wallet of {to_old}" in new
    assert "came from +23480*****01" in operator.get(f"{of_new}&show=trail").text


@pytest.mark.parametrize(
    ("to", "said"), [("12", "Not a phone number."), (ADA, "already"), (BELLO, "with money")]
)
def test_a_move_that_cannot_be_is_refused_in_the_form(
    staffed: Staffed, operator: Visitor, to: str, said: str
) -> None:
    wallet(staffed.wired, BELLO, "1.00")
    text = refused(operator, "move", to=to)
    assert said in text
    assert f'value="{to}"' in text
    assert staffed.trail(ADA) == []


def test_a_new_pin_waits_for_a_second_operator(staffed: Staffed, operator: Visitor) -> None:
    assert 'action="/console/people/pin"' not in operator.get(PAGE).text
    staffed.wired.set_pin()
    assert do(operator, "pin") == f"{PAGE}&done=asked"
    assert "Forgetting the PIN waits for a second operator" in operator.get(PAGE).text


def test_every_list_is_there_and_pages_through_all_of_it(
    staffed: Staffed, operator: Visitor
) -> None:
    serials = []
    for _ in range(52):
        token = staffed.wired.issue("1.00", to=ADA)
        serials.append(token.serial)
        staffed.wired.redeem(token.reveal(), ADA)
    for show in ("statement", "received"):
        first = operator.get(f"{PAGE}&show={show}").text
        assert serials[-1] in first
        assert serials[0] not in first
        way = first.split('<a href="/console/people?')[-1].split('"')[0].replace("&amp;", "&")
        assert serials[0] in operator.get(f"/console/people?{way}").text
    for show in ("sent", "withdrawals", "deposits", "trail"):
        assert operator.get(f"{PAGE}&show={show}").status_code == 200
    assert len(operator.get(PAGE).data) < 100_000


@pytest.mark.parametrize("mark", ["", "x", "-1", "9" * 40, "%00", "<b>"])
def test_a_mark_that_is_none_means_the_first_page(operator: Visitor, mark: str) -> None:
    assert operator.get(f"{PAGE}&from={mark}").status_code == 200


def test_an_admin_may_do_what_an_operator_may(staffed: Staffed) -> None:
    admin = staffed.within(Role.ADMIN)
    assert "NGN 100.00" in admin.get(PAGE).text
    do(admin, "freeze")
    assert status(staffed) == "frozen"


def test_cashiers_and_managers_see_nobody_and_change_nothing(staffed: Staffed) -> None:
    for role in (Role.CASHIER, Role.MANAGER):
        visitor = staffed.within(role)
        assert visitor.get(PAGE).status_code == 403
        answer = visitor.post("/console/people/freeze", phone=ADA, reason=WHY)
        assert answer.status_code == 403
    assert status(staffed) == "active"


def test_a_form_from_elsewhere_changes_nothing(staffed: Staffed, operator: Visitor) -> None:
    fields = {"phone": ADA, "reason": WHY, "csrf": "0" * 64}
    assert operator.client.post("/console/people/freeze", data=fields).status_code == 403
    assert status(staffed) == "active"


def test_a_form_that_there_is_not_and_a_phone_that_is_none_are_refused(operator: Visitor) -> None:
    fields = {"phone": ADA, "reason": WHY}
    assert operator.post("/console/people/enrich", **fields).status_code == 404
    assert operator.post("/console/people/freeze", phone="me", reason=WHY).status_code == 400


def test_markup_in_names_and_reasons_is_only_ever_text(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    renamed = update(staff).where(staff.c.msisdn == PHONES[Role.OPERATOR])
    wired.run(lambda c: c.execute(renamed.values(name=MARKUP)))
    do(operator, "verify", reason=MARKUP)
    do(operator, "move", to=NEW, reason=MARKUP)
    wired.run(lambda c: subscribers.set_language(c, ADA, "<i>fr", wired.clock.now()))
    for show in ("statement", "trail"):
        text = operator.get(f"{PAGE}&show={show}").text
        assert MARKUP not in text
        assert "<i>fr" not in text
        assert "&lt;b onclick=alert(1)&gt;" in text
