"""`gateway demo`: web and worker together, with demo people and tokens, on one command."""

import os
import signal
import subprocess
import sys
import time
from datetime import datetime
from functools import partial
from types import FrameType

import click
from sqlalchemy import Connection

from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.clock import monotonic
from gateway.errors import Misconfigured
from gateway.formats import money
from gateway.tokens.issue import DuplicateIssueRef, Issued, Order, expiry

STOP_SECONDS = 15
# What each demo phone finds in its inbox on the first start.
TOKENS = (
    ("demo-1", "500.00", "+2348030000001", 18, "Mama Ngozi"),
    ("demo-2", "1250.50", "+2348030000002", 11, "Bright Farms"),
    ("demo-3", "75.00", "+2348030000003", 18, "School Fund"),
)


@click.command("demo", help="Run everything on this machine, with demo people and tokens.")
@pass_parts
def demo(lazy: Lazy) -> None:
    """Migrate, seed, start gunicorn and a worker, and stop both together."""
    parts = lazy.parts()
    if not parts.settings.demo:
        raise Misconfigured("set GATEWAY_MODE=demo to run the demo")
    click.echo("Preparing the database ...")
    parts.database.upgrade()
    _seed(parts)
    parts.database.dispose()
    children = [
        subprocess.Popen(command)  # noqa: S603 (our own programs, fixed arguments)
        for command in (
            [
                sys.executable,
                "-m",
                "gunicorn",
                "--bind",
                parts.settings.bind,
                "--workers",
                "2",
                "--threads",
                "8",
                "--worker-class",
                "gthread",
                "--graceful-timeout",
                "10",
                "wsgi:application",
            ],
            [sys.argv[0], "worker", "--sweep-every", "60"],
        )
    ]
    _welcome(parts)
    sys.exit(_wait(children))


def _seed(parts: Parts) -> None:
    now = parts.clock.now()
    for reference, amount, recipient, digits, sender in TOKENS:
        order = Order(
            amount=money.parse(amount),
            currency=parts.settings.currency,
            expires_at=expiry("30d", now, parts.settings.zone),
            digits=digits,
            recipient=recipient,
            issue_ref=reference,
            sender_name=sender,
        )
        try:
            parts.database.run(partial(_issue, parts, order, now))
        except DuplicateIssueRef:
            click.echo("The demo's tokens are there from an earlier start.")
            return


def _issue(parts: Parts, order: Order, now: datetime, connection: Connection) -> Issued:
    return parts.issuer.issue(connection, order, now)


def _welcome(parts: Parts) -> None:
    address, code = parts.settings.bind, parts.settings.service_code
    click.echo(
        f"""
  The phone:    http://{address}/phone
  Try:          dial {code}, read the SMS, redeem the token, look at the balance.
  Another one:  GATEWAY_MODE=demo .venv/bin/gateway tokens issue --amount 500.00 \\
                  --to {TOKENS[0][2]} --show
  Stop:         Ctrl-C
"""
    )


def _wait(children: list[subprocess.Popen[bytes]]) -> int:
    """Until a signal or the end of one child; then end the others. The exit code."""
    stopping = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while not stopping and all(child.poll() is None for child in children):
        time.sleep(0.2)
    failed = [child for child in children if child.poll() not in (None, 0)]
    for child in children:
        if child.poll() is None:
            os.kill(child.pid, signal.SIGTERM)
    end = monotonic() + STOP_SECONDS
    for child in children:
        try:
            child.wait(max(0.1, end - monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
    return 1 if failed and not stopping else 0
