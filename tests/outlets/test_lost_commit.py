"""A bad line to the database at the counter: whatever is repeated happens once."""

from collections.abc import Iterator

import pytest

from gateway.outlets.payments.store import State
from gateway.outlets.shifts.store import State as ShiftState
from tests.outlets.staging import Shop, naira
from tests.support.clock import SteppedClock
from tests.support.commit_proxy import CommitProxy, Fault
from tests.support.mariadb import MariaDBServer
from tests.support.wired import Wired

FAULTS = (Fault.COMMIT_LOST, Fault.ANSWER_LOST, Fault.REFUSED)


@pytest.fixture
def proxy(mariadb_server: MariaDBServer) -> Iterator[CommitProxy]:
    """The line to the shared server."""
    with CommitProxy(mariadb_server.port) as line:
        yield line


@pytest.fixture
def far(proxy: CommitProxy, mariadb_url: str, clock: SteppedClock) -> Iterator[Shop]:
    """An outlet at the far end of the line."""
    wired = Wired(proxy.url(mariadb_url), clock)
    yield Shop(wired).open()
    wired.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_confirmation_whose_answer_was_lost_is_paid_once(
    far: Shop, proxy: CommitProxy, fault: Fault
) -> None:
    cashier, shift = far.member(), far.shift()
    reference = far.shown(far.wired.issue("60.00").reveal())
    proxy.fail_next_commit(fault)
    assert far.confirm(reference, cashier).state == State.PAID
    assert far.confirm(reference, cashier).state == State.PAID
    assert far.account().balance == far.stand(shift).paid == naira("60.00")
    assert far.wired.breaches() == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_void_whose_answer_was_lost_makes_one_fresh_token(
    far: Shop, proxy: CommitProxy, fault: Fault
) -> None:
    chief, _ = far.manager(), far.shift()
    paid = far.pay("60.00")
    proxy.fail_next_commit(fault)
    voided = far.void(paid.reference, chief)
    assert (voided.state, far.void(paid.reference, chief)) == (State.VOIDED, voided)
    assert len(far.messages()) == 1
    assert far.wired.breaches() == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_till_is_opened_counted_and_closed_once_over_lost_answers(
    far: Shop, proxy: CommitProxy, fault: Fault
) -> None:
    cashier, chief, at = far.member(), far.manager(), far.till()
    counter, now, opened = far.counter, far.wired.clock.now(), naira("500.00")
    proxy.fail_next_commit(fault)
    shift = far.keyed(lambda c: counter.open_shift(c, cashier, at.id, opened, now))
    far.pay("60.00")
    proxy.fail_next_commit(fault)
    counted = far.keyed(lambda c: counter.count(c, shift.id, cashier, naira("439.00"), 0, now))
    assert counted.state == ShiftState.COUNTED
    proxy.fail_next_commit(fault)
    assert far.accept(counted, chief).state == ShiftState.CLOSED
    assert far.owed() == naira("60.00")
    assert [len(far.trail(f"shift.{deed}")) for deed in ("open", "count", "accept")] == [1, 1, 1]
    assert far.wired.breaches() == []
