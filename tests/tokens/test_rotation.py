"""Rotating keys: only when every running process holds the new one; old tokens go on working."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest

from gateway.errors import KeyMissing
from gateway.tokens.keys import reporter, rotation, store
from gateway.tokens.keys.rings import GENERATE, LOOKUP
from gateway.tokens.keys.rotation import REPORT_VALID, RotationRefused
from gateway.tokens.redeem import Answer
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.races import race
from tests.support.wired import Wired
from tests.tokens.keyed import BOTH_RINGS, NEW_RINGS, OLD_RINGS, holds, rotate, write_kids
from tests.tokens.staging import brought_to, count


def test_the_first_issue_names_the_newest_keys_and_a_new_ring_does_not_switch(
    process: Callable[..., Wired],
) -> None:
    old = process(OLD_RINGS)
    old.issue()
    assert write_kids(old) == {GENERATE: "k1", LOOKUP: "p1"}
    token = process(BOTH_RINGS).token(process(BOTH_RINGS).issue().serial)
    assert (token.generate_kid, token.lookup_kid) == ("k1", "p1")


@pytest.mark.parametrize(("purpose", "kid"), [(GENERATE, "k2"), (LOOKUP, "p2")])
def test_a_rotation_waits_for_every_running_process(
    process: Callable[..., Wired], clock: SteppedClock, purpose: str, kid: str
) -> None:
    process(OLD_RINGS).issue()
    both = process(BOTH_RINGS)
    holds(both, "web-1:7", BOTH_RINGS)
    holds(both, "web-2:7", {ring: keys.replace("2:", "22:") for ring, keys in BOTH_RINGS.items()})
    with pytest.raises(RotationRefused) as error:
        rotate(both, purpose, kid)
    assert "web-2:7" in str(error.value)
    assert "web-1:7" not in str(error.value)
    assert write_kids(both) == {GENERATE: "k1", LOOKUP: "p1"}
    holds(both, "web-2:7", BOTH_RINGS)
    rotate(both, purpose, kid)
    assert write_kids(both)[purpose] == kid


def test_a_process_silent_for_long_is_taken_for_gone(
    process: Callable[..., Wired], clock: SteppedClock
) -> None:
    process(OLD_RINGS).issue()
    both = process(BOTH_RINGS)
    holds(both, "web-2:7", OLD_RINGS)
    clock.advance(seconds=REPORT_VALID.total_seconds())
    with pytest.raises(RotationRefused):
        rotate(both, GENERATE, "k2")
    clock.advance(seconds=timedelta(microseconds=1).total_seconds())
    rotate(both, GENERATE, "k2")


def test_a_process_that_signs_off_is_not_waited_for(process: Callable[..., Wired]) -> None:
    old, both = process(OLD_RINGS), process(BOTH_RINGS)
    old.issue()
    old.gateway.report_keys("web")
    with pytest.raises(RotationRefused):
        rotate(both, GENERATE, "k2")
    old.run(rotation.sign_off)
    rotate(both, GENERATE, "k2")


def test_a_key_that_the_rotating_process_lacks_is_refused(process: Callable[..., Wired]) -> None:
    both = process(BOTH_RINGS)
    with pytest.raises(KeyMissing):
        rotate(both, GENERATE, "k3")
    assert write_kids(both) == {GENERATE: None, LOOKUP: None}


def test_the_first_key_can_be_named_by_a_rotation(process: Callable[..., Wired]) -> None:
    both = process(BOTH_RINGS)
    rotate(both, GENERATE, "k1")
    assert both.token(both.issue().serial).generate_kid == "k1"


def rotated(process: Callable[..., Wired]) -> Wired:
    """A process with both rings that writes with the new keys."""
    both = process(BOTH_RINGS)
    rotate(both, GENERATE, "k2")
    rotate(both, LOOKUP, "p2")
    return both


def test_tokens_of_the_old_keys_redeem_and_reprint_after_a_rotation(
    process: Callable[..., Wired],
) -> None:
    old = process(OLD_RINGS).issue()
    both = rotated(process)
    new = both.issue()
    assert both.token(new.serial).generate_kid == "k2"
    for issued in (old, new):
        assert both.gateway.reprinter.digits(both.token(issued.serial)) == issued.reveal()
        assert both.redeem(issued.reveal()).answer is Answer.REDEEMED
    assert both.breaches() == []


def test_a_process_without_the_new_write_keys_is_not_ready_and_issues_nothing(
    process: Callable[..., Wired],
) -> None:
    rotated(process)
    old = process(OLD_RINGS)
    assert old.gateway.obstacles() == ["key missing: generate:k2", "key missing: lookup:p2"]
    with pytest.raises(KeyMissing):
        old.issue()


@pytest.mark.parametrize("state", ["issued", "suspended", "overdue"])
def test_a_key_cannot_be_retired_while_a_live_token_needs_it(
    process: Callable[..., Wired], state: str
) -> None:
    issued = brought_to(process(OLD_RINGS), state)
    both = rotated(process)
    new = process(NEW_RINGS)
    assert both.gateway.obstacles() == []
    assert new.gateway.obstacles() == ["key missing: generate:k1", "key missing: lookup:p1"]
    token, now = both.token(issued.serial), both.clock.now()
    if state == "overdue":
        both.run(lambda c: both.gateway.retirer.expire(c, token.id, now))
    else:
        both.run(lambda c: both.gateway.retirer.cancel(c, token, "test", "", now))
    assert new.gateway.obstacles() == []


def test_racing_first_writers_name_one_key(process: Callable[..., Wired]) -> None:
    two = (process(OLD_RINGS), process(BOTH_RINGS))
    results = race(2, lambda number: two[number].issue())
    named = write_kids(two[1])
    assert count(two[1], store.write_keys) == 2
    failed = [result for result in results if isinstance(result, Exception)]
    # The older process cannot write with a key that it lacks: it says so.
    assert [type(error) for error in failed] == [KeyMissing] * (named[GENERATE] == "k2")
    assert two[1].breaches() == []


def test_racing_reports_of_one_process_make_one_row(process: Callable[..., Wired]) -> None:
    both = process(BOTH_RINGS)
    assert race(4, lambda _: both.gateway.report_keys("web")) == [None] * 4
    assert count(both, store.key_holders) == 1


def test_the_reporter_outlives_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reporter, "REPORT_SECONDS", 0.01)
    reports: list[int] = []
    enough = threading.Event()

    def report() -> None:
        reports.append(len(reports))
        if len(reports) == 1:
            raise OSError("the database is away")
        enough.set()

    with captured_log() as log:
        stop = reporter.start_reporting(report)
        assert enough.wait(10)
        stop.set()
        for thread in threading.enumerate():
            if thread.name == "key-reporter":
                thread.join(10)
    assert [line["event"] for line in log.lines()] == ["key_report_failed"]
