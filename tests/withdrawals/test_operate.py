"""What operators do: pay by hand, reject, send again; alone, or with a second one."""

from collections import deque
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from gateway.audit import store as audit
from gateway.audit.decisions.store import Approval
from gateway.errors import BadInput, OutcomeUnknown, Refused
from gateway.ledger import store as ledger_store
from gateway.ledger.books import Leg
from gateway.ledger.store import HOUSE, SETTLEMENT, TILL, Account
from gateway.providers.base.messages import Outcome, Status
from gateway.settings.limits import Money
from gateway.withdrawals.operate import Deed, NotHeld, NotReleased, StillOpen
from gateway.withdrawals.store import SETTLEMENT as TO_BANK
from gateway.withdrawals.store import Withdrawal
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired
from tests.withdrawals.staging import Desk, Payer, naira

DEED = Deed("cli:ada", "the portal says so")
FORCED = Deed("cli:ada", "seen at the bank", forced=True)
PAID = ("paid", "none", naira("40.00"), naira("0.00"))
CONFIRMED = Status(Outcome.SUCCEEDED, txn_id="TXN1")
BACK = ("rejected", "none", naira("100.00"), naira("0.00"))
HELD_BY_HAND = ("held", "manual", naira("40.00"), naira("60.00"))


@pytest.fixture
def careful(database_url: str) -> Iterator[Desk]:
    """Payouts above 50.00 need a second operator."""
    wired = Wired(database_url, SteppedClock(), money=Money(payout_alone_max=naira("50.00")))
    yield Desk(wired)
    wired.close()


def by_hand(wired: Wired) -> tuple[Desk, Withdrawal]:
    """A withdrawal that no provider serves."""
    desk = Desk(wired, Payer(phone_prefixes=("+254",)))
    desk.fund()
    return desk, desk.request()


def unknown(desk: Desk) -> Withdrawal:
    """A withdrawal that was handed over without an answer."""
    desk.payer.says = deque([OutcomeUnknown("silence")])
    desk.fund()
    made = desk.request()
    desk.work()
    return made


def pay(desk: Desk, made: Withdrawal, through: str = "", deed: Deed = DEED) -> bool:
    """Record a payment by hand."""
    now = desk.wired.clock.now()
    return desk.wired.run(
        lambda c: desk.parts.operators.pay(c, made.reference, "BANK-1", through, deed, now)
    )


def reject(desk: Desk, made: Withdrawal, deed: Deed = DEED) -> bool:
    """Give the money back by hand."""
    now = desk.wired.clock.now()
    return desk.wired.run(lambda c: desk.parts.operators.reject(c, made.reference, deed, now))


def approve(desk: Desk, actor: str = "cli:bello") -> Approval:
    """Approve the one request that waits."""
    now = desk.wired.clock.now()

    def work(connection: Connection) -> Approval:
        (waiting,) = desk.approvals.listed(connection, now)
        return desk.approvals.approve(connection, waiting.id, actor, now)

    return desk.wired.run(work)


def test_what_nobody_serves_is_paid_by_hand_through_the_bank(wired: Wired) -> None:
    desk, made = by_hand(wired)
    assert desk.stands(made) == HELD_BY_HAND
    assert pay(desk, made)
    assert desk.stands(made) == PAID
    paid = desk.now(made)
    assert (paid.paid_through, paid.provider_txn_id) == ("bank", "BANK-1")
    recorded = wired.run(lambda c: audit.about(c, made.reference))
    assert [record.action for record in recorded] == ["withdrawal.request", "withdrawal.pay"]
    assert desk.wired.breaches() == []


def test_what_nobody_serves_may_be_rejected_by_one_operator(wired: Wired) -> None:
    desk, made = by_hand(wired)
    assert reject(desk, made)
    assert desk.stands(made) == BACK
    assert desk.wired.breaches() == []


def test_one_bank_transaction_pays_one_withdrawal(wired: Wired) -> None:
    desk, made = by_hand(wired)
    desk.fund("50.00")
    other = desk.request("10.00", intent="two")
    pay(desk, made)
    with pytest.raises(BadInput, match=made.reference):
        pay(desk, other)


@pytest.mark.parametrize("txn_id", ["", "x" * 65, "two words", "line\nbreak"])
def test_a_transaction_id_that_cannot_be_one_is_refused(wired: Wired, txn_id: str) -> None:
    desk, made = by_hand(wired)
    now = wired.clock.now()
    with pytest.raises(BadInput):
        wired.run(lambda c: desk.parts.operators.pay(c, made.reference, txn_id, "", DEED, now))
    assert desk.stands(made) == HELD_BY_HAND


def test_what_is_queued_is_paid_by_hand_and_the_worker_then_leaves_it(desk: Desk) -> None:
    desk.fund()
    made = desk.request()
    assert pay(desk, made, "bank")
    desk.work()
    assert desk.payer.paid == []
    assert desk.stands(made) == PAID


def test_a_payout_of_unknown_outcome_is_not_rejected_by_hand(desk: Desk) -> None:
    made = unknown(desk)
    with pytest.raises(StillOpen):
        reject(desk, made)
    assert desk.stands(made)[:2] == ("held", "unknown")


