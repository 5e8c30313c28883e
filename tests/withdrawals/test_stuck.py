"""Nothing held stands still unseen: a refused approval, a lost task, a lost question."""

from collections import deque
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, delete, update

from gateway.audit.approvals import EXPIRES_AFTER
from gateway.audit.decisions import store as approvals_store
from gateway.audit.decisions.store import Approval
from gateway.errors import BadInput
from gateway.outbox.store import outbox
from gateway.settings.limits import Money
from gateway.withdrawals import store
from gateway.withdrawals.operate import PAYOUT, Deed
from gateway.withdrawals.store import Payout, Withdrawal
from gateway.withdrawals.stuck.alarm import alarm_stuck
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.races import race
from tests.support.wired import Wired
from tests.withdrawals.staging import TAKEN, Desk, naira, told

DEED = Deed("cli:ada", "its task is gone")
OTHER = "cli:bello"
ASIDE = ("held", "manual", naira("40.00"), naira("60.00"))


@pytest.fixture
def careful(database_url: str, clock: SteppedClock) -> Iterator[Desk]:
    """Payouts above 50.00 need a second operator."""
    wired = Wired(database_url, clock, money=Money(payout_alone_max=naira("50.00")))
    yield Desk(wired)
    wired.close()


def waiting(desk: Desk, made: Withdrawal) -> Approval:
    """The request to let it go out."""
    found = desk.wired.run(lambda c: approvals_store.waiting(c, PAYOUT, made.reference))
    assert found is not None
    return found


def refuse(desk: Desk, approval: Approval) -> None:
    """Refuse it."""
    now = desk.wired.clock.now()
    desk.wired.run(lambda c: desk.approvals.refuse(c, approval.id, OTHER, "no", now))


def resend(desk: Desk, made: Withdrawal) -> bool:
    """`withdrawals send`."""
    now, operators = desk.wired.clock.now(), desk.parts.operators
    return desk.wired.run(lambda c: operators.resend(c, made.reference, DEED, now))


def sweep(desk: Desk) -> int:
    """What the sweep does about stuck ones."""
    return alarm_stuck(desk.wired.gateway.database, desk.wired.clock)


def lose_tasks(desk: Desk) -> None:
    """Every task is gone, as one that an old worker dropped."""
    gone = update(outbox).where(outbox.c.line != "sms").values(state="dropped")
    desk.wired.run(lambda c: c.execute(gone).rowcount)


def by_hand(desk: Desk) -> list[str]:
    """What `withdrawals list --manual` shows."""
    found = desk.wired.run(lambda c: store.listed(c, payout=Payout.MANUAL.value))
    return [one.reference for one in found]


def texts(desk: Desk) -> list[str]:
    """The templates of texts about withdrawals."""
    query = outbox.select().where(outbox.c.line == "sms", outbox.c.template.like("withdrawal%"))
    return [row.template for row in desk.wired.run(lambda c: c.execute(query).all())]


def test_a_refused_payout_is_put_before_the_operators_and_its_owner_hears_at_its_end(
    careful: Desk,
) -> None:
    careful.fund()
    made = careful.request()
    with captured_log() as log:
        refuse(careful, waiting(careful, made))
    assert [line["why"] for line in told(log, "payout_not_approved")] == ["approval refused"]
    assert (careful.stands(made), by_hand(careful)) == (ASIDE, [made.reference])
    assert texts(careful) == []
    now = careful.wired.clock.now()
    operators = careful.parts.operators
    assert careful.wired.run(lambda c: operators.reject(c, made.reference, DEED, now))
    assert careful.stands(made) == ("rejected", "none", naira("100.00"), naira("0.00"))
    assert texts(careful) == ["withdrawal_rejected"]


