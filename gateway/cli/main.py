"""The group of all commands, and how an error reads on the command line."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from gateway import logs
from gateway.cli import (
    approvals,
    audit,
    batches,
    books,
    database,
    deposits,
    disputes,
    doctor,
    housekeeping,
    keys,
    menus,
    outbox,
    outlets,
    partners,
    people,
    reconcile,
    restore,
    runs,
    settlements,
    shifts,
    staff,
    statements,
    switches,
    tokens,
    wallets,
    withdrawals,
)
from gateway.cli.demo.command import demo
from gateway.cli.parts import Lazy, Parts
from gateway.errors import CommitUnknown, GatewayError, TryAgain

COMMANDS: Sequence[click.Command] = (
    database.group,
    keys.group,
    tokens.group,
    wallets.group,
    deposits.group,
    withdrawals.group,
    disputes.group,
    partners.group,
    partners.house,
    batches.group,
    settlements.group,
    reconcile.reconcile,
    runs.group,
    outbox.group,
    audit.group,
    statements.group,
    housekeeping.worker,
    housekeeping.sweep,
    menus.group,
    books.group,
    doctor.doctor,
    approvals.group,
    staff.group,
    outlets.outlets,
    outlets.tills,
    shifts.shifts,
    switches.pause,
    switches.resume,
    switches.switches,
    restore.group,
    people.group,
    demo,
)


class PlainErrors(click.Group):
    """A group whose commands end with one clear line for whatever can be foreseen."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; exit code 1 for an error that is not one of usage."""
        try:
            return super().invoke(ctx)
        except TryAgain as error:
            raise click.ClickException(f"nothing was done, the database says: {error}") from error
        except CommitUnknown as error:
            raise click.ClickException(f"{error}: it may have been done, look first") from error
        except GatewayError as error:
            raise click.ClickException(str(error)) from error
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            # No schema yet, no server, no rights: say that. Anything else is a fault of ours.
            obstacles = ctx.obj.parts().obstacles() if ctx.obj else ()
            if not obstacles:
                raise
            raise click.ClickException("; ".join(obstacles)) from error


def command_group(make: Callable[[], Parts]) -> click.Group:
    """The command `gateway`, over parts that are made when first needed."""

    @click.group(cls=PlainErrors, help="USSD and SMS gateway for payment tokens.")
    @click.pass_context
    def gateway(context: click.Context) -> None:
        # A person at a terminal wants the answer; what runs for days tells what it does.
        logs.configure("info" if context.invoked_subcommand == "worker" else "warning")
        context.obj = Lazy(make)

    for command in COMMANDS:
        gateway.add_command(command)
    return gateway
