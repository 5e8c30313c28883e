"""Forgetting quiet sources: in batches, past rows others hold, and never one that came back."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import delete, select

from gateway.database.engine import Database, Deadline
from gateway.errors import TryAgain
from gateway.tokens.guesses import store
from gateway.tokens.guesses.store import guess_counters
from gateway.tokens.tills import store as tills
from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from tests.tokens.staging import count, phone


def sources(wired: Wired, *names: str) -> None:
    """Count one wrong entry of each."""
    for name in names:
        wired.run(lambda c, n=name: store.count(c, n, wired.clock.now()))  # type: ignore[misc]


def test_several_batches_of_quiet_sources_are_forgotten(
    wired: Wired, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.tokens.sweep.BATCH", 2)
    sources(wired, *(f"phone:{number}" for number in range(5)))
    clock.advance(days=3)
    sources(wired, "phone:hot")
    assert wired.gateway.chores()["counters_purged"]() == 5
    assert count(wired, guess_counters) == 1


def test_what_a_till_paid_a_customer_is_forgotten_days_later(
    wired: Wired, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.tokens.tills.purge.BATCH", 2)
    most, amount, chore = (
        Decimal("9.00"),
        Decimal("1.00"),
        wired.gateway.chores()["till_days_purged"],
    )
    day = clock.now().date()

    def pays(customer: str) -> bool:
        today = clock.now().date()
        counted = (1, customer, today, amount, most)
        return wired.run(lambda c: tills.count_within(c, *counted))

    assert all(pays(phone(number)) for number in range(5))
    clock.advance(days=3)
    assert (chore(), pays(phone(1))) == (0, True)
    clock.advance(days=1)
    assert (chore(), count(wired, tills.agent_customers)) == (5, 1)
    assert wired.run(lambda c: tills.paid(c, 1, phone(1), day)) is None


def test_a_source_that_counts_again_after_it_was_read_is_kept(
    wired: Wired, clock: SteppedClock
) -> None:
    sources(wired, "phone:1", "phone:2")
    clock.advance(days=3)
    before = clock.now() - timedelta(days=2)
    quiet = wired.run(lambda c: store.quiet(c, before, 10))
    assert quiet == ["phone:1", "phone:2"]
    sources(wired, "phone:1")
    assert wired.run(lambda c: store.purge(c, quiet, before)) == 1
    assert wired.run(lambda c: list(store.read(c, quiet))) == ["phone:1"]


def test_a_row_that_a_guess_holds_does_not_stop_the_purge_of_others(
    mariadb_url: str, clock: SteppedClock
) -> None:
    wired, other = Wired(mariadb_url, clock), Database(mariadb_url)
    sources(wired, "phone:1", "phone:2")
    clock.advance(days=3)
    sources(wired, "phone:hot")
    hot = select(guess_counters.c.source).where(guess_counters.c.source == "phone:hot")
    # MariaDB reads what it deletes under locks, unless it is told the row by its key.
    unnamed = delete(guess_counters).where(guess_counters.c.day_from < clock.now())
    with other.engine.connect() as connection:
        connection.execute(hot.with_for_update())
        with pytest.raises(TryAgain):
            wired.gateway.database.run(
                lambda c: c.execute(unnamed).rowcount, deadline=Deadline(0.5)
            )
        assert wired.gateway.chores()["counters_purged"]() == 2
    other.dispose()
    wired.close()
