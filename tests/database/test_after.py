"""What waits for a COMMIT is done once it has returned, and never after a rollback."""

import pytest
from sqlalchemy import Connection

from gateway.database import after
from gateway.database.engine import Database
from gateway.errors import BadInput, RaceLost


def test_what_waits_for_a_commit_is_done_after_it(database: Database) -> None:
    done: list[str] = []

    def work(_: Connection) -> None:
        after.commit(lambda: done.append("counted"))
        assert done == []

    database.run(work)
    assert done == ["counted"]


def test_a_repeat_counts_once(database: Database) -> None:
    done: list[str] = []
    tries = iter([True, True, False])

    def work(_: Connection) -> None:
        after.commit(lambda: done.append("counted"))
        if next(tries):
            raise RaceLost("again")

    database.run(work)
    assert done == ["counted"]


def test_what_was_rolled_back_is_never_counted(database: Database) -> None:
    done: list[str] = []

    def work(_: Connection) -> None:
        after.commit(lambda: done.append("counted"))
        raise BadInput("no")

    with pytest.raises(BadInput):
        database.run(work)
    database.run(lambda _: None)
    assert done == []


def test_counting_that_fails_changes_nothing(database: Database) -> None:
    def fail() -> None:
        raise OSError("no space")

    def work(_: Connection) -> str:
        after.commit(fail)
        return "committed"

    assert database.run(work) == "committed"


def test_work_inside_an_action_is_a_unit_of_its_own(database: Database) -> None:
    done: list[str] = []
    database.run(lambda _: after.commit(lambda: database.run(lambda _: done.append("inner"))))
    assert done == ["inner"]
