"""Tasks whose worker dies, whose database goes away, whose lease runs out, whose answer is late."""

import os
import subprocess
import sys

import pytest

from gateway.database.engine import Database
from gateway.errors import CommitUnknown, TryAgain
from gateway.outbox import store
from gateway.outbox.running import TaskRunner
from gateway.outbox.store import State
from tests.outbox.performing import Killed, Pays, Stage, drained, in_a_minute, stage
from tests.outbox.rows import Rows
from tests.support.clock import SteppedClock
from tests.support.databases import migrate
from tests.support.house import ROOT
from tests.support.log import captured_log
from tests.support.mariadb import PrivateMariaDB

# Claims the one payout, begins it and dies in the middle of the call.
DIES = """
import os, sys
from gateway.clock import Clock
from gateway.database.engine import Database
from tests.outbox.performing import Pays, stage
from tests.outbox.rows import Rows
dies = Pays(lambda: os._exit(9))
drained = stage(Rows(Database(sys.argv[1]), Clock()), dies).runner("dies").run_next()
"""


def die(message: object = None) -> None:
    """What a kill does to the thread."""
    raise Killed


def test_a_runner_killed_before_the_call_has_left_nothing_and_the_row_is_simply_taken_again(
    rows: Rows, clock: SteppedClock
) -> None:
    pays = Pays(before=die)
    on = stage(rows, pays)
    row = on.add()
    with pytest.raises(Killed):
        on.runner().run_next()
    assert (rows.state(row), on.told()) == ("sending", [])
    clock.advance(seconds=61)
    with captured_log():
        assert on.runner("r2").settle_lost() == 1
    pays.before = lambda _: None
    assert drained(on.runner("r2")) == 1
    assert (rows.state(row), on.told()) == ("sent", ["begun", "done"])


def test_a_row_whose_call_may_have_been_made_is_never_called_again_by_itself(
    rows: Rows, clock: SteppedClock
) -> None:
    pays = Pays()
    on = stage(rows, pays)
    row = on.add()
    begun_and_lost(on)
    assert (rows.state(row), on.told()) == ("sending", ["begun"])
    assert on.runner("r2").settle_lost() == 0  # its lease still runs
    clock.advance(seconds=61)
    with captured_log():
        assert on.runner("r2").settle_lost() == 1
        assert on.runner("r2").settle_lost() == 0
    clock.advance(days=30)
    assert drained(on.runner("r2")) == 0
    assert (rows.state(row), on.told(), pays.calls) == ("failed", ["begun", "lost"], [])


def begun_and_lost(on: Stage) -> None:
    """A runner begins the next row and dies before it is recorded what came of it."""

    class Dies(TaskRunner):
        def _perform(self, *_: object) -> None:
            raise Killed

    of = Dies(on.rows.database, on.rows.clock, on.tasks, ("payout", "query"), "dies")
    with pytest.raises(Killed):
        of.run_next()


def test_a_lost_row_is_called_again_when_its_task_says_so(rows: Rows, clock: SteppedClock) -> None:
    pays = Pays(repeatable=True, after_lost=in_a_minute)
    on = stage(rows, pays)
    row = on.add()
    begun_and_lost(on)
    clock.advance(seconds=61)
    with captured_log():
        on.runner("r2").settle_lost()
    assert drained(on.runner("r2")) == 0
    clock.advance(minutes=1)
    assert drained(on.runner("r2")) == 1
    assert (rows.state(row), on.told()) == ("sent", ["begun", "lost", "begun", "done"])


def test_a_process_that_dies_in_mid_call_leaves_its_row_to_be_decided(
    rows: Rows, database: Database, clock: SteppedClock
) -> None:
    on = stage(rows, Pays())
    row = on.add()
    url = database.url.render_as_string(hide_password=False)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-c", DIES, url], env=env, cwd=ROOT, timeout=60, check=False
    )
    assert ended.returncode == 9
    assert (rows.state(row), on.told()) == ("sending", ["begun"])
    clock.advance(days=10_000)  # the process lived in the real time
    with captured_log():
        assert on.runner().settle_lost() == 1
    assert (rows.state(row), on.told()) == ("failed", ["begun", "lost"])


