"""The group of all commands, and how an error reads on the command line."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from gateway import logs
from gateway.cli import books, database, doctor, housekeeping, keys, menus, tokens, wallets
from gateway.cli.demo import demo
from gateway.cli.parts import Lazy, Parts
from gateway.errors import GatewayError

COMMANDS: Sequence[click.Command] = (
    database.group,
    keys.group,
    tokens.group,
    wallets.group,
    housekeeping.worker,
    housekeeping.sweep,
    menus.group,
    books.group,
    doctor.doctor,
    demo,
)


class PlainErrors(click.Group):
    """A group whose commands end with one clear line for an error of ours."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; exit code 1 for an error that is not one of usage."""
        try:
            return super().invoke(ctx)
        except GatewayError as error:
            raise click.ClickException(str(error)) from error


def command_group(make: Callable[[], Parts]) -> click.Group:
    """The command `gateway`, over parts that are made when first needed."""

    @click.group(cls=PlainErrors, help="USSD and SMS gateway for payment tokens.")
    @click.pass_context
    def gateway(context: click.Context) -> None:
        logs.configure()
        context.obj = Lazy(make)

    for command in COMMANDS:
        gateway.add_command(command)
    return gateway
