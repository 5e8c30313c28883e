"""A PIN is set by two equal entries, proved, locked after wrong ones, and reset by operators."""

from functools import partial

import pytest

from gateway.audit import store as audit
from gateway.people.pins import rules
from gateway.people.pins.choose import PENDING_FOR, Chosen
from gateway.people.pins.prove import LOCKED_FOR, ProofNeeded, Said, Verdict
from gateway.people.pins.rules import Unfit
from tests.people.pinned import OTHER, PIN, choose, first, prove, row, second
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired


def wrong(wired: Wired, times: int, entry: str = OTHER) -> list[Verdict]:
    """What several wrong entries get."""
    return [prove(wired, entry) for _ in range(times)]


def test_two_equal_entries_set_a_pin(wired: Wired) -> None:
    assert prove(wired, PIN) is Verdict.NO_PIN
    assert first(wired, PIN, 0) is Chosen.KEPT
    assert prove(wired, PIN) is Verdict.NO_PIN
    assert second(wired, PIN, 0) is Chosen.KEPT
    assert prove(wired, PIN) is Verdict.RIGHT
    assert prove(wired, PIN, BELLO) is Verdict.NO_PIN


def test_two_different_entries_set_none(wired: Wired) -> None:
    first(wired, PIN, 0)
    assert second(wired, OTHER, 0) is Chosen.DIFFERS
    assert prove(wired, PIN) is Verdict.NO_PIN
    assert second(wired, PIN, 0) is Chosen.KEPT


def test_a_changed_pin_is_the_only_one(wired: Wired) -> None:
    choose(wired, PIN)
    choose(wired, OTHER, 1)
    assert prove(wired, PIN).said is Said.WRONG
    assert prove(wired, OTHER) is Verdict.RIGHT


def test_a_change_that_begins_from_an_earlier_pin_is_refused(wired: Wired) -> None:
    choose(wired, PIN)
    assert first(wired, OTHER, 0) is Chosen.STALE
    assert first(wired, OTHER, 7) is Chosen.STALE
    assert second(wired, OTHER, 1) is Chosen.STALE
    assert prove(wired, PIN) is Verdict.RIGHT


def test_a_second_entry_comes_within_ten_minutes(wired: Wired, clock: SteppedClock) -> None:
    first(wired, PIN, 0)
    clock.advance(seconds=PENDING_FOR.total_seconds())
    assert second(wired, PIN, 0) is Chosen.STALE
    assert prove(wired, PIN) is Verdict.NO_PIN


def test_a_pin_is_typed_in_full_width_digits_and_with_a_closing_hash(wired: Wired) -> None:
    choose(wired, " 4711# ")
    assert prove(wired, "４７１１") is Verdict.RIGHT
    assert not wired.gateway.people.pins.is_pin("471")
    assert wired.gateway.people.pins.is_pin("４７１１#")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("4711", None),
        ("904726", None),
        ("", Unfit.FORM),
        ("471", Unfit.FORM),
        ("4711471", Unfit.FORM),
        ("47 1a", Unfit.FORM),
        ("-471", Unfit.FORM),
        ("٤٧١١", Unfit.FORM),
        ("0000", Unfit.GUESSABLE),
        ("999999", Unfit.GUESSABLE),
        ("1234", Unfit.GUESSABLE),
        ("4321", Unfit.GUESSABLE),
        ("7890", Unfit.GUESSABLE),
        ("098765", Unfit.GUESSABLE),
        ("0001", Unfit.OWN_NUMBER),
        ("000001", Unfit.OWN_NUMBER),
    ],
)
def test_what_is_no_pin_or_guessed_first_cannot_be_chosen(entry: str, reason: Unfit | None) -> None:
    assert rules.unfit(entry, ADA) is reason


def test_wrong_pins_tell_how_many_tries_are_left(wired: Wired) -> None:
    choose(wired, PIN)
    assert [(v.said, v.left) for v in wrong(wired, 4)] == [(Said.WRONG, n) for n in (4, 3, 2, 1)]


def test_five_wrong_in_a_row_lock_for_an_hour_also_the_right_one(
    wired: Wired, clock: SteppedClock
) -> None:
    choose(wired, PIN)
    until = clock.now() + LOCKED_FOR
    assert wrong(wired, 5)[-1] == Verdict(Said.LOCKED, until=until)
    clock.advance(minutes=59, seconds=59)
    assert prove(wired, PIN) == Verdict(Said.LOCKED, until=until)
    assert row(wired).tries == 5
    clock.advance(seconds=1)
    assert prove(wired, PIN) is Verdict.RIGHT
    assert row(wired).tries == 0


def test_ten_wrong_in_a_row_lock_until_an_operator_resets(
    wired: Wired, clock: SteppedClock
) -> None:
    choose(wired, PIN)
    wrong(wired, 5)
    clock.advance(hours=1)
    assert [verdict.left for verdict in wrong(wired, 4)] == [4, 3, 2, 1]
    assert wrong(wired, 1) == [Verdict(Said.LOCKED)]
    clock.advance(days=400)
    assert prove(wired, PIN) == Verdict(Said.LOCKED)


def test_a_right_pin_ends_the_row_of_wrong_ones(wired: Wired) -> None:
    choose(wired, PIN)
    for _ in range(3):
        assert wrong(wired, 4)[-1].left == 1
        assert prove(wired, PIN) is Verdict.RIGHT
    assert row(wired).tries == 0


def test_a_wrong_try_is_counted_though_what_it_was_for_never_happens(wired: Wired) -> None:
    choose(wired, PIN)
    pins = wired.gateway.people.pins
    for entry in (OTHER, PIN):
        with pytest.raises(ProofNeeded) as needed:
            wired.run(partial(pins.demand, msisdn=ADA, entry=entry, proofs={}))
        needed.value.make(entry.encode().rjust(32), None)
    assert row(wired).tries == 2


def test_a_proof_is_worthless_once_the_pin_was_changed(wired: Wired) -> None:
    choose(wired, PIN)
    pins = wired.gateway.people.pins
    made: dict[bytes, object] = {}
    for version in (1, 2):
        with pytest.raises(ProofNeeded) as needed:
            wired.run(lambda c: pins.demand(c, ADA, PIN, made))
        made[needed.value.name] = needed.value.make(bytes([version]) * 32, None)
        if version == 1:
            choose(wired, OTHER, version)
    verdict = wired.run(lambda c: pins.demand(c, ADA, PIN, made))
    assert verdict.said is Said.WRONG


def test_an_operators_reset_forgets_the_pin_its_lock_and_what_was_begun(
    wired: Wired, clock: SteppedClock
) -> None:
    choose(wired, PIN)
    wrong(wired, 5)
    first(wired, OTHER, 1)
    now, pins = clock.now(), wired.gateway.people.pins
    assert wired.run(lambda c: pins.reset(c, ADA, "cli:ann", "lost her phone", now))
    assert second(wired, OTHER, 1) is Chosen.STALE
    assert prove(wired, PIN) is Verdict.NO_PIN
    assert not wired.run(lambda c: pins.reset(c, BELLO, "cli:ann", "", now))
    (line,) = wired.run(lambda c: [r for r in audit.about(c, ADA) if r.action == "pin.reset"])
    assert (line.actor, line.reason) == ("cli:ann", "lost her phone")
    choose(wired, OTHER, 2)
    assert prove(wired, OTHER) is Verdict.RIGHT