def test_a_payout_of_unknown_outcome_is_confirmed_through_its_provider_alone(desk: Desk) -> None:
    made = unknown(desk)
    with pytest.raises(StillOpen):
        pay(desk, made, "bank")
    assert pay(desk, made)
    assert desk.now(made).paid_through == "snippe"


def test_a_forced_rejection_needs_a_second_operator(desk: Desk) -> None:
    made = unknown(desk)
    assert not reject(desk, made, FORCED)
    assert desk.stands(made)[:2] == ("held", "unknown")
    with pytest.raises(BadInput, match="somebody else"):
        approve(desk, "cli:Ada")
    approve(desk)
    assert desk.stands(made) == BACK
    assert desk.wired.breaches() == []


def test_a_forced_payment_elsewhere_needs_a_second_operator(desk: Desk) -> None:
    made = unknown(desk)
    assert not pay(desk, made, "bank", FORCED)
    approve(desk)
    assert desk.stands(made) == PAID
    assert desk.now(made).paid_through == "bank"


def test_an_approval_comes_too_late_when_the_provider_has_decided(
    desk: Desk, clock: SteppedClock
) -> None:
    made = unknown(desk)
    assert not reject(desk, made, FORCED)
    desk.payer.answers = deque([CONFIRMED])
    clock.advance(minutes=1)
    desk.work()
    with pytest.raises(NotHeld):
        approve(desk)
    assert desk.stands(made) == PAID


def test_what_has_ended_is_neither_paid_nor_rejected_again(wired: Wired) -> None:
    desk, made = by_hand(wired)
    pay(desk, made)
    with pytest.raises(NotHeld):
        reject(desk, made)
    with pytest.raises(NotHeld):
        pay(desk, made)
    assert desk.stands(made) == PAID


def test_a_large_payout_waits_for_an_operator_and_then_goes_out(careful: Desk) -> None:
    careful.fund()
    made = careful.request("60.00")
    assert careful.stands(made)[:2] == ("held", "none")
    assert careful.work() == 0
    assert approve(careful).subject == made.reference
    careful.work()
    assert careful.stands(made) == PAID


def test_a_payout_at_the_threshold_goes_out_alone(careful: Desk) -> None:
    careful.fund()
    assert careful.request("50.00").payout == "queued"


def test_a_large_payment_by_hand_waits_for_a_second_operator(careful: Desk) -> None:
    careful.payer.phone_prefixes = ("+254",)
    careful.fund()
    made = careful.request("60.00")
    assert not pay(careful, made)
    assert careful.stands(made) == HELD_BY_HAND
    approve(careful)
    assert careful.stands(made) == PAID


def test_what_our_configuration_kept_from_going_out_is_sent_again(desk: Desk) -> None:
    desk.payer.says = deque([Refused("not set up", alarm=True), CONFIRMED])
    desk.fund()
    made = desk.request()
    desk.work()
    assert desk.stands(made) == HELD_BY_HAND
    now = desk.wired.clock.now()
    assert desk.wired.run(lambda c: desk.parts.operators.resend(c, made.reference, DEED, now))
    desk.work()
    assert desk.stands(made) == PAID
    assert [call.reference for call in desk.payer.paid] == [made.reference] * 2


def test_what_may_be_out_is_not_sent_again(desk: Desk) -> None:
    made = unknown(desk)
    now = desk.wired.clock.now()
    with pytest.raises(StillOpen):
        desk.wired.run(lambda c: desk.parts.operators.resend(c, made.reference, DEED, now))
    assert len(desk.payer.paid) == 1


def till(wired: Wired) -> Account:
    """A till that took 100.00."""
    now, books = wired.clock.now(), wired.gateway.books

    def work(connection: Connection) -> Account:
        made = ledger_store.create(connection, TILL, "till-1", "NGN", now, guarded=True)
        house = books.system(connection, HOUSE, "NGN", now)
        legs = (Leg(house, naira("-100.00")), Leg(made, naira("100.00")))
        books.post(connection, "test:till", "test", "", legs, now)
        return ledger_store.by_id(connection, made.id)

    return wired.run(work)


def test_a_settlement_is_held_and_paid_only_after_the_days_clean_run(desk: Desk) -> None:
    account = till(desk.wired)
    made = desk.request(
        "60.00", account=account, method=TO_BANK, destination="GB00BANK1", actor="cli:ada"
    )
    assert desk.stands(made) == HELD_BY_HAND
    assert desk.work() == 0
    with pytest.raises(NotReleased):
        pay(desk, made)
    desk.released.add(made.requested_at.date())
    assert pay(desk, made)
    assert desk.stands(made) == PAID
    bank = desk.wired.run(lambda c: ledger_store.find(c, SETTLEMENT, "bank", "NGN"))
    assert bank is not None
    assert desk.wired.send_all() == 0
    assert desk.wired.breaches() == []


def test_an_unknown_reference_is_a_plain_refusal(desk: Desk) -> None:
    now = desk.wired.clock.now()
    with pytest.raises(BadInput, match="no withdrawal"):
        desk.wired.run(lambda c: desk.parts.operators.reject(c, ADA[:12], DEED, now))
