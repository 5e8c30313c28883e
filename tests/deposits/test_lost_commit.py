"""A bad line to the database loses no deposit and books none twice."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from tests.deposits.staging import Till, snippe_body, till
from tests.support.clock import SteppedClock
from tests.support.commit_proxy import CommitProxy, Fault
from tests.support.mariadb import MariaDBServer


@pytest.fixture
def proxy(mariadb_server: MariaDBServer) -> Iterator[CommitProxy]:
    """The line to the shared server."""
    with CommitProxy(mariadb_server.port) as line:
        yield line


@pytest.fixture
def far(proxy: CommitProxy, mariadb_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway at the far end of the line."""
    with till(proxy.url(mariadb_url), clock) as made:
        yield made


@pytest.mark.parametrize("fault", [Fault.COMMIT_LOST, Fault.ANSWER_LOST, Fault.REFUSED])
def test_whatever_becomes_of_the_commit_the_money_is_credited_once(
    far: Till, proxy: CommitProxy, fault: Fault
) -> None:
    order = far.order()
    proxy.fail_next_commit(fault)
    assert far.snippe(snippe_body(order.reference)).status_code == 200
    assert (str(far.has()), far.movements()) == ("15000.00", 1)
    assert "credited" in far.became()
    assert far.breaches() == []


@pytest.mark.parametrize("fault", [Fault.COMMIT_LOST, Fault.ANSWER_LOST])
def test_a_payment_nobody_ordered_is_booked_once_over_a_lost_commit(
    far: Till, proxy: CommitProxy, fault: Fault
) -> None:
    proxy.fail_next_commit(fault)
    assert far.snippe(snippe_body("ORD-1001")).status_code == 200
    assert (str(far.suspense("snippe")), far.movements()) == ("15000.00", 1)
    assert far.breaches() == []


@pytest.mark.parametrize("fault", [Fault.COMMIT_LOST, Fault.ANSWER_LOST])
def test_an_order_is_placed_and_pushed_once_over_a_lost_commit(
    far: Till, proxy: CommitProxy, fault: Fault
) -> None:
    orders, now = far.gateway.deposits.orders, far.clock.now()
    far.wallet()
    proxy.fail_next_commit(fault)
    args = ("D2345BCDF", "+255680000001", "snippe", Decimal("500.00"), "TZS", now)
    placed = far.gateway.database.run(lambda c: orders.place(c, *args), keyed=True)
    assert placed.reference == "D2345BCDF"
    assert len(far.all()) == 1
    query = "SELECT COUNT(*) FROM outbox WHERE line = 'push'"
    assert far.run(lambda c: c.exec_driver_sql(query).scalar_one()) == 1
