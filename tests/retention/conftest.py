"""The command line in process, over a wired gateway on either engine."""

from collections.abc import Iterator

import pytest

from tests.cli.conftest import CommandLine
from tests.support.log import captured_log
from tests.support.wired import Wired


@pytest.fixture
def command_line(wired: Wired) -> Iterator[CommandLine]:
    """`gateway` over a fresh database; the log it configures is put back."""
    with captured_log():
        yield CommandLine(lambda: wired.gateway.parts())
