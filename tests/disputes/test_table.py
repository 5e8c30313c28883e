"""The table of disputes: what each subject allows, and what is left as it was when it does not."""

from collections.abc import Callable

import pytest

from gateway.disputes.open import NotDisputable
from gateway.disputes.resolve import NotAllowed
from gateway.disputes.states import KINDS, RULES, Kind, Opening, State
from gateway.errors import BadInput, GatewayError
from gateway.tokens.store import Status
from gateway.withdrawals import store as withdrawals
from gateway.withdrawals.store import State as Withdrawal
from tests.disputes.staging import Office, redeemed, suspended_by_somebody
from tests.support.wired import ADA, BELLO
from tests.tokens.staging import brought_to, funded, wallet


def live(office: Office) -> str:
    wallet(office.wired, ADA, "100.00")
    return funded(office.wired, ADA, "100.00", recipient=BELLO).serial


def suspended(office: Office) -> str:
    serial = live(office)
    suspended_by_somebody(office.wired, serial)
    return serial


def redemption(office: Office) -> str:
    return redeemed(office.wired)


def held(office: Office) -> str:
    office.desk.fund("100.00")
    return office.desk.request("100.00").reference


def paid(office: Office) -> str:
    reference = held(office)
    assert office.desk.work() == 1
    return reference


Stage = Callable[[Office], str]
STAGES: dict[str, Stage] = {
    "live": live,
    "suspended": suspended,
    "redemption": redemption,
    "held": held,
    "paid": paid,
}
# What the subject, Ada's wallet and Bello's become; what is not here is refused.
BECOMES = {
    ("live", "open"): ("suspended", "0.00", "0.00"),
    ("live", "refund"): ("cancelled", "100.00", "0.00"),
    ("live", "release"): ("issued", "0.00", "0.00"),
    ("live", "reject"): ("issued", "0.00", "0.00"),
    ("suspended", "open"): ("suspended", "0.00", "0.00"),
    ("suspended", "refund"): ("cancelled", "100.00", "0.00"),
    ("suspended", "release"): ("suspended", "0.00", "0.00"),
    ("suspended", "reject"): ("suspended", "0.00", "0.00"),
    ("redemption", "open"): ("redeemed", "0.00", "100.00"),
    ("redemption", "refund"): ("redeemed", "100.00", "0.00"),
    ("redemption", "reject"): ("redeemed", "0.00", "100.00"),
    ("held", "open"): ("held manual", "0.00", "0.00"),
    ("held", "refund"): ("rejected none", "100.00", "0.00"),
    ("held", "release"): ("held queued", "0.00", "0.00"),
    ("held", "reject"): ("held queued", "0.00", "0.00"),
    ("paid", "open"): ("paid none", "0.00", "0.00"),
    ("paid", "refund"): ("paid none", "100.00", "0.00"),
    ("paid", "reject"): ("paid none", "0.00", "0.00"),
}
ENDS = {"refund": State.REFUNDED, "release": State.RELEASED, "reject": State.REJECTED}


def stands(office: Office, subject: str) -> tuple[str, str, str]:
    """The subject, and what Ada and Bello can spend."""
    if len(subject) == 8:
        state = office.wired.token(subject).status
    else:
        found = office.wired.run(lambda c: withdrawals.by_reference(c, subject))
        assert found is not None
        state = f"{found.state} {found.payout}"
    return state, str(office.wired.balance(ADA)), str(office.wired.balance(BELLO))


@pytest.mark.parametrize("how", ["open", *ENDS])
@pytest.mark.parametrize("stage", STAGES)
def test_each_row_of_the_table_does_what_it_says(office: Office, stage: str, how: str) -> None:
    subject = STAGES[stage](office)
    dispute = office.open(subject)
    after = BECOMES.get((stage, how))
    if after is None:
        before = stands(office, subject)
        with pytest.raises(NotAllowed):
            office.end(how, dispute)
        assert (office.now(dispute).state, stands(office, subject)) == ("open", before)
    else:
        if how == "refund":
            office.refund(dispute)
        elif how != "open":
            office.end(how, dispute)
        assert stands(office, subject) == after
        assert office.now(dispute).state == ENDS.get(how, State.OPEN)
    assert office.wired.breaches() == []


@pytest.mark.parametrize("state", ["expired", "overdue", "cancelled"])
def test_a_token_that_has_ended_unredeemed_leaves_nothing_to_dispute(
    office: Office, state: str
) -> None:
    issued = brought_to(office.wired, state)
    with pytest.raises(NotDisputable):
        office.open(issued.serial)


def test_a_rejected_withdrawal_leaves_nothing_to_dispute(office: Office) -> None:
    dispute = office.open(held(office))
    office.refund(dispute)
    with pytest.raises(NotDisputable):
        office.open(dispute.subject)


@pytest.mark.parametrize("subject", ["", "K7M29QXD", "K7M29QXDWMH4", "1234", "x" * 300, "é"])
def test_what_names_nothing_is_refused(office: Office, subject: str) -> None:
    with pytest.raises(BadInput):
        office.open(subject)


@pytest.mark.parametrize("days", [0, 366, -1])
def test_a_deadline_that_is_none_is_refused(office: Office, days: int) -> None:
    with pytest.raises(BadInput):
        office.open(live(office), days=days)
    assert office.wired.breaches() == []


@pytest.mark.parametrize("stage", ["live", "held"])
@pytest.mark.parametrize(("amount", "source"), [("99.99", "owner"), ("100.00", "house")])
def test_what_is_cancelled_or_rejected_goes_back_whole_and_by_itself(
    office: Office, stage: str, amount: str, source: str
) -> None:
    dispute = office.open(STAGES[stage](office))
    with pytest.raises(BadInput):
        office.ask(dispute, amount, source)
    assert office.now(dispute).state == "open"


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("amount", ["100.01", "200.00"])
def test_more_than_the_original_is_refused_of_every_subject(
    office: Office, stage: str, amount: str
) -> None:
    dispute = office.open(STAGES[stage](office))
    with pytest.raises(GatewayError, match="left"):
        office.ask(dispute, amount)


def test_the_table_names_every_state_and_every_kind() -> None:
    ended = {Status.EXPIRED, Status.CANCELLED, Withdrawal.REJECTED}
    assert set(KINDS) == {*Status, *Withdrawal} - ended
    assert set(RULES) == set(Kind)
    for kind, rule in RULES.items():
        stops = rule.opening is not Opening.NOTHING
        assert (State.RELEASED in rule.ends) == stops, kind
        assert rule.partial == (rule.movement == "refund"), kind