def test_an_answer_that_comes_after_the_lease_is_recorded_all_the_same(
    rows: Rows, clock: SteppedClock
) -> None:
    pays = Pays(after_lost=in_a_minute)
    on = stage(rows, pays)

    def slowly() -> str:
        clock.advance(seconds=61)
        on.runner("r2").settle_lost()
        return "receipt"

    pays.call = slowly
    row = on.add()
    with captured_log() as log:
        drained(on.runner())
        assert "task_done_late" in log.text()
    assert (rows.state(row), on.told()) == ("sent", ["begun", "lost", "done"])
    clock.advance(days=1)
    assert drained(on.runner()) == 0  # what `lost` wanted again is done
    assert pays.calls == ["1"]


def test_a_failure_that_comes_after_the_lease_leaves_the_decision_as_it_was(
    rows: Rows, clock: SteppedClock
) -> None:
    pays = Pays()
    on = stage(rows, pays)

    def slowly() -> None:
        clock.advance(seconds=61)
        on.runner("r2").settle_lost()
        raise TimeoutError

    pays.call = slowly
    row = on.add()
    with captured_log():
        drained(on.runner())
    assert (rows.state(row), on.told()) == ("failed", ["begun", "lost"])


def test_a_runner_that_slept_between_claim_and_call_makes_no_call(
    rows: Rows, clock: SteppedClock
) -> None:
    class Sleeps(TaskRunner):
        def _run(self, *given: object) -> None:
            clock.advance(seconds=61)
            on.runner("r2").settle_lost()
            super()._run(*given)  # type: ignore[arg-type]

    pays = Pays()
    on = stage(rows, pays)
    row = on.add()
    with captured_log() as log:
        Sleeps(rows.database, clock, on.tasks, ("payout",), "sleeps").run_next()
        assert "task_lease_lost" in log.text()
    assert (rows.state(row), pays.calls, on.told()) == ("queued", [], [])


@pytest.mark.parametrize(("repeatable", "after"), [(True, "queued"), (False, "sending")])
def test_what_a_task_cannot_record_is_tried_again_only_if_it_may_be(
    rows: Rows, clock: SteppedClock, *, repeatable: bool, after: str
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    pays = Pays(repeatable=repeatable, after_done=broken, after_failed=broken)
    on = stage(rows, pays)
    row = on.add()
    with captured_log():
        assert drained(on.runner()) == 1
        assert (rows.state(row), on.told()) == (after, ["begun"])
        clock.advance(seconds=61)
        on.runner().settle_lost()
    assert rows.state(row) == ("queued" if repeatable else "failed")


def test_a_result_that_cannot_be_recorded_is_told_as_an_unknown_outcome(rows: Rows) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    on = stage(rows, Pays(after_done=broken))
    row = on.add()
    with captured_log():
        drained(on.runner())
    assert (rows.state(row), on.told()) == ("failed", ["begun", "OutcomeUnknown"])


def test_a_lost_row_that_cannot_be_decided_holds_up_no_other(
    rows: Rows, clock: SteppedClock
) -> None:
    pays = Pays()
    on = stage(rows, pays)
    poisoned, other = on.add("1"), on.add("2")
    for _ in range(2):
        begun_and_lost(on)

    def decide(message: store.Message, _: object) -> None:
        if message.subject == "1":
            raise ZeroDivisionError

    pays.after_lost = decide
    clock.advance(seconds=61)
    with captured_log() as log:
        assert on.runner().settle_lost() == 1
        assert "lost_task_not_settled" in log.text()
    assert [rows.state(poisoned), rows.state(other)] == [State.SENDING, State.FAILED]


def test_an_outcome_outlives_an_outage_of_the_database(
    private_mariadb: PrivateMariaDB, clock: SteppedClock
) -> None:
    private_mariadb.create_database("gateway")
    url = private_mariadb.url("gateway")
    migrate(url)
    database = Database(url)
    rows = Rows(database, clock)

    def pay() -> str:
        private_mariadb.kill()
        return "receipt"

    pays = Pays(pay)
    on = stage(rows, pays)
    row, runner = on.add(), on.runner()
    for _ in range(2):
        with pytest.raises((TryAgain, CommitUnknown)):
            runner.run_next()
    private_mariadb.start()
    assert not runner.run_next()
    assert (rows.state(row), on.told(), pays.calls) == ("sent", ["begun", "done"], ["1"])
    database.dispose()
