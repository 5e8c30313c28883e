"""Telling the operators of withdrawals that nobody would move on, and moving on what is safe."""

from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.withdrawals import store
from gateway.withdrawals.operate import PAYOUT
from gateway.withdrawals.payout import wait_for_word
from gateway.withdrawals.store import Payout, Withdrawal
from gateway.withdrawals.stuck.store import unattended

log = structlog.get_logger()

ROWS_MAX = 100  # of one sweep


def alarm_stuck(database: Database, clock: Clock) -> int:
    """Alarm about each withdrawal that is stuck; how many. Those that stay so alarm each time.

    What no approval waits for goes to the operators. What is queued stays so, for
    `withdrawals send`. What may have been handed over is asked about.
    """
    found = database.run(lambda c: unattended(c, PAYOUT, ROWS_MAX))
    for one in found:
        database.run(partial(_see_to, one=one, now=clock.now()))
        log.error("payout_stuck", reference=one.reference, payout=one.payout)
    return len(found)


def _see_to(connection: Connection, one: Withdrawal, now: datetime) -> None:
    if one.payout == Payout.NONE:
        store.move(connection, one.id, (Payout.NONE,), Payout.MANUAL, now)
    elif one.payout == Payout.SENDING:
        wait_for_word(connection, one, now)