def test_one_that_nobody_decided_about_is_put_before_the_operators_by_the_sweep(
    careful: Desk, clock: SteppedClock
) -> None:
    careful.fund()
    made = careful.request()
    assert careful.approvals.sweep(careful.wired.gateway.database, clock) == 0
    assert careful.now(made).payout == "none"
    clock.advance(days=EXPIRES_AFTER.days)
    with captured_log() as log:
        assert careful.approvals.sweep(careful.wired.gateway.database, clock) == 1
    assert [line["why"] for line in told(log, "payout_not_approved")] == ["approval expired"]
    assert careful.stands(made) == ASIDE
    assert careful.approvals.sweep(careful.wired.gateway.database, clock) == 0


def test_what_was_refused_is_asked_for_again_and_then_goes_out(careful: Desk) -> None:
    careful.fund()
    made = careful.request()
    with captured_log():
        refuse(careful, waiting(careful, made))
    assert resend(careful, made) is False
    number, now = waiting(careful, made).id, careful.wired.clock.now()
    careful.wired.run(lambda c: careful.approvals.approve(c, number, OTHER, now))
    careful.work()
    assert careful.now(made).state == "paid"


def test_a_refusal_of_what_has_gone_on_meanwhile_changes_nothing(careful: Desk) -> None:
    careful.fund()
    made = careful.request()

    def end(connection: Connection) -> None:
        operators, now = careful.parts.operators, careful.wired.clock.now()
        operators.reject(connection, made.reference, DEED, now)

    careful.wired.run(end)
    with captured_log() as log:
        refuse(careful, waiting(careful, made))
    assert (careful.now(made).payout, told(log, "payout_not_approved")) == ("none", [])


def test_one_that_no_approval_waits_for_is_found_by_the_sweep(careful: Desk) -> None:
    careful.fund()
    made = careful.request()
    assert sweep(careful) == 0
    table = approvals_store.approvals
    careful.wired.run(lambda c: c.execute(delete(table)).rowcount)
    with captured_log() as log:
        assert sweep(careful) == 1
    assert [line["payout"] for line in told(log, "payout_stuck")] == ["none"]
    assert careful.stands(made) == ASIDE
    assert sweep(careful) == 0


def test_one_that_is_queued_without_a_task_alarms_until_it_is_sent(desk: Desk) -> None:
    desk.fund()
    made = desk.request()
    with pytest.raises(BadInput, match="it is queued"):
        resend(desk, made)
    assert sweep(desk) == 0
    lose_tasks(desk)
    assert desk.work() == 0
    with captured_log() as log:
        assert [sweep(desk), sweep(desk)] == [1, 1]
    assert [line["reference"] for line in told(log, "payout_stuck")] == [made.reference] * 2
    assert resend(desk, made)
    assert sweep(desk) == 0
    desk.work()
    assert (desk.now(made).state, len(desk.payer.paid)) == ("paid", 1)


def test_of_operators_who_send_a_stuck_one_at_once_one_does(desk: Desk) -> None:
    desk.fund()
    made = desk.request()
    lose_tasks(desk)
    outcomes = race(4, lambda _: resend(desk, made))
    assert outcomes.count(True) == 1
    desk.work()
    assert len(desk.payer.paid) == 1


@pytest.mark.parametrize("step", [Payout.SENDING, Payout.UNKNOWN])
def test_one_that_may_have_been_handed_over_without_a_task_is_told_and_never_sent_again(
    desk: Desk, step: Payout
) -> None:
    desk.payer.says = deque([TAKEN])
    desk.fund()
    made = desk.request()
    desk.work()
    steps, now = (Payout.UNKNOWN,), desk.wired.clock.now()
    desk.wired.run(lambda c: store.move(c, made.id, steps, step, now))
    lose_tasks(desk)
    with captured_log() as log:
        assert sweep(desk) == 1
    assert [line["payout"] for line in told(log, "payout_stuck")] == [step.value]
    assert desk.now(made).payout == "unknown"
    desk.work()
    assert len(desk.payer.paid) == 1
