"""Why somebody does what a command does, in their words: never blank."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from gateway.audit import trail

F = TypeVar("F", bound=Callable[..., Any])

HELP = "Why, for the audit trail."


def reason_option(command: F) -> F:
    """Has a command be told why."""
    made: Callable[[F], F] = click.option("--reason", required=True, callback=_worded, help=HELP)
    return made(command)


def optional_reason(command: F) -> F:
    """Lets a command be told why; None: it was not, and the command says what it goes by."""
    made: Callable[[F], F] = click.option("--reason", default=None, callback=_worded, help=HELP)
    return made(command)


def _worded(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    return None if value is None else trail.worded(value)
