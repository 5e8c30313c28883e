"""`staff create --break-glass`, and what the doctor says of it."""

import json

from gateway.cli import operators
from tests.cli.conftest import CommandLine
from tests.cli.test_operators import FIRST, PIN, SECOND, THIRD, create
from tests.support.clock import SteppedClock
from tests.support.wired import Wired

NEW = ("staff", "create", "--name", "Dan", "--role", "operator", "--phone", THIRD, "--pin-stdin")
GLASS = (*NEW, "--break-glass", "--reason", "Bello has left")


def found(command_line: CommandLine) -> tuple[bool, str]:
    """What the doctor says of operators."""
    rows = json.loads(command_line.run("doctor", "--json").stdout)
    (row,) = [row for row in rows if row["check"] == "operators"]
    return row["ok"], row["found"]


def test_the_one_who_is_left_proves_it_and_the_doctor_tells_for_a_week(
    command_line: CommandLine, clock: SteppedClock
) -> None:
    create(command_line, "Ada", FIRST)
    assert found(command_line) == (False, "1 active, approving needs 2: gateway staff create")
    create(command_line, "Bello", SECOND, acts=FIRST)
    assert found(command_line) == (True, "2 active")
    acts = ("--as", FIRST)
    refused = command_line.run(*GLASS, *acts, stdin=f"{PIN}\n{PIN}\n")
    assert "2 operators are active" in refused.stderr
    command_line.json("staff", "disable", SECOND, *acts, "--pin-stdin", stdin=f"{PIN}\n")
    assert "say which operator" in command_line.run(*GLASS, stdin=f"{PIN}\n").stderr
    made = command_line.json(*GLASS, *acts, stdin=f"{PIN}\n{PIN}\n")
    assert (made["status"], made["approval"]) == ("active", None)
    ok, said = found(command_line)
    assert (ok, said.startswith("staff:1:Ada broke the glass at ")) == (False, True)
    assert said.endswith("Dan, operator, 1 were left: Bello has left")
    clock.advance(days=8)
    assert found(command_line) == (True, "2 active")


def test_without_anybody_the_login_name_acts(command_line: CommandLine, wired: Wired) -> None:
    create(command_line, "Ada", FIRST)
    create(command_line, "Bello", SECOND, acts=FIRST)
    off, now = wired.gateway.roster.disable, wired.clock.now()
    for phone in (SECOND, FIRST):
        wired.run(lambda c, gone=phone: off(c, gone, "cli:ops", "left", now))  # type: ignore[misc]
    command_line.json(*GLASS, stdin=f"{PIN}\n")
    assert f"cli:{operators.login()} broke the glass" in found(command_line)[1]


def test_operators_are_missed_once_there_was_one_or_money_has_moved(
    command_line: CommandLine, wired: Wired
) -> None:
    ready = "none yet: take on 2 with gateway staff create before money moves"
    assert found(command_line) == (True, ready)
    create(command_line, "Chidi", FIRST, "cashier")
    assert found(command_line) == (True, ready)
    wired.issue()
    assert found(command_line) == (False, "0 active, approving needs 2: gateway staff create")
