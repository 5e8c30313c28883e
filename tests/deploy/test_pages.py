"""The pages for operations: every alert has its place, every command and setting there is one."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from gateway.cli.main import COMMANDS
from tests.support.house import ROOT

RUNBOOK, DEPLOY = ROOT / "docs/runbook.md", ROOT / "docs/deploy.md"
PAGES = (RUNBOOK, DEPLOY, ROOT / "docs/retention.md")
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
COMMAND = re.compile(r"(?:^ {4}|`)gateway\s+([a-z][^`\n#]*)", re.M)
# What must be there, by the issue: a heading each.
HEADINGS = (
    *("key-rotation", "backups", "restore", "leaked-table", "leaked-key", "stuck-sms"),
    *("provider-down", "breaker-open", "books-disagree", "clock-skew", "disk-full"),
)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are made of their words."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}


def commands(page: Path) -> Iterator[str]:
    """The commands that a page names, also over the end of a line."""
    text = re.sub(r"(?<=\S)\n(?=\S)", " ", page.read_text())
    yield from (found.strip() for found in COMMAND.findall(text))


def test_every_alert_leads_to_a_heading_of_the_runbook() -> None:
    text = (ROOT / "deploy/alerts.yml").read_text()
    wanted = re.findall(r"runbook: docs/runbook\.md#(\S+)", text)
    alerts = re.findall(r"- alert: (\w+)", text)
    assert len(wanted) == len(alerts) > 10
    assert set(wanted) <= anchors(RUNBOOK)
    runbook = RUNBOOK.read_text()
    assert [alert for alert in alerts if f"`{alert}`" not in runbook] == []


@pytest.mark.parametrize("heading", HEADINGS)
def test_the_runbook_has_a_heading_for_each_thing_that_happens(heading: str) -> None:
    assert heading in anchors(RUNBOOK)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    found = LINK.findall(page.read_text())
    for target, anchor in found:
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file), f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_that_is_named_there_is(page: Path) -> None:
    root = click.Group(commands={str(command.name): command for command in COMMANDS})
    named = list(commands(page))
    assert named
    for words in named:
        current: click.Command = root
        given = shlex.split(words.replace("…", "").replace("'", ""))
        while isinstance(current, click.Group) and given:
            name = given.pop(0)
            assert name in current.commands, words
            current = current.commands[name]
        options = {o for parameter in current.params for o in parameter.opts} | {"--help"}
        assert {word for word in given if word.startswith("--")} <= options, words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_setting_that_is_named_there_is(page: Path) -> None:
    known = (ROOT / "docs/settings.md").read_text()
    named = set(re.findall(r"GATEWAY_[A-Z_]+[A-Z]", page.read_text()))
    assert [name for name in named if name not in known] == []
