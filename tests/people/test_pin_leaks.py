"""No PIN stays behind: not in a row, the database file, the log, an exception or a repr (T3)."""

import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection

from gateway.database import outside
from gateway.database.outside import Made, NeededFirst
from gateway.people.pins.choose import HashNeeded
from gateway.people.pins.prove import ProofNeeded
from gateway.ussd.engine import Turn
from tests.end_to_end.leaks import files_of, leaks, lines_of, rows_of
from tests.people.pinned import choose
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import ADA, BELLO, Wired

# Six digits each, so that none of them stands in a time or an amount by chance.
PIN, CHANGED, WRONG, ELSEWHERE = "490726", "815062", "730519", "264095"
ALL = (PIN, CHANGED, WRONG, ELSEWHERE)


def a_day(wired: Wired) -> None:
    """Every way a PIN is typed: set, wrong, right, changed, dialled, elsewhere, and too late."""
    wired.redeem(wired.issue("10.00").reveal())
    wired.set_pin(PIN)
    for entry in (WRONG, f"{PIN}#", " ".join(PIN)):
        wired.dial(text="4*1").send(entry)
    call = wired.dial(text="5*2")
    for entry in (PIN, CHANGED, WRONG, CHANGED):
        call.send(entry)
    for text in (f"5*2*{CHANGED}", f"4*1*{CHANGED}", f"{CHANGED}", f"5*3*2*{CHANGED}*{CHANGED}"):
        wired.dial(text=text)
    call = wired.dial(BELLO, text="5*3*2*08030000001")
    for entry in (ELSEWHERE, CHANGED, "1"):
        call.send(entry)
    with wired.gateway.people.hasher.turn():
        assert wired.dial(text="4*1").send(CHANGED).startswith("END Sorry")
    wired.dial(text="5*2").send(PIN)
    for _ in range(6):
        wired.dial(text="4*2").send(WRONG)
    wired.send_all()


def test_a_days_pins_are_in_no_row_file_or_log(wired: Wired, tmp_path: Path) -> None:
    with captured_log("debug") as log:
        a_day(wired)
        (tmp_path / "web.log").write_text(log.text())
    url = str(wired.gateway.settings.database_url)
    wired.gateway.database.dispose()
    kept = [*rows_of(url), *files_of(url), *lines_of(tmp_path)]
    assert len(kept) > 100
    assert any(place == "web.log" for place, _ in kept)
    assert {"pins.hash", "ussd_steps.place", "audit_trail.action"} <= {place for place, _ in kept}
    assert {leak.place for leak in leaks(kept, ALL)} == set()


def test_what_is_raised_for_want_of_a_proof_does_not_tell_the_pin(wired: Wired) -> None:
    people, now = wired.gateway.people, wired.clock.now()
    choose(wired, PIN)
    demands: tuple[tuple[type[NeededFirst], Callable[[Connection], object]], ...] = (
        (ProofNeeded, lambda c: people.pins.demand(c, ADA, PIN, {})),
        (ProofNeeded, lambda c: people.pins.demand_elsewhere(c, ADA, PIN, {}, lambda *_: None)),
        (HashNeeded, lambda c: people.chooser.propose(c, ADA, PIN, {}, 1, now)),
    )
    for kind, demand in demands:
        with pytest.raises(kind) as caught:
            wired.run(demand)
        error = caught.value
        told = [str(error), repr(error), repr(error.args), repr(vars(error)), repr(error.name)]
        told += traceback.format_exception_only(error)
        assert not any(PIN in text for text in told)


def test_a_turn_and_what_was_made_for_it_do_not_show_a_pin(
    wired: Wired, clock: SteppedClock
) -> None:
    choose(wired, PIN)
    shown: list[str] = []
    turn = Turn("africastalking", "S1", ADA, "", f"4*1*{PIN}", 160, clock.now())

    def work(connection: Connection, made: Made) -> None:
        shown.extend([repr(turn), repr(made)])
        shown.append(str(wired.gateway.people.pins.demand(connection, ADA, PIN, made)))

    outside.run(wired.gateway.database, work, lambda: wired.gateway.engine.cause(turn))
    assert len(shown) == 5
    assert not any(PIN in text for text in shown)
