"""Who acts on the command line: an operator with a PIN, or the login name before there is one."""

import os
import pwd
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from gateway.cli.demo.people import AT_CONSOLE
from gateway.cli.demo.seed import usable
from gateway.cli.parts import Lazy, Parts
from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.people.staff.hands import actor_of

F = TypeVar("F", bound=Callable[..., Any])

ACTOR_MAX = 64
ENVIRONMENT = "GATEWAY_OPERATOR"
_AS, _STDIN, _ACTOR = (f"gateway.operator.{name}" for name in ("as", "stdin", "actor"))


def operator_option(command: F) -> F:
    """Lets a command be told who acts; it then calls `acting` before anything else."""
    named: Callable[[F], F] = click.option(
        "--as",
        "operator",
        metavar="PHONE",
        expose_value=False,
        callback=_keeper(_AS),
        help=f"The operator who acts; also ${ENVIRONMENT}.",
    )
    from_stdin: Callable[[F], F] = click.option(
        "--pin-stdin",
        is_flag=True,
        expose_value=False,
        callback=_keeper(_STDIN),
        help="Read PINs from standard input, one a line: the operator's first.",
    )
    return named(from_stdin(command))


def acting(lazy: Lazy) -> str:
    """Who acts, for the audit trail: `staff:<id>:<name>`, or `cli:<login name>`.

    Outside of any transaction. Raises `BadInput` for a wrong PIN, or when nobody says who acts
    though there are operators.
    """
    kept = click.get_current_context().meta
    if _ACTOR not in kept:
        kept[_ACTOR] = _actor(lazy, kept.get(_AS) or "")
    return str(kept[_ACTOR])


def unattended(lazy: Lazy) -> str:
    """Who acts where a schedule may: the operator who is named, else the login name, unproved.

    Only for what changes nothing by itself.
    """
    named = click.get_current_context().meta.get(_AS)
    return acting(lazy) if named else f"cli:{login()}"[:ACTOR_MAX]


def left(lazy: Lazy) -> str:
    """Who acts when operators are missing: the one who is left; the login name, without any."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        found = parts.roster.active_operators(connection)
    return acting(lazy) if found else f"cli:{login()}"[:ACTOR_MAX]


def claimed(lazy: Lazy) -> str:
    """The phone of whoever says that they act, in E.164, not proved yet. Raises `BadInput`."""
    phone = click.get_current_context().meta.get(_AS) or os.environ.get(ENVIRONMENT, "")
    if not phone:
        raise BadInput(f"say which operator acts: --as PHONE, or ${ENVIRONMENT}")
    return msisdn.parse(phone, lazy.parts().settings.country)


def from_standard_input() -> bool:
    """Whether PINs come through a pipe or a file: nobody can mistype them there."""
    return bool(click.get_current_context().meta.get(_STDIN)) and not sys.stdin.isatty()


def asked_pin(words: str) -> str:
    """A PIN from the next line of standard input, or from the person at the terminal.

    Raises `BadInput` where neither is to be had.
    """
    if from_standard_input():
        return sys.stdin.readline().strip()
    if not sys.stdin.isatty():
        raise BadInput("there is no terminal to ask for a PIN: give it by --pin-stdin")
    # Without an echo, even of who has typed --pin-stdin and then the PIN by hand.
    return str(click.prompt(words, hide_input=True, err=True))


def login() -> str:
    """The login name of the person behind this process; of the one behind sudo, for root."""
    uid = os.getuid()
    behind = os.environ.get("SUDO_USER", "") if uid == 0 else ""
    if behind:
        return behind
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:  # a container's user without a name
        return str(uid)


def _actor(lazy: Lazy, named: str) -> str:
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        must_prove = parts.roster.has_operators(connection)
    if not must_prove:
        if named:
            raise BadInput("there are no operators yet: leave out --as")
        return f"cli:{login()}"[:ACTOR_MAX]
    kept = None if named or os.environ.get(ENVIRONMENT) else _kept(parts)
    if kept is not None:
        return actor_of(parts.roster.proved(*kept))[:ACTOR_MAX]
    number = claimed(lazy)
    return actor_of(parts.roster.proved(number, asked_pin("Your PIN")))[:ACTOR_MAX]


def _kept(parts: Parts) -> tuple[str, str] | None:
    """Phone and PIN of the demo's first operator: who lives in the demo need not say who acts."""
    pins = usable(parts) if parts.settings.demo else {}
    return next(
        ((one.msisdn, pins[one.msisdn][1]) for one in AT_CONSOLE if one.msisdn in pins), None
    )


def _keeper(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(context: click.Context, _: click.Parameter, value: Any) -> None:
        context.meta[name] = value

    return keep
