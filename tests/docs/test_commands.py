"""Commands that the pages show: each exists, with its options; none of them is run here."""

import re

import click
import pytest

from gateway.cli.main import command_group
from gateway.errors import Misconfigured
from tests.support import pages
from tests.support.house import ROOT, Source
from tests.support.pages import Command

TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
HELP = "--help"
each_page = pytest.mark.parametrize("page", pages.pages(), ids=lambda page: page.path)


def _unwired() -> None:
    raise Misconfigured("these commands are looked at, not run")


GATEWAY = command_group(_unwired)  # type: ignore[arg-type]


def fault(shown: Command) -> str | None:
    """What is wrong with a command as it is shown, or None."""
    at: click.Command = GATEWAY
    for word in shown.words:
        if not isinstance(at, click.Group) or pages.is_placeholder(word):
            break
        if word not in at.commands:
            return f"no command {word!r} in {shown.words}"
        at = at.commands[word]
    options = {
        HELP,
        *(name for option in at.params for name in (*option.opts, *option.secondary_opts)),
    }
    unknown = [flag for flag in shown.flags if flag not in options]
    return f"{shown.words}: no option {', '.join(unknown)}" if unknown else None


@each_page
def test_every_command_on_a_page_exists_with_its_options(page: Source) -> None:
    lines = list(pages.code(page.text))
    # Within a sentence `deposits confirm` is short for the whole of it.
    lines += [f"gateway {line}" for line in lines if line.split(" ")[0] in GATEWAY.commands]
    shown = [command for line in lines for command in pages.commands(line)]
    assert [said for said in map(fault, shown) if said] == []


@each_page
def test_every_target_of_make_on_a_page_exists(page: Source) -> None:
    named = [re.match(r"(?:PYTHON=\S+ )?make ([a-z]+)", line) for line in pages.code(page.text)]
    assert {found[1] for found in named if found} <= TARGETS


def test_a_command_that_does_not_exist_is_found() -> None:
    shown = "gateway tokens isue --amount 1; gateway tokens issue --amout 1; gateway sweep --all"
    assert [fault(command) for command in pages.commands(shown)] == [
        "no command 'isue' in ('tokens', 'isue', '1')",
        "('tokens', 'issue', '1'): no option --amout",
        "('sweep',): no option --all",
    ]
    assert not [
        fault(one) for one in pages.commands("gateway pause|resume WHAT --json") if fault(one)
    ]
