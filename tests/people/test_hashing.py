"""Hashing PINs: peppered argon2id, one at a time, and busy costs nobody a try."""

import subprocess
import sys

import pytest

from gateway.clock import monotonic
from gateway.database.engine import Deadline
from gateway.people.pins.hashing import DECOY, MEMORY_KIB, Busy, PinHasher
from gateway.ussd import engine
from tests.people.pinned import OTHER, PIN, choose, prove, row
from tests.support.house import ROOT
from tests.support.races import race
from tests.support.wired import Wired
from tests.ussd.posting import play, post

PEPPER = "test-pin-pepper-32-characters---"


@pytest.fixture
def hasher() -> PinHasher:
    return PinHasher(PEPPER)


def test_a_hash_is_argon2id_with_the_parameters_of_the_house(hasher: PinHasher) -> None:
    assert hasher.hash(PIN).startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert len(hasher.hash(PIN)) == len(DECOY) <= 128


def test_two_hashes_of_one_pin_differ_and_both_know_it(hasher: PinHasher) -> None:
    hashes = {hasher.hash(PIN), hasher.hash(PIN)}
    assert len(hashes) == 2
    assert [hasher.verify(one, PIN) for one in hashes] == [True, True]
    assert [hasher.verify(one, OTHER) for one in hashes] == [False, False]
    assert not hasher.verify(DECOY, PIN)


@pytest.mark.parametrize("other", [PinHasher("another pepper"), PinHasher(PEPPER, "staff")])
def test_a_hash_is_worthless_under_another_pepper_or_label(
    hasher: PinHasher, other: PinHasher
) -> None:
    hashed = hasher.hash(PIN)
    assert not other.verify(hashed, PIN)
    assert other.digest(PIN) != hasher.digest(PIN)


def test_names_of_different_fields_differ(hasher: PinHasher) -> None:
    assert hasher.digest("ab", "c") != hasher.digest("a", "bc")
    assert hasher.digest("a", "b") == PinHasher(PEPPER).digest("a", "b")


PEAK = """
import sys, threading
from gateway.people.pins.hashing import PinHasher

def peak():  # of this program alone, in KiB
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))

hasher = PinHasher("pepper")
if sys.argv[1] == "free":
    hasher.hash = lambda pin: hasher._argon._argon.hash(pin)
hasher._argon.hash("4711")
before = peak()
threads = [threading.Thread(target=hasher.hash, args=("4711",)) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
sys.stdout.write(str(peak() - before))
"""


@pytest.mark.parametrize("locked", [False, True])
def test_eight_threads_that_hash_at_once_take_the_memory_of_one(locked: bool) -> None:
    command = [sys.executable, "-c", PEAK, "locked" if locked else "free"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=60)
    assert (int(done.stdout) < MEMORY_KIB) is locked


def test_who_gets_no_turn_before_the_deadline_is_told_so(hasher: PinHasher) -> None:
    with hasher.turn():
        begun = monotonic()
        with pytest.raises(Busy):
            hasher.hash(PIN, Deadline(0.7))
        assert monotonic() - begun < 0.7
        with pytest.raises(Busy):
            hasher.verify(DECOY, PIN, Deadline(0.1))
    assert hasher.hash(PIN, Deadline(5))


def test_a_turn_is_given_back_by_who_fails_in_it(hasher: PinHasher) -> None:
    with pytest.raises(RuntimeError), hasher.turn():
        raise RuntimeError
    assert hasher.hash(PIN, Deadline(5))


def test_a_busy_hasher_counts_no_try(wired: Wired) -> None:
    choose(wired, PIN)
    with wired.gateway.people.hasher.turn(), pytest.raises(Busy):
        prove(wired, OTHER, deadline=Deadline(0.6))
    assert row(wired).tries == 0
    assert row(wired).counted is None


def test_a_caller_whom_a_busy_hasher_cannot_serve_gets_a_last_screen_in_time(wired: Wired) -> None:
    wired.set_pin(PIN)
    play(wired, "", "4", "4*1")
    with wired.gateway.people.hasher.turn():
        begun = monotonic()
        reply = post(wired, f"4*1*{PIN}")
        assert monotonic() - begun < 4
    assert reply == f"END {engine.TRY_AGAIN}".encode()
    assert row(wired).tries == 0
    assert post(wired, f"4*1*{PIN}").startswith(b"END Balance")


def test_menus_go_on_while_somebody_hashes(wired: Wired) -> None:
    with wired.gateway.people.hasher.turn():
        assert post(wired, "4").startswith(b"CON My wallet")


def test_many_callers_at_once_are_all_served_one_after_the_other(wired: Wired) -> None:
    phones = [f"+23480300001{number:02}" for number in range(6)]
    for phone in phones:
        choose(wired, PIN, phone=phone)
    verdicts = race(len(phones), lambda n: prove(wired, PIN, phones[n], deadline=Deadline(20)))
    assert all(not isinstance(v, Exception) and v.right for v in verdicts)


@pytest.mark.parametrize("has_pin", [True, False])
def test_an_entry_is_hashed_whether_or_not_the_phone_has_a_pin(wired: Wired, has_pin: bool) -> None:
    if has_pin:
        choose(wired, PIN)
    with wired.gateway.people.hasher.turn(), pytest.raises(Busy):
        prove(wired, PIN, deadline=Deadline(0.6))
    begun = monotonic()
    PinHasher(PEPPER).verify(DECOY, OTHER)
    of_decoy = monotonic() - begun
    begun = monotonic()
    prove(wired, OTHER)
    assert monotonic() - begun > of_decoy / 3
