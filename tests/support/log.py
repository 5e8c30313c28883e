"""The process's log as a test reads it."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog

from gateway import logs


class Log:
    """Everything written to the log, structlog's lines and stdlib's."""

    def __init__(self, stream: io.StringIO) -> None:
        self.stream = stream
        self.log = structlog.get_logger()

    def text(self) -> str:
        """All lines as they were written and not taken by lines()."""
        return self.stream.getvalue()

    def lines(self) -> list[dict[str, Any]]:
        """What was written since the last call."""
        text = self.text()
        self.stream.seek(0)
        self.stream.truncate()
        return [json.loads(line) for line in text.splitlines()]

    def line(self) -> dict[str, Any]:
        """The one line written since the last call."""
        (line,) = self.lines()
        return line


@contextmanager
def captured_log(level: str = "info") -> Iterator[Log]:
    """Configure the process's log into memory, and put back what was there before."""
    root = logging.getLogger()
    handlers, root_level = list(root.handlers), root.level
    stream = io.StringIO()
    logs.configure(level, stream)
    try:
        yield Log(stream)
    finally:
        logging.captureWarnings(False)
        root.handlers[:] = handlers
        root.setLevel(root_level)
        plainly()
        structlog.contextvars.clear_contextvars()


def plainly() -> None:
    """The log of a test that configures none: as structlog's own, but stacks are told plainly.

    Its coloured form comes with a package that only tests bring, and takes seconds for a deep
    stack: a turn has two and a half.
    """
    structlog.reset_defaults()
    console = structlog.dev.ConsoleRenderer(
        colors=False, exception_formatter=structlog.dev.plain_traceback
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.StackInfoRenderer(),
            structlog.dev.set_exc_info,
            structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=False),
            console,
        ]
    )
