"""Batches raced for: two workers, two approvers, a cancel and a retry in the middle."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import Connection, update

from gateway.api.batches import store
from gateway.api.batches.batch import BatchState
from gateway.api.batches.store import Batch, Kept, RowStatus, batch_rows
from gateway.api.batches.working import Worker
from gateway.audit.decisions.store import Approval
from gateway.errors import BadInput, TryAgain
from tests.api.batching import counts, issued, running, serials, sheet, shown
from tests.support.partner import Partner, partner
from tests.support.races import race
from tests.support.wired import Wired

ROWS = 12
MEET_SECONDS = 30


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


def batch_of(wired: Wired, name: str) -> Batch:
    """The batch's row."""
    found = wired.run(lambda c: store.by_reference(c, name))
    assert found is not None
    return found


@dataclass(frozen=True)
class Meeting(Worker):
    """A worker that begins only when all the others have read what waits, too."""

    barrier: Barrier
    met: list[bool] = field(default_factory=list)

    def _row(self, batch: Batch, kept: Kept) -> bool:
        if not self.met:
            self.met.append(True)
            self.barrier.wait(MEET_SECONDS)
        return Worker._row(self, batch, kept)


def at_once(wired: Wired, name: str, workers: int = 3) -> list[int | Exception]:
    """Workers without the lock that keeps them apart, on the same rows at the same moment."""
    batch, barrier = batch_of(wired, name), Barrier(workers)
    like = wired.gateway.partners.batch_worker
    parts = (like.database, like.clock, like.issuing, barrier)
    crew = [Meeting(*parts) for _ in range(workers)]

    def work(number: int) -> int:
        done = 0
        for _ in range(20):
            try:
                done += crew[number].slice(batch)
            except TryAgain:  # a slow machine
                continue
            if not wired.run(lambda c: store.has_waiting(c, batch.id)):
                return done
        raise AssertionError("nobody waits that long")

    return race(workers, work)


def _do(deeds: Sequence[Callable[[], object]], number: int) -> object:
    return deeds[number]()


def careless(connection: Connection, kept_id: int, now: Any) -> bool:
    """A claim that does not ask whether the row still waits."""
    c = batch_rows.c
    values = {"status": RowStatus.ISSUED.value, "done_at": now}
    return (
        connection.execute(update(batch_rows).where(c.id == kept_id).values(values)).rowcount == 1
    )


def hasty(connection: Connection, kept_id: int, code: str, detail: str, now: Any) -> bool:
    """The same of a failure."""
    c = batch_rows.c
    values = {"status": RowStatus.FAILED.value, "code": code, "detail": detail}
    return (
        connection.execute(update(batch_rows).where(c.id == kept_id).values(values)).rowcount == 1
    )


def test_without_the_claim_rows_that_were_issued_are_told_as_failed(
    acme: Partner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "claim", careless)
    monkeypatch.setattr(store, "fail", hasty)
    name = running(acme.wired, sheet(ROWS))
    at_once(acme.wired, name)
    assert counts(acme.wired, name)[2] > 0, "a row was decided once, by luck"


def test_workers_on_the_same_rows_issue_each_once_and_count_it_once(acme: Partner) -> None:
    name = running(acme.wired, sheet(ROWS))
    done = at_once(acme.wired, name)
    assert sum(one for one in done if isinstance(one, int)) == ROWS, done
    assert counts(acme.wired, name) == (0, ROWS, 0, 0)
    assert shown(acme.wired, name)["status"] == "done"
    assert (issued(acme.wired), len(set(serials(acme.wired, name)))) == (ROWS, ROWS)
    assert acme.get("/float").json["balance"] == "9880.00"
    assert acme.wired.breaches() == []


def test_of_workers_that_look_at_once_one_is_alone(acme: Partner) -> None:
    name, worker = running(acme.wired, sheet(ROWS)), acme.wired.gateway.partners.batch_worker
    done = race(3, lambda _: worker.advance())
    assert sum(one for one in done if isinstance(one, int)) == ROWS, done
    assert counts(acme.wired, name) == (0, ROWS, 0, 0)


def test_a_batch_approved_twice_at_once_runs_once(acme: Partner) -> None:
    wired, now = acme.wired, acme.wired.clock.now()
    name = acme.post("/batches", {"csv": sheet(2)}).json["batch"]
    (waits,) = wired.run(lambda c: wired.gateway.approvals.listed(c, now))

    def approve(number: int) -> Approval:
        by = f"cli:number{number}"
        return wired.run(lambda c: wired.gateway.approvals.approve(c, waits.id, by, now))

    done = race(4, approve)
    assert sum(isinstance(one, Approval) for one in done) == 1, done
    assert sum(isinstance(one, BadInput | TryAgain) for one in done) == 3, done
    assert shown(wired, name)["status"] == "running"
    with pytest.raises(BatchState):
        wired.run(lambda c: wired.gateway.partners.batches.begin(c, name))


def test_a_cancel_in_the_middle_leaves_each_row_issued_or_cancelled(acme: Partner) -> None:
    wired, name = acme.wired, running(acme.wired, sheet(ROWS))
    cancel = partial(acme.post, f"/batches/{name}/cancel")
    done = race(2, lambda n: cancel() if n else wired.gateway.partners.batch_worker.advance())
    assert not any(isinstance(one, Exception) for one in done), done
    waiting, made, failed, cancelled = counts(wired, name)
    assert (waiting, failed, made + cancelled) == (0, 0, ROWS)
    assert issued(wired) == made
    assert wired.gateway.partners.batch_worker.advance() == 0
    assert wired.breaches() == []


def test_a_retry_while_a_worker_ends_the_batch_is_not_forgotten(acme: Partner) -> None:
    wired, worker = acme.wired, acme.wired.gateway.partners.batch_worker
    for turn in range(5):
        text = sheet(1, amount="20000.00", first=turn + 1)  # more than the float has
        name = running(wired, text)
        worker.advance()
        assert counts(wired, name)[2] == 1
        retry = partial(acme.post, f"/batches/{name}/retry")
        deeds: list[Callable[[], object]] = [worker.advance, retry]
        race(2, partial(_do, deeds))
        worker.advance()
        found = shown(wired, name)
        assert (found["status"], found["waiting"], found["failed"]) == ("done", 0, 1), turn
