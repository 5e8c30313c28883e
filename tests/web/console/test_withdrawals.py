"""Withdrawals on the console: the lists, one with what was said, and what an operator does."""

import pytest

from gateway.people.staff.store import Role
from gateway.providers.base.messages import Outcome
from gateway.withdrawals.store import Withdrawal
from tests.support.wired import ADA, Wired
from tests.web.console.answers import MARKUP, led_to, refusal, text
from tests.web.staffed import NAMES, Staffed, Visitor
from tests.withdrawals.staging import TAKEN, Desk, Payer, naira

ROOT = "/console/withdrawals"
WHY = "seen at the bank"
NO_ID = "A transaction id has 1 to 64 characters, no spaces."
NO_PAYER = "Say through which provider, or the bank."


@pytest.fixture
def desk(wired: Wired) -> Desk:
    """No provider serves the phone: an operator pays."""
    made = Desk(wired, Payer(phone_prefixes=("+254",)))
    made.fund()
    return made


@pytest.fixture
def handed_over(wired: Wired) -> tuple[Desk, Withdrawal]:
    """A withdrawal of which nobody knows what became of it."""
    desk = Desk(wired)
    desk.fund()
    desk.payer.says[0] = TAKEN
    made = desk.request()
    desk.work()
    return desk, made


def actor(staffed: Staffed, role: Role = Role.OPERATOR) -> str:
    """How the trail names somebody."""
    return f"staff:{staffed.member(role).id}:{NAMES[role]}"


def test_each_list_shows_its_own_and_how_many_wait(operator: Visitor, desk: Desk) -> None:
    made = desk.request()
    by_hand = text(operator.get(ROOT))
    assert made.reference in by_hand
    assert "NGN 60.00" in by_hand
    assert "By hand 1 Unknown 0 Stuck 0 Held 1 Paid Rejected" in by_hand
    assert ADA not in by_hand
    for show in ("unknown", "stuck", "paid", "rejected"):
        assert made.reference not in operator.get(f"{ROOT}?show={show}").text
    assert "Nothing is stuck" in text(operator.get(f"{ROOT}?show=stuck"))
    assert made.reference in text(operator.get(f"{ROOT}?show=held"))
    assert made.reference in text(operator.get(f"{ROOT}?show=nonsense&from=nobody"))


def test_what_nothing_moves_on_is_listed_as_stuck(operator: Visitor, wired: Wired) -> None:
    desk = Desk(wired)
    desk.fund()
    made = desk.request()
    assert made.reference not in operator.get(f"{ROOT}?show=stuck").text
    wired.run(lambda c: c.exec_driver_sql("DELETE FROM outbox").rowcount)
    assert made.reference in text(operator.get(f"{ROOT}?show=stuck"))


def test_a_list_is_read_page_by_page_the_newest_first(operator: Visitor, desk: Desk) -> None:
    made = [desk.request("1.00", intent=f"i{number}").reference for number in range(52)]
    first = operator.get(ROOT).text
    assert [name in first for name in made] == [False] * 2 + [True] * 50
    assert "show=held" not in first.partition("Next page")[0].rpartition("href=")[2]
    way = first.partition(">Next page")[0].rpartition('href="')[2].rstrip('"')
    second = operator.get(way.replace("&amp;", "&")).text
    assert [name in second for name in made] == [True] * 2 + [False] * 50
    assert "Next page" not in second


def test_a_withdrawal_shows_all_that_was_said_about_it(operator: Visitor, wired: Wired) -> None:
    desk = Desk(wired)
    desk.fund()
    made = desk.request()
    desk.hear(made, Outcome.FAILED, reason=MARKUP)
    desk.hear(made, Outcome.SUCCEEDED, txn_id="C9")
    shown = text(operator.get(f"{ROOT}/{made.reference.lower()}"))
    assert f"callback failed applied {MARKUP}" in shown
    assert "callback succeeded contradiction C9" in shown
    assert f"To {ADA}" in shown
    assert f"withdrawal.request {ADA}" in shown


def test_one_is_found_by_its_reference_and_a_wrong_one_is_said(
    operator: Visitor, desk: Desk
) -> None:
    made = desk.request()
    spaced = f" {made.reference[:6].lower()} {made.reference[6:]}"
    answer = operator.post(ROOT, find=spaced)
    assert led_to(answer) == f"{ROOT}/{made.reference}"
    answer = operator.post(ROOT, find=MARKUP)
    assert answer.status_code == 404
    assert f"There is no withdrawal called {MARKUP}." in text(answer)
    assert operator.get(f"{ROOT}/NOBODYS").status_code == 404


def test_a_payment_by_hand_is_recorded_once_however_often_it_is_sent(
    staffed: Staffed, operator: Visitor, desk: Desk
) -> None:
    made = desk.request()
    path, form = f"{ROOT}/{made.reference}", {"txn_id": "BANK-1", "reason": WHY}
    for _ in range(3):
        assert led_to(operator.post(f"{path}/pay", **form)) == f"{path}?done=paid"
    assert desk.stands(made) == ("paid", "none", naira("40.00"), naira("0.00"))
    assert (desk.now(made).paid_through, desk.now(made).provider_txn_id) == ("bank", "BANK-1")
    did = [line for line in staffed.trail(made.reference) if line[1] == "withdrawal.pay"]
    assert did == [(actor(staffed), "withdrawal.pay", WHY)]
    shown = text(operator.get(f"{path}?done=paid"))
    assert "Recorded as paid." in shown
    assert "there is nothing left to do" in shown
    assert desk.wired.breaches() == []


