"""`--reason`: words, never blanks, wherever a command has it."""

from collections.abc import Iterator

import click
import pytest

from gateway.cli.main import COMMANDS
from gateway.errors import BadInput
from tests.audit.test_approvals import ASKER, FUND, PARTNER
from tests.cli.conftest import CommandLine
from tests.support.clock import START
from tests.support.wired import Wired

BLANK = "say why: the reason is blank"


def with_reason(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    """The paths of all commands that take a reason."""
    here = (*path, command.name or "")
    if isinstance(command, click.Group):
        for one in command.commands.values():
            yield from with_reason(one, *here)
    elif any(parameter.name == "reason" for parameter in command.params):
        yield here


PATHS = sorted(path for command in COMMANDS for path in with_reason(command))


def test_every_command_with_a_reason_refuses_a_blank_one(command_line: CommandLine) -> None:
    assert len(PATHS) > 25
    for path in PATHS:
        for reason in ("", " \t", "\u200b"):
            assert command_line.error(*path, "--reason", reason) == BLANK, path


def test_a_request_without_a_reason_is_refused_wherever_it_comes_from(wired: Wired) -> None:
    of = wired.gateway.approvals

    def ask(why: str) -> int:
        return wired.run(lambda c: of.ask(c, FUND, PARTNER, {}, ASKER, why, START))

    for reason in ("", "  "):
        with pytest.raises(BadInput, match=BLANK):
            ask(reason)
    number = ask("their transfer")
    with pytest.raises(BadInput, match=BLANK):
        wired.run(lambda c: of.refuse(c, number, "staff:2:Bello", " ", START))


def test_a_funding_without_a_reason_goes_by_its_reference(command_line: CommandLine) -> None:
    command_line.said("partners", "create", "--name", "Acme")
    given = ("--amount", "500.00", "--reference")
    command_line.said("partners", "fund", "acme", *given, "FT-A")
    command_line.said("house", "fund", *given, "FT-B")
    found = [row["reason"] for row in command_line.json("approvals", "list")]
    assert found == ["money that came in: FT-B", "money that came in: FT-A"]
