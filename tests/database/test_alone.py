"""A long job has one process at a time, and a killed one leaves no stale lock."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.database.alone import Busy, alone
from gateway.database.engine import Database

HOLDER = """
import sys, time
from gateway.database.alone import alone
from gateway.database.engine import Database
with alone(Database(sys.argv[1]), "job"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_holder_is_refused_while_the_first_is_at_it(database: Database) -> None:
    with alone(database, "job") as held:
        held.insist()
        with pytest.raises(Busy), alone(database, "job"):
            pass
    with alone(database, "job") as again:
        again.insist()


def test_two_jobs_do_not_wait_for_each_other(database: Database) -> None:
    with alone(database, "job"), alone(database, "other") as held:
        held.insist()


def test_a_killed_process_leaves_nothing_behind(database: Database, database_url: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, database_url],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Busy), alone(database, "job"):
            pass
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
    for _ in range(50):
        try:
            with alone(database, "job"):
                return
        except Busy:  # the server notices the cut line a moment later
            pass
    pytest.fail("the lock outlived its process")


def test_a_lock_that_was_lost_with_its_line_is_noticed(mariadb_url: str) -> None:
    database = Database(mariadb_url)
    with alone(database, "job") as held, database.engine.connect() as other:
        query = "SELECT IS_USED_LOCK(CONCAT('gateway job ', DATABASE()))"
        number = other.exec_driver_sql(query).scalar_one()
        other.exec_driver_sql(f"KILL {int(number)}")
        with pytest.raises(Busy, match="lost"):
            held.insist()
    database.dispose()
