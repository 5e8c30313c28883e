"""Tasks: begun, done outside of any transaction, and recorded once, whatever came of them."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from gateway.errors import OutcomeUnknown, Refused, SendFailed, Throttled, Unreachable
from gateway.outbox import queue, store
from gateway.outbox.queue import ATTEMPTS_MAX
from gateway.outbox.running import TaskRunner
from gateway.outbox.sending import NotWanted, NotYet
from gateway.outbox.store import Message
from gateway.outbox.tasks import LINES, PAYOUT, QUERY, Again, later
from tests.outbox.performing import PAY, Pays, drained, in_a_minute, stage
from tests.outbox.rows import Rows
from tests.support.clock import SteppedClock
from tests.support.log import captured_log


def failing(failure: Exception) -> Callable[[], Any]:
    """A call that ends so."""

    def call() -> None:
        raise failure

    return call


def test_a_task_is_begun_done_and_closed_once(rows: Rows) -> None:
    pays = Pays()
    on = stage(rows, pays)
    row = on.add()
    assert drained(on.runner()) == 1
    assert (rows.state(row), on.told(), pays.calls) == ("sent", ["begun", "done"], ["1"])
    assert drained(on.runner()) == 0


def test_a_task_that_asks_for_it_is_called_again_at_that_time(
    rows: Rows, clock: SteppedClock
) -> None:
    pays = Pays(after_done=in_a_minute)
    on = stage(rows, pays)
    row, runner = on.add(line=QUERY), on.runner()
    assert drained(runner) == 1
    assert (rows.state(row), rows.row(row).reason) == ("queued", "not yet")
    clock.advance(seconds=59)
    assert drained(runner) == 0
    clock.advance(seconds=1)
    pays.after_done = lambda _, __: None
    assert drained(runner) == 1
    assert (rows.state(row), rows.row(row).attempts, len(pays.calls)) == ("sent", 2, 2)


@pytest.mark.parametrize(
    ("failure", "state"),
    [
        (Unreachable("away"), "failed"),
        (Throttled("busy"), "failed"),
        (Refused("no such account"), "failed"),
        (OutcomeUnknown("silence"), "failed"),
        (ZeroDivisionError("4907"), "failed"),
    ],
)
def test_a_failure_is_told_to_the_task_and_closes_the_row(
    rows: Rows, failure: Exception, state: str
) -> None:
    pays = Pays(failing(failure))
    on = stage(rows, pays)
    row = on.add()
    with captured_log() as log:
        drained(on.runner())
        assert "task_failed" in log.text()
    told = type(failure).__name__ if isinstance(failure, SendFailed) else "OutcomeUnknown"
    assert (rows.state(row), on.told()) == (state, ["begun", told])
    assert "4907" not in str(rows.row(row).reason)


def test_a_failed_task_that_asks_for_it_is_tried_again_with_the_usual_waits(
    rows: Rows, clock: SteppedClock
) -> None:
    pays = Pays(failing(Unreachable("away")))
    pays.after_failed = lambda message, now: later(message, Unreachable("away"), now)
    on = stage(rows, pays)
    row, runner = on.add(), on.runner()
    for seconds in (5, 10, 20):
        assert drained(runner) == 1
        assert rows.row(row).due_at == clock.now() + timedelta(seconds=seconds)
        clock.advance(seconds=seconds)
    assert (rows.row(row).attempts, rows.row(row).reason) == (3, "away")


def test_the_usual_wait_gives_up_in_the_end_but_never_for_an_operators_fault(
    rows: Rows, clock: SteppedClock
) -> None:
    on = stage(rows)
    on.add()
    message = rows.claim(row=1)[0]
    tired = Message(**{**_fields(message), "attempts": ATTEMPTS_MAX})
    now = clock.now()
    assert later(tired, Unreachable("away"), now) is None
    assert later(tired, Throttled("busy"), now) is None
    minute = now + timedelta(minutes=1)
    assert later(message, Throttled("busy"), now) == Again(minute, "busy")
    alarm = Throttled("no credit", 60, alarm=True)
    assert later(tired, alarm, now) == Again(minute, "no credit", counts=False)


def _fields(message: Message) -> dict[str, Any]:
    return {name: getattr(message, name) for name in message.__slots__}


def test_what_is_not_wanted_is_dropped_without_a_call(rows: Rows) -> None:
    pays = Pays(wanted=False)
    on = stage(rows, pays)
    nothing, refused = on.add("1"), on.add("2")

    def before(message: Message) -> None:
        if message.subject == "2":
            raise NotWanted("it is paid")

    pays.before = before
    drained(on.runner())
    assert [rows.state(nothing), rows.state(refused)] == ["dropped", "dropped"]
    assert rows.row(refused).reason == "it is paid"
    assert (pays.calls, on.told("2")) == ([], [])


@pytest.mark.parametrize("error", [NotYet("later"), ZeroDivisionError("4907")])
def test_what_cannot_begin_yet_waits_without_losing_a_try(
    rows: Rows, clock: SteppedClock, error: Exception
) -> None:
    pays = Pays(before=lambda _: _raise(error))
    on = stage(rows, pays)
    row = on.add()
    with captured_log():
        drained(on.runner())
    assert (rows.state(row), rows.row(row).attempts) == ("queued", 0)
    pays.before = lambda _: None
    clock.advance(minutes=5)
    drained(on.runner())
    assert rows.state(row) == "sent"


def _raise(error: Exception) -> None:
    raise error


def test_a_template_nobody_knows_waits_for_a_newer_process(rows: Rows, clock: SteppedClock) -> None:
    on = stage(rows)
    row = on.add()
    with captured_log() as log:
        assert drained(on.runner()) == 1
        assert "task_missing" in log.text()
    clock.advance(minutes=1)
    on.tasks = {PAY: Pays()}
    drained(on.runner())
    assert (rows.state(row), rows.row(row).attempts) == ("sent", 1)


def test_paused_payouts_and_providers_wait_and_lose_nothing(
    rows: Rows, clock: SteppedClock
) -> None:
    pays = Pays()
    on = stage(rows, pays)
    payout, query = on.add(provider="selcom"), on.add(line=QUERY, provider="selcom")
    on.paused = {"payouts"}
    assert drained(on.runner()) == 1
    assert [rows.state(payout), rows.state(query)] == ["queued", "sent"]
    on.paused = {"provider:selcom"}
    assert drained(on.runner()) == 1
    assert (rows.state(payout), rows.row(payout).attempts) == ("queued", 0)
    on.paused = {"provider:mpesa", "sends"}
    clock.advance(minutes=1)
    assert drained(on.runner()) == 1
    assert rows.state(payout) == "sent"


def test_work_that_does_not_end_is_an_unknown_outcome(rows: Rows) -> None:
    pays = Pays(lambda: time.sleep(3))
    on = stage(rows, pays)
    row = on.add()
    with captured_log():
        drained(on.runner(call_seconds_max=0.2))
    assert (rows.state(row), on.told()) == ("failed", ["begun", "OutcomeUnknown"])
    assert "did not end" in str(rows.row(row).reason)


def test_a_provider_whose_calls_never_end_holds_up_no_other(rows: Rows) -> None:
    slow = Pays(lambda: time.sleep(3))
    on = stage(rows, slow)
    for subject in range(6):
        on.add(str(subject), provider="slow")
    runner = on.runner(call_seconds_max=0.1)
    with captured_log():
        drained(runner)
    assert [on.told(str(subject))[1] for subject in range(6)] == [
        *["OutcomeUnknown"] * 4,
        *["Unreachable"] * 2,  # not called at all
    ]
    slow.call = lambda: "receipt"
    row = on.add("7", provider="fast")
    drained(runner)
    assert rows.state(row) == "sent"


def test_a_call_longer_than_a_lease_is_a_mistake_of_the_wiring(rows: Rows) -> None:
    with pytest.raises(ValueError, match="longer than its lease"):
        TaskRunner(rows.database, rows.clock, {}, LINES, "r1", call_seconds_max=60.0)


def test_a_long_line_starves_no_other(rows: Rows) -> None:
    on = stage(rows, Pays())
    for subject in range(5):
        on.add(str(subject))
    query = on.add("9", line=QUERY)
    runner = on.runner()
    for _ in LINES:
        runner.run_next()
    assert rows.state(query) == "sent"


def test_a_sender_of_texts_never_touches_a_task(rows: Rows, clock: SteppedClock) -> None:
    on = stage(rows, Pays())
    row = on.add()
    assert rows.run(lambda c: queue.claim_next(c, "w", clock.now())) is None
    assert rows.run(lambda c: store.next_due(c, clock.now(), PAYOUT)) == row
