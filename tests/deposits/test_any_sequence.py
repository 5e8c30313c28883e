"""Any sequence of what providers, workers and operators may do: the books hold after every step."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.errors import BadInput
from gateway.providers.base.messages import Outcome, Status
from tests.deposits.staging import JUMA, Till, snippe_body, till
from tests.support.clock import SteppedClock
from tests.support.databases import SQLiteTemplate

ORDERS = 2
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ("paid", "failed", "other amount", "answer", "no answer", "confirm", "freeze", "thaw")
        ),
        st.integers(0, ORDERS - 1),
        st.sampled_from(("TX1", "TX2", "TX3")),
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def template(sqlite_template: SQLiteTemplate) -> SQLiteTemplate:
    """The migrated file."""
    return sqlite_template


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Where the databases of the examples lie."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def act(tz: Till, what: str, order: Any, txn_id: str) -> None:
    """One step; what is refused changes nothing."""
    answers, now = tz.gateway.deposits.answers, tz.clock.now()
    if what == "paid":
        tz.snippe(snippe_body(order.reference, 1000, txn_id))
    elif what == "other amount":
        tz.snippe(snippe_body(order.reference, 900, txn_id))
    elif what == "failed":
        tz.snippe(snippe_body(order.reference, 1000, txn_id, "payment.failed"))
    elif what == "answer":
        paid = Status(Outcome.SUCCEEDED, txn_id)
        tz.run(lambda c: answers.answered(c, order.reference, paid, now))
    elif what == "no answer":
        unknown = Status(Outcome.SUCCEEDED)
        tz.run(lambda c: answers.answered(c, order.reference, unknown, now))
    elif what == "confirm":
        tz.confirm_by_two(order, txn_id)
    else:
        status = {"freeze": "frozen", "thaw": "active"}[what]
        change = f"UPDATE accounts SET status = '{status}' WHERE owner = '{JUMA}'"
        tz.run(lambda c: c.exec_driver_sql(change))


def credited(tz: Till) -> dict[str, int]:
    """How many movements each deposit has."""
    query = "SELECT subject, COUNT(*) FROM movements WHERE kind = 'deposit' GROUP BY subject"
    return {str(name): int(n) for name, n in tz.run(lambda c: c.exec_driver_sql(query).all())}


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS, number=st.uuids())
def test_after_every_step_the_books_hold_and_nothing_is_booked_twice(
    template: SQLiteTemplate, folder: Path, steps: list[tuple[str, int, str]], number: Any
) -> None:
    clock = SteppedClock()
    with till(template.copy_to(folder / f"{number}.db"), clock) as tz:
        orders = [tz.order("1000") for _ in range(ORDERS)]
        for what, which, txn_id in steps:
            clock.advance(seconds=60)
            before = tz.all()
            try:
                act(tz, what, orders[which], txn_id)
            except BadInput:
                assert tz.all() == before
            assert tz.breaches() == []
            assert set(credited(tz).values()) <= {1}
            known = [d.txn_id for d in tz.all() if d.txn_id]
            assert len(known) == len(set(known))
        assert all(d.state != "failed" for d in tz.all() if d.account_id is not None)