def test_another_payment_of_what_is_paid_is_refused(
    staffed: Staffed, operator: Visitor, desk: Desk
) -> None:
    made = desk.request()
    path = f"{ROOT}/{made.reference}/pay"
    operator.post(path, txn_id="BANK-1", reason=WHY)
    refused = "The withdrawal is paid."
    answer = operator.post(path, txn_id="BANK-2", reason=WHY)
    assert (answer.status_code, desk.now(made).provider_txn_id) == (422, "BANK-1")
    assert refused in text(answer)
    other = staffed.within(Role.ADMIN).post(path, txn_id="BANK-1", reason=WHY)
    assert refused in text(other)
    assert desk.wired.breaches() == []


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"txn_id": "BANK-1", "reason": " \u200b "}, "Say why: the reason is blank."),
        ({"txn_id": "BANK-1"}, "Say why: the reason is blank."),
        ({"txn_id": "BANK-1", "reason": "x" * 201}, "A reason takes at most 200 characters."),
        ({"txn_id": "A 1", "reason": WHY}, NO_ID),
        ({"txn_id": "", "reason": WHY}, NO_ID),
        ({"txn_id": "A" * 65, "reason": WHY}, NO_ID),
        ({"txn_id": MARKUP + " 1", "reason": MARKUP}, NO_ID),
        ({"txn_id": "A1", "through": "moon", "reason": WHY}, NO_PAYER),
    ],
)
def test_a_refused_payment_comes_back_in_its_form(
    operator: Visitor, desk: Desk, form: dict[str, str], said: str
) -> None:
    made = desk.request()
    answer = operator.post(f"{ROOT}/{made.reference}/pay", **form)
    assert refusal(answer) == said
    assert '<details class="deed" open>' in answer.text
    assert MARKUP not in answer.text
    assert desk.stands(made)[0] == "held"


def test_a_rejection_gives_the_money_back_once(
    staffed: Staffed, operator: Visitor, desk: Desk
) -> None:
    made = desk.request()
    path = f"{ROOT}/{made.reference}"
    for _ in range(2):
        answer = operator.post(f"{path}/reject", reason=MARKUP)
        assert led_to(answer) == f"{path}?done=rejected"
    assert desk.stands(made) == ("rejected", "none", naira("100.00"), naira("0.00"))
    assert (actor(staffed), "withdrawal.reject", MARKUP) in staffed.trail(made.reference)
    assert MARKUP in text(operator.get(path))
    assert desk.wired.breaches() == []


def test_a_forced_rejection_is_asked_once_and_a_second_operator_does_it(
    staffed: Staffed, operator: Visitor, handed_over: tuple[Desk, Withdrawal]
) -> None:
    desk, made = handed_over
    path = f"{ROOT}/{made.reference}"
    assert "outcome unknown" in text(operator.get(f"{ROOT}?show=unknown"))
    answer = operator.post(f"{path}/reject", reason=WHY)
    assert refusal(answer) == "The provider may have paid it, or may yet do so."
    for _ in range(2):
        answer = operator.post(f"{path}/reject", reason=WHY, force="yes")
        assert led_to(answer) == f"{path}?done=asked"
    assert desk.stands(made)[0] == "held"
    assert "Rejecting it waits for a second operator: approval 1" in text(operator.get(path))
    own = operator.post("/console/approvals/1/approve", reason="sure")
    assert own.status_code == 422
    second = staffed.within(Role.ADMIN)
    answer = second.post("/console/approvals/1/approve", reason="asked the provider")
    assert led_to(answer) == "/console/approvals/1?done=approved"
    assert desk.stands(made) == ("rejected", "none", naira("100.00"), naira("0.00"))
    assert desk.wired.breaches() == []


def test_what_no_provider_has_got_is_asked_for_again(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    desk = Desk(wired)
    desk.fund()
    made = desk.request()
    path = f"{ROOT}/{made.reference}"
    assert refusal(operator.post(f"{path}/send", reason=WHY)) == "It is queued."
    wired.run(lambda c: c.exec_driver_sql("DELETE FROM outbox").rowcount)
    for _ in range(2):
        assert led_to(operator.post(f"{path}/send", reason=WHY)) == f"{path}?done=sent"
    desk.work()
    assert (desk.now(made).state, len(desk.payer.paid)) == ("paid", 1)
    assert [line[1] for line in staffed.trail(made.reference)].count("withdrawal.send") == 1


def test_a_contradiction_is_taken_off_the_list(operator: Visitor, wired: Wired) -> None:
    desk = Desk(wired)
    desk.fund()
    made = desk.request()
    desk.hear(made, Outcome.FAILED)
    desk.hear(made, Outcome.SUCCEEDED, txn_id="C9")
    path = f"{ROOT}/{made.reference}"
    assert made.reference in operator.get(ROOT).text
    for _ in range(2):
        assert led_to(operator.post(f"{path}/seen", reason="called them")) == f"{path}?done=seen"
    assert made.reference not in operator.get(ROOT).text
    assert "not on the list" in text(operator.post(f"{path}/seen", reason="once more"))


def test_a_disputed_withdrawal_says_so_before_anybody_tries(operator: Visitor, desk: Desk) -> None:
    made = desk.request()
    operator.post(
        "/console/disputes/open", subject=made.reference, phone=ADA, days="7", reason="not hers"
    )
    path = f"{ROOT}/{made.reference}"
    assert "about it is open: it is not paid before that is resolved" in text(operator.get(path))
    said = refusal(operator.post(f"{path}/pay", txn_id="B1", reason=WHY))
    assert said.endswith("about it is open: resolve that first.")
    assert desk.stands(made)[0] == "held"
