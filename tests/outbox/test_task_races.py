"""Many runners at once: no row is performed twice, and an answer races with a lost lease."""

import time
from collections import Counter
from collections.abc import Callable
from functools import partial

from gateway.outbox import closing
from gateway.outbox.leases import store as leases_store
from gateway.outbox.queue import Lease
from gateway.outbox.store import LEASE
from tests.outbox.performing import PAY, Pays, Stage, running_threads, stage
from tests.outbox.rows import Rows
from tests.outbox.senders import until
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.races import race

ROWS, RUNNERS = 12, 6


def unguarded(on: Stage, pays: Pays) -> None:
    """Look what is queued, then perform it: without a claim."""
    queued = [row for row in on.rows.all() if row.state == "queued"]
    time.sleep(0.1)
    for message in queued:
        work = on.rows.run(partial(pays.begin, message=message, now=on.rows.now()))
        assert work is not None
        work()


def test_without_the_claim_two_runners_perform_every_row_twice(rows: Rows) -> None:
    pays = Pays()
    on = stage(rows, pays)
    for subject in range(ROWS):
        on.add(str(subject))
    assert race(2, lambda _: unguarded(on, pays)) == [None, None]
    assert set(Counter(pays.calls).values()) == {2}


def test_many_runners_perform_each_row_once(rows: Rows) -> None:
    pays = Pays(lambda: time.sleep(0.02))
    on = stage(rows, pays)
    for subject in range(ROWS):
        on.add(str(subject))
    runners = [on.runner(f"r{n}") for n in range(RUNNERS)]
    running_threads(runners, lambda: until(lambda: rows.states() == ["sent"] * ROWS))
    assert Counter(pays.calls) == Counter(str(subject) for subject in range(ROWS))
    assert all(on.told(str(subject)) == ["begun", "done"] for subject in range(ROWS))


def lost_in_mid_call(rows: Rows, on: Stage) -> Lease:
    """A row whose call is under way and whose lease has run out."""
    on.add()
    message, lease = rows.claim(row=rows.all()[0].id)
    begun = Lease(message.id, f"{lease.holder}:begun")
    now = rows.now()
    assert rows.run(
        lambda c: leases_store.begin(c, message.id, lease.holder, begun.holder, now + LEASE, now)
    )
    return begun


def test_two_that_settle_the_same_lost_row_ask_its_task_once(
    rows: Rows, clock: SteppedClock
) -> None:
    pays = Pays(after_lost=_slowly(lambda: None))
    on = stage(rows, pays)
    lost_in_mid_call(rows, on)
    clock.advance(seconds=61)
    with captured_log():
        settled = race(4, lambda n: on.runner(f"r{n}").settle_lost())
    assert sorted(map(str, settled)) == ["0", "0", "0", "1"]
    assert on.told() == ["lost"]


def test_an_answer_and_the_loss_of_its_lease_end_in_one_closed_row(
    rows: Rows, clock: SteppedClock
) -> None:
    pays = Pays(after_lost=_slowly(lambda: None), after_done=_slowly(lambda: None))
    on = stage(rows, pays)
    lease = lost_in_mid_call(rows, on)
    message = rows.all()[0]
    clock.advance(seconds=61)

    def act(number: int) -> None:
        if number:
            on.runner().settle_lost()
        else:
            rows.run(lambda c: closing.done(c, on.tasks[PAY], message, lease, "ok", rows.now()))

    with captured_log():
        assert race(2, act) == [None, None]
    assert rows.states() == ["sent"]
    assert on.told() in (["done"], ["lost", "done"])


def _slowly(then: Callable[[], None]) -> Callable[..., None]:
    def decide(*_: object) -> None:
        time.sleep(0.1)
        then()

    return decide
