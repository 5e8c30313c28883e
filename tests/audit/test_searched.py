"""The trail is searched by subject, actor and day, a page at a time, without reading all of it."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from gateway.audit import trail
from gateway.audit.searched import store
from gateway.audit.searched.store import Wanted
from gateway.database.engine import Database
from tests.support.clock import START

ADA, ROOT = "staff:1:Ada Obi", "cli:root"


@pytest.fixture
def lines(database: Database) -> Database:
    """Twelve lines, an hour apart, by two in turn, about three things in turn."""
    for n in range(12):
        actor, subject = (ADA, ROOT)[n % 2], f"S{n % 3}"
        at = START + timedelta(hours=n)
        database.run(
            lambda c, a=actor, s=subject, t=at, n=n: trail.record(  # type: ignore[misc]
                c, a, f"deed.{n}", s, t, "because"
            )
        )
    return database


def found(database: Database, wanted: Wanted, before: int | None = None) -> list[int]:
    """Which of the twelve."""
    rows = database.run(lambda c: store.page(c, wanted, before, 50))
    return [int(line.record.action.removeprefix("deed.")) for line in rows]


def test_each_question_finds_its_lines_newest_first(lines: Database) -> None:
    assert found(lines, Wanted()) == list(range(11, -1, -1))
    assert found(lines, Wanted(subjects=["S1"])) == [10, 7, 4, 1]
    assert found(lines, Wanted(subjects=["S1", "S2", "S9"])) == [11, 10, 8, 7, 5, 4, 2, 1]
    assert found(lines, Wanted(actor=ADA)) == [10, 8, 6, 4, 2, 0]
    assert found(lines, Wanted(subjects=["S1"], actor=ADA)) == [10, 4]
    assert found(lines, Wanted(actor="staff:1")) == []
    assert found(lines, Wanted(subjects=[])) == []


def test_a_span_of_time_begins_with_its_first_instant_and_ends_before_its_last(
    lines: Database,
) -> None:
    for first in range(12):
        span = (START + timedelta(hours=first), START + timedelta(hours=first + 3))
        wanted = Wanted(since=span[0], until=span[1])
        assert found(lines, wanted) == [n for n in range(11, -1, -1) if first <= n < first + 3]
    ada = Wanted(actor=ADA, since=START, until=START + timedelta(hours=5))
    assert found(lines, ada) == [4, 2, 0]
    later = START + timedelta(days=400)
    assert found(lines, Wanted(since=later, until=later + timedelta(days=1))) == []


def test_lines_that_were_committed_out_of_their_order_are_found_all_the_same(
    database: Database,
) -> None:
    minute = timedelta(minutes=1)
    for n, at in enumerate((START, START - minute, START + minute, START - 2 * minute, START)):
        database.run(
            lambda c, t=at, n=n: trail.record(c, ADA, f"deed.{n}", "S", t)  # type: ignore[misc]
        )
    day = timedelta(days=1)
    assert found(database, Wanted(since=START, until=START + day)) == [4, 2, 0]
    assert found(database, Wanted(since=START - day, until=START)) == [3, 1]


def test_a_page_ends_where_the_next_one_begins(lines: Database) -> None:
    first = lines.run(lambda c: store.page(c, Wanted(actor=ADA), None, 2))
    further = found(lines, Wanted(actor=ADA), before=first[-1].id)
    assert [line.record.action for line in first] == ["deed.10", "deed.8"]
    assert further == [6, 4, 2, 0]


def test_the_lines_of_an_actor_are_found_by_an_index(mariadb_url: str, sqlite_url: str) -> None:
    question = "SELECT id FROM audit_trail WHERE actor = 'a' ORDER BY id DESC LIMIT 9"
    for url, explain in ((mariadb_url, "EXPLAIN"), (sqlite_url, "EXPLAIN QUERY PLAN")):
        database = Database(url)
        with database.snapshot() as connection:
            plan = str(connection.execute(text(f"{explain} {question}")).all())
        database.dispose()
        assert "ix_audit_trail_actor" in plan
        assert "TEMP B-TREE" not in plan
        assert "filesort" not in plan
