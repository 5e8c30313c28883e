"""Nobody who waits for a row of the staff keeps others from having their PIN hashed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import select

from gateway.clock import monotonic
from gateway.database.engine import Deadline
from gateway.errors import TryAgain
from gateway.people.staff.store import Role, staff
from tests.support.wired import Wired
from tests.web.staffed import PHONES, PIN, Staffed

SECONDS = 3.0


@pytest.fixture
def staffed(wired: Wired) -> Staffed:
    """One of each role."""
    return Staffed(wired)


@contextmanager
def held(wired: Wired, role: Role) -> Iterator[None]:
    """Somebody's row is locked by another; on SQLite the whole database is."""
    with wired.gateway.database.engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("UPDATE staff SET tries = tries")
        else:
            row = select(staff.c.id).where(staff.c.msisdn == PHONES[role])
            connection.execute(row.with_for_update())
        yield
        connection.rollback()


def test_a_locked_row_ends_a_login_within_its_own_time(staffed: Staffed) -> None:
    entrance, began = staffed.wired.gateway.roster.entrance, monotonic()
    with held(staffed.wired, Role.CASHIER), pytest.raises(TryAgain):
        entrance.entered(PHONES[Role.CASHIER], PIN, Deadline(SECONDS))
    assert monotonic() - began < SECONDS
    assert entrance.entered(PHONES[Role.CASHIER], PIN, Deadline(SECONDS)).role == Role.CASHIER


def test_a_login_that_waits_for_a_row_gives_the_turn_on_within_a_second(staffed: Staffed) -> None:
    gateway, began = staffed.wired.gateway, monotonic()
    ended: list[str] = []

    def waits() -> None:
        with pytest.raises(TryAgain):
            gateway.roster.entrance.entered(PHONES[Role.CASHIER], PIN)
        ended.append("in time")

    with held(staffed.wired, Role.CASHIER):
        waiting = threading.Thread(target=waits)
        waiting.start()
        waiting.join(0.2)
        with gateway.people.hasher.turn(Deadline(SECONDS)):
            assert monotonic() - began < SECONDS
        waiting.join(SECONDS)
    assert ended == ["in time"]


def test_a_new_pin_is_not_waited_for_beyond_the_deadline(staffed: Staffed) -> None:
    roster = staffed.wired.gateway.roster
    with held(staffed.wired, Role.CASHIER):
        began = monotonic()
        with pytest.raises(TryAgain):
            roster.change_pin(PHONES[Role.CASHIER], PIN, "8264", Deadline(SECONDS))
        assert monotonic() - began < SECONDS + 1
    assert roster.change_pin(PHONES[Role.CASHIER], PIN, "8264").pin_once is None
