"""One id, two keys: a process that holds another key under an id neither writes nor is ready."""

import os
from collections.abc import Callable

import pytest
from sqlalchemy import select, update

from gateway.errors import KeyDiffers, KeyMissing
from gateway.tokens.keys import rotation, store
from gateway.tokens.keys.rings import GENERATE, LOOKUP, PURPOSES, Ring
from gateway.tokens.keys.rotation import RotationRefused
from gateway.tokens.store import tokens
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import Wired
from tests.tokens.keyed import BOTH_RINGS, OLD_RINGS, holds, rotate, write_kids
from tests.tokens.staging import count

OTHER = {
    GENERATE: {**BOTH_RINGS, "token_keys": f"k1:{'7a' * 32},k2:{'7b' * 32}"},
    LOOKUP: {**BOTH_RINGS, "lookup_keys": f"p1:{'7c' * 32},p2:{'7d' * 32}"},
}
FIRST, SECOND = {GENERATE: "k1", LOOKUP: "p1"}, {GENERATE: "k2", LOOKUP: "p2"}


def fingerprints(wired: Wired) -> dict[str, str | None]:
    """What the database knows of each key, by its id."""
    by_purpose = wired.run(lambda c: [store.written(c, purpose) for purpose in PURPOSES])
    return by_purpose[0] | by_purpose[1]


def forget_fingerprints(wired: Wired) -> None:
    """The rows as they were before fingerprints were kept."""
    wired.run(lambda c: c.execute(update(store.written_keys).values(fingerprint=None)))


def test_a_fingerprint_tells_keys_apart_and_is_no_part_of_a_key() -> None:
    ring = Ring.parse(GENERATE, f"k1:{'ab' * 32},k2:{'cd' * 32}")
    assert ring.prints == ("k1:aab2038a", "k2:3260d8af")
    assert ring.agrees("k1", "aab2038a")
    assert ring.agrees("k1", None)
    assert not ring.agrees("k1", "3260d8af")
    assert not ring.agrees("k3", None)
    with pytest.raises(KeyMissing):
        ring.fingerprint("k3")


def test_a_report_of_eight_keys_fits(process: Callable[..., Wired]) -> None:
    keys = ",".join(f"k234567{n}:{f'{n}a' * 32}" for n in range(8))
    wired = process({**OLD_RINGS, "token_keys": keys})
    wired.gateway.report_keys("web")
    query = select(store.key_holders.c.generate_kids)
    held = wired.run(lambda c: c.execute(query).scalar_one())
    assert held == ",".join(wired.gateway.rings.generate.prints)


@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_process_with_another_key_under_the_id_issues_nothing_and_is_not_ready(
    process: Callable[..., Wired], purpose: str
) -> None:
    process(OLD_RINGS).issue()
    other = process(OTHER[purpose])
    with pytest.raises(KeyDiffers, match=f"{purpose} key '{FIRST[purpose]}'"):
        other.issue()
    assert other.gateway.obstacles() == [f"key missing: {purpose}:{FIRST[purpose]} differs"]
    assert process(BOTH_RINGS).gateway.obstacles() == []
    assert count(other, tokens) == 1


@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_rotation_waits_for_a_process_with_another_key_under_the_id(
    process: Callable[..., Wired], purpose: str
) -> None:
    process(OLD_RINGS).issue()
    both, kid = process(BOTH_RINGS), SECOND[purpose]
    holds(both, "web-1:7", BOTH_RINGS)
    holds(both, "web-2:7", OTHER[purpose])
    with pytest.raises(RotationRefused, match=rf"yet: web-2:7 \(has another key as {kid}\)$"):
        rotate(both, purpose, kid)
    assert write_kids(both) == FIRST
    holds(both, "web-2:7", BOTH_RINGS)
    rotate(both, purpose, kid)
    assert write_kids(both)[purpose] == kid


@pytest.mark.parametrize("purpose", PURPOSES)
def test_an_id_that_was_written_with_cannot_come_back_with_another_key(
    process: Callable[..., Wired], purpose: str
) -> None:
    process(OLD_RINGS).issue()
    rotate(process(BOTH_RINGS), purpose, SECOND[purpose])
    with pytest.raises(KeyDiffers):
        rotate(process(OTHER[purpose]), purpose, FIRST[purpose])
    assert write_kids(process(BOTH_RINGS))[purpose] == SECOND[purpose]


@pytest.mark.parametrize("by", ["report", "issue", "rotation"])
def test_an_id_without_a_fingerprint_gets_the_one_of_the_first_that_names_it(
    process: Callable[..., Wired], by: str
) -> None:
    old = process(OLD_RINGS)
    old.issue()
    whole = fingerprints(old)
    forget_fingerprints(old)
    if by == "report":
        old.gateway.report_keys("web")
    elif by == "issue":
        old.issue()
    else:
        rotate(old, GENERATE, "k1")
        rotate(old, LOOKUP, "p1")
    assert fingerprints(old) == whole
    assert None not in whole.values()
    with pytest.raises(KeyDiffers):
        process(OTHER[GENERATE]).issue()


def test_of_two_that_name_an_empty_id_at_once_one_is_refused(
    process: Callable[..., Wired],
) -> None:
    two = (process(OLD_RINGS), process(OTHER[GENERATE]))
    two[0].issue()
    forget_fingerprints(two[0])
    results = race(2, lambda number: two[number].issue())
    failed = [type(result) for result in results if isinstance(result, Exception)]
    assert failed == [KeyDiffers]
    assert count(two[0], tokens) == 2
    assert two[0].breaches() == []


def test_twins_of_one_host_name_and_number_have_names_of_their_own(
    process: Callable[..., Wired], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = rotation.process_name()
    assert mine == rotation.process_name()
    assert len(mine) <= 100
    number = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: number + 1)
    forked = rotation.process_name()
    monkeypatch.undo()
    assert forked.rpartition(":")[2] != mine.rpartition(":")[2]
    both = process(BOTH_RINGS)
    twin = f"{mine.rpartition(':')[0]}:another"
    holds(both, twin, BOTH_RINGS)
    both.gateway.report_keys("web")
    both.run(rotation.sign_off)
    left = both.run(lambda c: c.execute(select(store.key_holders.c.process)).scalars().all())
    assert left == [twin]


def test_the_last_words_of_processes_that_died_are_cleared_away(
    process: Callable[..., Wired], clock: SteppedClock
) -> None:
    both = process(BOTH_RINGS)
    holds(both, "web-1:7", BOTH_RINGS)
    clock.advance(seconds=store.KEPT.total_seconds() + 1)
    both.gateway.report_keys("web")
    assert count(both, store.key_holders) == 1
