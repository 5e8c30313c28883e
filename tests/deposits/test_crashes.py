"""Killed between any two statements: nothing is half done, and what is repeated is done once."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, event

from gateway.database.engine import Database
from gateway.deposits.callbacks.store import Arrival
from gateway.errors import GatewayError
from gateway.providers.base.messages import Callback
from tests.deposits.staging import Till, snippe_body, snippe_headers

STATEMENTS_MAX = 40


class Killed(GatewayError):
    """The process ended here."""


class Killer:
    """Breaks the n-th statement from now on off."""

    def __init__(self, database: Database) -> None:
        self._left = -1
        event.listen(database.engine, "before_cursor_execute", self._count)

    def after(self, statements: int) -> None:
        """Let so many through; below zero: all."""
        self._left = statements

    def _count(self, *_: Any) -> None:
        if self._left == 0:
            self._left = -1
            raise Killed("here")
        self._left = max(self._left - 1, -1)


def picture(tz: Till) -> list[Any]:
    """Every row that a deposit touches."""
    tables = ("accounts", "movements", "entries", "deposits", "callbacks", "outbox")
    return [tz.run(partial(rows, table)) for table in tables]


def rows(table: str, connection: Connection) -> Any:
    """A whole table."""
    return connection.exec_driver_sql(f"SELECT * FROM {table}").all()


def killed_everywhere(tz: Till, act: Callable[[], object]) -> int:
    """Do it again and again, killed one statement later each time; how often it was killed."""
    killer, before = Killer(tz.gateway.database), picture(tz)
    for statements in range(STATEMENTS_MAX):
        killer.after(statements)
        try:
            act()
        except Killed:
            assert picture(tz) == before, statements
        else:
            killer.after(-1)
            return statements
    raise AssertionError("it never came to its end")


@pytest.mark.parametrize("ordered", [True, False])
def test_a_callback_killed_anywhere_leaves_every_row_as_it_was(tz: Till, ordered: bool) -> None:
    reference = tz.order().reference if ordered else "ORD-1001"
    parts = tz.gateway.deposits
    (dialect, *_) = parts.providers.dialects
    body = snippe_body(reference)
    captured: list[Any] = []

    def act() -> None:
        now = tz.clock.now()
        headers = snippe_headers(body, str(int(now.timestamp())))
        callback = Callback("", headers, body, "127.0.0.1", now)
        notice = dialect.parse(callback)
        arrival = Arrival("snippe", "snippe", "", "127.0.0.1", headers, body, now)
        take = parts.settler.take
        captured.append(tz.run(lambda c: take(c, arrival, dialect.trust, notice, now)))

    assert killed_everywhere(tz, act) > 5
    assert captured == ["credited" if ordered else "suspense"]
    assert tz.movements() == 1
    assert tz.breaches() == []


def test_a_release_killed_anywhere_leaves_the_money_in_suspense(tz: Till) -> None:
    tz.snippe(snippe_body("ORD-1001"))
    (deposit,) = tz.all()
    undoing, now = tz.gateway.deposits.undoing, tz.clock.now()
    release = (deposit.reference, "+255680000002", now)
    assert killed_everywhere(tz, lambda: tz.run(lambda c: undoing.release(c, *release))) > 4
    assert str(tz.has("+255680000002")) == "15000.00"
    assert tz.breaches() == []


def test_a_reversal_killed_anywhere_leaves_the_deposit_completed(tz: Till) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference))
    undoing, now = tz.gateway.deposits.undoing, tz.clock.now()
    back = (order.reference, now)
    assert killed_everywhere(tz, lambda: tz.run(lambda c: undoing.reverse(c, *back))) > 4
    assert (tz.seen(order).state, str(tz.has())) == ("reversed", "0.00")
    assert tz.breaches() == []


def test_an_order_killed_anywhere_leaves_neither_order_nor_prompt(tz: Till) -> None:
    tz.wallet()
    assert killed_everywhere(tz, lambda: tz.order()) > 2
    assert len(tz.all()) == 1
