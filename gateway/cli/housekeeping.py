"""`gateway worker` and `gateway sweep`: what must run beside the web processes."""

import click
import structlog

from gateway import chores
from gateway.cli.output import as_json, show
from gateway.cli.parts import Lazy, pass_parts
from gateway.errors import CommitUnknown, GatewayError, TryAgain

log = structlog.get_logger()


@click.command("worker", help="Send what is in the outbox, until stopped by a signal.")
@click.option("--once", is_flag=True, help="Send what is due now and stop.")
@click.option("--threads", type=click.IntRange(1, 32), default=4, show_default=True)
@click.option(
    "--sweep-every",
    type=click.IntRange(10),
    default=None,
    metavar="SECONDS",
    help="Sweep too, for an installation without a scheduler.",
)
@pass_parts
def worker(lazy: Lazy, once: bool, threads: int, sweep_every: int | None) -> None:
    """Sends, settles what lost its worker, and reports this process's keys."""
    parts = lazy.parts()
    working = parts.worker(threads, sweep_every)
    if once:
        parts.settle()
        click.echo(f"{working.drain()} messages handled")
        return
    working.stop_on_signals()
    working.run()
    try:
        parts.sign_off()
    except (TryAgain, CommitUnknown) as error:  # the report of its keys ages and is forgotten
        log.warning("worker_not_signed_off", error=str(error))


@click.command("sweep", help="Expire overdue tokens, set the breaker, forget old sessions.")
@as_json
@pass_parts
def sweep(lazy: Lazy, json_wanted: bool) -> None:
    """Every chore once, each on its own; safe to repeat and to run twice at once."""
    done = chores.each(lazy.parts().chores)
    if done.failed and not done.counts:
        raise next(iter(done.failed.values()))  # of the database, then, not of one chore
    show({**done.counts, **dict.fromkeys(done.failed)}, json_wanted)
    if done.failed:
        reasons = (f"{name} ({_reason(error)})" for name, error in done.failed.items())
        raise click.ClickException(f"not done: {', '.join(reasons)}")


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, GatewayError) else type(error).__name__
