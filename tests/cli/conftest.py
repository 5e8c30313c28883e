"""The command line in process, over a wired gateway on either engine."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import click.testing
import pytest
from click.testing import CliRunner, Result

from gateway.cli.main import command_group
from gateway.cli.parts import Parts
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import Wired


@dataclass(frozen=True)
class CommandLine:
    """Runs `gateway …` over the parts that `make` gives."""

    make: Callable[[], Parts]

    def run(self, *words: str, stdin: str | None = None) -> Result:
        """Run to the end, whatever the exit code; an exception of ours is a fault."""
        done = CliRunner().invoke(command_group(self.make), list(words), input=stdin)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    def said(self, *words: str, stdin: str | None = None) -> str:
        """What it printed, of a command that worked."""
        done = self.run(*words, stdin=stdin)
        assert done.exit_code == 0, done.output
        return done.stdout

    def json(self, *words: str, code: int = 0, stdin: str | None = None) -> Any:
        """The one JSON document on stdout."""
        done = self.run(*words, "--json", stdin=stdin)
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    def error(self, *words: str, stdin: str | None = None) -> str:
        """The one line of an error, without its `Error: ` and the log; nothing on stdout."""
        done = self.run(*words, stdin=stdin)
        assert (done.exit_code, done.stdout) == (1, ""), done.output
        (line,) = (line for line in done.stderr.splitlines() if not line.startswith("{"))
        assert line.startswith("Error: ")
        return line.removeprefix("Error: ")


@pytest.fixture
def quiet() -> Iterator[None]:
    """Puts back the logging that the command line configures for its process."""
    with captured_log():
        yield


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is typed comes from a person at a terminal."""
    monkeypatch.setattr(click.testing._NamedTextIOWrapper, "isatty", lambda _: True)


@pytest.fixture
def command_line(wired: Wired, quiet: None) -> CommandLine:
    """`gateway` over a fresh database, once on each engine."""
    return CommandLine(lambda: wired.gateway.parts())


@pytest.fixture
def fresh(unmigrated_url: str, clock: SteppedClock, quiet: None) -> Iterator[CommandLine]:
    """`gateway` over a database without any table, once on each engine."""
    whole = Wired(unmigrated_url, clock)
    yield CommandLine(whole.gateway.parts)
    whole.close()
