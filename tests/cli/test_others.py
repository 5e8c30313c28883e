"""`gateway keys`, `menus`, `sweep`, `worker --once`, and what all commands share."""

import json
import re

import click
import pytest

from gateway.cli.main import command_group
from gateway.cli.parts import Parts
from gateway.errors import Misconfigured
from gateway.tokens.keys.rings import Ring
from tests.cli.conftest import CommandLine
from tests.support.wired import ADA, GENERATE_KEY, LOOKUP_KEY, Wired


def unset() -> Parts:
    """What an installation without settings does when its parts are asked for."""
    raise Misconfigured("missing settings: GATEWAY_DATABASE_URL")


@pytest.fixture
def without_settings(quiet: None) -> CommandLine:
    """`gateway` where nothing is set."""
    return CommandLine(unset)


def every_command() -> list[tuple[str, ...]]:
    """The words of each command and group."""
    root = command_group(unset)
    words: list[tuple[str, ...]] = [()]
    for name, command in root.commands.items():
        words.append((name,))
        if isinstance(command, click.Group):
            words += [(name, below) for below in command.commands]
    return words


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_every_command_explains_itself_without_settings(
    without_settings: CommandLine, words: tuple[str, ...]
) -> None:
    text = without_settings.said(*words, "--help")
    assert "Usage: " in text
    described = text.splitlines()[2].strip()
    assert described[0].isupper()
    assert described[-1] in ".?,;" or len(text.splitlines()[3].strip()) > 0
    assert max(map(len, text.splitlines())) <= 100


def test_a_command_that_needs_settings_names_what_is_missing(
    without_settings: CommandLine,
) -> None:
    assert without_settings.error("books", "check") == "missing settings: GATEWAY_DATABASE_URL"


def test_the_commands_are_those_of_the_contract(quiet: None) -> None:
    assert {" ".join(words) for words in every_command()} >= {
        *("db upgrade", "keys generate", "keys list", "keys rotate"),
        *("tokens issue", "tokens show", "tokens suspend", "tokens resume", "tokens cancel"),
        *("tokens reprint", "wallets show", "wallets freeze", "wallets unfreeze"),
        *("worker", "sweep", "menus list", "menus graph", "books check", "doctor", "demo"),
    }


def test_keys_are_generated_without_settings_and_fit_into_a_ring(
    without_settings: CommandLine,
) -> None:
    one, two = (without_settings.said("keys", "generate").strip() for _ in range(2))
    assert one != two
    assert Ring.parse("generate", one).kids == ("k1",)
    made = without_settings.json("keys", "generate", "--id", "k2")
    assert re.fullmatch("[0-9a-f]{64}", made["key"])
    assert made["id"] == "k2"


@pytest.mark.parametrize("kid", ["", "K2", "2", "k-2", "k2:", "k,2", "k23456789"])
def test_a_key_id_that_fits_no_ring_is_refused(without_settings: CommandLine, kid: str) -> None:
    assert "a key's id is" in without_settings.error("keys", "generate", "--id", kid)


def test_keys_are_listed_without_a_key(command_line: CommandLine) -> None:
    command_line.json("tokens", "issue", "--amount", "5", "--to", ADA)
    rows = command_line.json("keys", "list")
    said = {"held": True, "writes": True, "live_tokens": 1, "needed": True}
    assert rows == [
        {"purpose": "generate", "id": "k1"} | said,
        {"purpose": "lookup", "id": "p1"} | said,
    ]
    text = command_line.said("keys", "list")
    assert "generate  k1  yes   yes     1" in text
    assert not any(key in text for key in (GENERATE_KEY, LOOKUP_KEY))


def test_a_key_that_is_not_in_the_ring_is_not_rotated_to(command_line: CommandLine) -> None:
    rotate = ("keys", "rotate", "--purpose", "generate", "--to")
    assert "'k9' is not in the ring" in command_line.error(*rotate, "k9")
    assert command_line.json(*rotate, "k1") == {"purpose": "generate", "writes": "k1"}


def test_every_screen_is_listed_with_its_septets(command_line: CommandLine) -> None:
    for language in ("en", "fr"):
        rows = command_line.json("menus", "list", "--lang", language)
        assert {"screen", "text", "septets"} == set(rows[0])
        assert {row["screen"] for row in rows} >= {"home", "redeem", "wallet"}
        assert all(0 < row["septets"] <= 160 for row in rows)
    assert "--- home (" in command_line.said("menus", "list")
    assert "the languages are" in command_line.error("menus", "list", "--lang", "xx")


def test_the_tree_is_drawn_as_a_flowchart(command_line: CommandLine) -> None:
    lines = command_line.said("menus", "graph").splitlines()
    assert lines[0].startswith("flowchart")
    assert any("s_home -- 1 --> s_redeem" in line for line in lines)


def test_a_sweep_says_what_it_did(command_line: CommandLine) -> None:
    swept = command_line.json("sweep")
    assert swept["tokens_expired"] == 0
    assert all(isinstance(count, int) for count in swept.values())


def test_a_sweep_does_the_other_chores_when_one_fails_and_ends_with_1(
    command_line: CommandLine, wired: Wired
) -> None:
    wired.run(lambda c: c.exec_driver_sql("ALTER TABLE guess_counters RENAME TO away"))
    try:
        done = command_line.run("sweep", "--json")
    finally:
        wired.run(lambda c: c.exec_driver_sql("ALTER TABLE away RENAME TO guess_counters"))
    swept = json.loads(done.stdout)
    assert done.exit_code == 1
    assert [name for name, count in swept.items() if count is None] == [
        "live_unbound_11_digit",
        "counters_purged",
    ]
    assert swept["messages_settled"] == 0
    assert "Error: not done: live_unbound_11_digit (" in done.stderr
    assert "chore_failed" in done.stderr


def test_the_worker_sends_once_what_is_due(command_line: CommandLine, wired: Wired) -> None:
    serial = command_line.json("tokens", "issue", "--amount", "5", "--to", ADA)["serial"]
    assert "1 " in command_line.said("worker", "--once")
    assert "token queued" not in command_line.json("tokens", "show", serial)["messages"]


JSON_COMMANDS = (
    ("db", "upgrade"),
    ("keys", "list"),
    ("menus", "list"),
    ("sweep",),
    ("books", "check"),
    ("tokens", "issue", "--amount", "5", "--to", ADA),
)


@pytest.mark.parametrize("words", JSON_COMMANDS)
def test_json_is_one_document_and_nothing_else(
    command_line: CommandLine, words: tuple[str, ...]
) -> None:
    done = command_line.run(*words, "--json")
    assert json.loads(done.stdout) is not None
    assert done.stderr == ""
