"""A refund that waits for a second operator goes with the dispute it is about."""

import pytest

from gateway.audit.decisions import store as approvals
from gateway.audit.decisions.store import Approval, State
from gateway.disputes import resolve
from gateway.disputes.resolve import NotOpen
from gateway.disputes.store import Dispute
from gateway.errors import BadInput
from tests.disputes.staging import ASKER, SECOND, Office, redeemed
from tests.support.races import race
from tests.support.wired import BELLO

ROUNDS = 6


def found(office: Office, number: int) -> Approval:
    """The request as it stands."""
    approval = office.wired.run(lambda c: approvals.by_id(c, number))
    assert approval is not None
    return approval


@pytest.mark.parametrize("how", ["release", "reject"])
def test_a_closed_dispute_refuses_the_refund_that_waited(office: Office, how: str) -> None:
    dispute = office.open(office.wired.issue("1.00", BELLO).serial)
    number = office.ask(dispute)
    office.end(how, dispute)
    closed = found(office, number)
    assert (closed.state, closed.decided_by) == (State.REFUSED.value, ASKER)
    assert closed.outcome == "the dispute is closed"
    with pytest.raises(BadInput, match="is refused by"):
        office.approve(number)
    said = f"approval {number}, dispute.refund: the dispute is closed"
    assert (ASKER, "approval.refuse", said) in office.trail(dispute)


def test_one_without_a_waiting_refund_closes_as_before(office: Office) -> None:
    dispute = office.open(redeemed(office.wired))
    number = office.ask(dispute)
    office.wired.run(
        lambda c: office.approvals.refuse(c, number, SECOND, "no", office.wired.clock.now())
    )
    office.end("reject", dispute)
    assert found(office, number).outcome == "no"


def asked_or_closed(office: Office) -> set[str]:
    """What becomes of refunds that are asked for while their dispute is closed."""
    states = set()
    for turn in range(ROUNDS):
        dispute = office.open(redeemed(office.wired, f"10{turn}.00"))

        def act(n: int, dispute: Dispute = dispute) -> object:
            return office.ask(dispute) if n else office.end("reject", dispute)

        ended, asked = race(2, act)
        assert isinstance(ended, Dispute), ended
        if isinstance(asked, int):
            states.add(found(office, asked).state)
        else:
            assert isinstance(asked, NotOpen), asked
    return states


def test_no_refund_waits_for_a_dispute_that_was_closed_at_the_same_moment(office: Office) -> None:
    assert asked_or_closed(office) <= {State.REFUSED.value}


def test_asked_without_a_second_look_it_would_wait_in_vain(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    dispute = office.open(redeemed(office.wired))
    open_then = office.now(dispute)
    office.end("reject", dispute)
    with pytest.raises(NotOpen):
        office.ask(dispute)
    monkeypatch.setattr(resolve, "_open", lambda *_: open_then)
    assert found(office, office.ask(dispute)).state == State.WAITING.value
