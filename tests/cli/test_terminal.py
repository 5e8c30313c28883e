"""Where a PIN comes from: a pipe that `--pin-stdin` names, or a terminal, without an echo."""

import pytest

from gateway.people.staff.roster import Hire
from gateway.people.staff.store import Role
from tests.cli.conftest import CommandLine
from tests.cli.test_operators import FIRST, PIN, create, suspended
from tests.support.wired import Wired


@pytest.mark.parametrize("stdin", ["", f"{PIN}\n"])
def test_without_a_terminal_the_one_line_names_the_option(
    command_line: CommandLine, stdin: str
) -> None:
    create(command_line, "Ada", FIRST)
    said = command_line.error("pause", "sms", "--reason", "x", "--as", FIRST, stdin=stdin)
    assert said == "there is no terminal to ask for a PIN: give it by --pin-stdin"


@pytest.mark.parametrize("option", [(), ("--pin-stdin",)])
def test_at_a_terminal_it_is_asked_for_and_not_echoed(
    command_line: CommandLine, wired: Wired, terminal: None, option: tuple[str, ...]
) -> None:
    hire = Hire("Ada", FIRST, Role.OPERATOR, wired.gateway.roster.hashed(PIN, FIRST))
    now = wired.clock.now()
    wired.run(lambda c: wired.gateway.roster.hire(c, hire, "cli:ops", "needed", now))
    assert suspended(command_line, wired, "--as", FIRST, *option, stdin=f"{PIN}\n") == "staff:1:Ada"
    done = command_line.run("pause", "sms", "--reason", "x", "--as", FIRST, *option, stdin=PIN)
    assert (done.exit_code, "Your PIN" in done.stderr, PIN in done.output) == (0, True, False)
    assert "Your PIN" not in done.stdout
