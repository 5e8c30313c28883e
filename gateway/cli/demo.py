"""`gateway demo`: web and worker together, with demo people and tokens, on one command."""

import os
import signal
import socketserver
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO

import click
from sqlalchemy import Connection

from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.clock import monotonic
from gateway.errors import GatewayError, Misconfigured
from gateway.formats import money
from gateway.settings import DEMO
from gateway.tokens.issue import DuplicateIssueRef, Issued, Order, expiry

STOP_SECONDS = 15
GUNICORN_CONF = Path(__file__).parents[2] / "gunicorn.conf.py"
# What each demo phone finds in its inbox on the first start.
TOKENS = (
    ("demo-1", "500.00", "+2348030000001", 18, "Mama Ngozi"),
    ("demo-2", "1250.50", "+2348030000002", 11, "Bright Farms"),
    ("demo-3", "75.00", "+2348030000003", 18, "School Fund"),
)

Child = subprocess.Popen[bytes]


class ChildEnded(GatewayError):
    """One of the demo's processes ended by itself; the text names it and its log."""


@click.command("demo", help="Run everything on this machine, with demo people and tokens.")
@pass_parts
def demo(lazy: Lazy) -> None:
    """Migrate, seed, start gunicorn and a worker, and stop both together."""
    os.environ.setdefault("GATEWAY_MODE", DEMO)  # for the children too
    parts = lazy.parts()
    if not parts.settings.demo:
        raise Misconfigured("the demo runs with GATEWAY_MODE=demo, not in production")
    stop = _Stop()
    with _listening(parts.settings.bind) as door:
        click.echo("Preparing the database ...")
        parts.database.upgrade()
        _seed(parts)
        parts.database.dispose()
        log = parts.settings.var / "demo.log"
        with log.open("ab") as output:
            children = _started(door, output)
        _welcome(parts, log)
        _supervise(children, stop, log)
    click.echo("Stopped.")


class _Stop:
    """Whether somebody asked the demo to stop, by Ctrl-C or a signal."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True


class _Door(socketserver.TCPServer):
    """The listening socket: ours from the first moment on, handed down to gunicorn."""

    allow_reuse_address = True
    request_queue_size = 128


def _listening(bind: str) -> _Door:
    host, _, port = bind.rpartition(":")
    try:
        return _Door((host, int(port)), socketserver.BaseRequestHandler)
    except (OSError, OverflowError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no such address"
        raise Misconfigured(
            f"cannot listen at {bind}: {why}; GATEWAY_BIND may name another"
        ) from None


def _started(door: _Door, output: IO[bytes]) -> dict[str, Child]:
    number = door.fileno()
    web = [sys.executable, "-m", "gunicorn", "--config", str(GUNICORN_CONF)]
    commands = {
        "web": [*web, "--bind", f"fd://{number}", "wsgi:application"],
        "worker": [sys.argv[0], "worker", "--sweep-every", "60"],
    }
    return {
        name: subprocess.Popen(  # noqa: S603 (our own programs, fixed arguments)
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(number,) if name == "web" else (),
            start_new_session=True,  # Ctrl-C is for the demo, which then stops them in order
        )
        for name, command in commands.items()
    }


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
            actor="demo",
        )
        try:
            parts.database.run(partial(_issue, parts, order, now))
        except DuplicateIssueRef:
            click.echo("Everything is kept from the earlier start.")
            return


def _issue(parts: Parts, order: Order, now: datetime, connection: Connection) -> Issued:
    return parts.issuer.issue(connection, order, now)


def _welcome(parts: Parts, log: Path) -> None:
    address, code = parts.settings.bind, parts.settings.service_code
    phone = TOKENS[0][2]
    callback = f"http://{address}/ussd/africastalking/{parts.settings.callback_secrets[0]}"
    click.echo(
        f"""
  The phone:    http://{address}/phone
  Try:          dial {code}, read the SMS, redeem the token, look at the balance.
  Another one:  GATEWAY_MODE=demo {sys.argv[0]} tokens issue \\
                  --amount 500.00 --to {phone} --show
  By curl:      curl -d sessionId=1 -d phoneNumber=%2B{phone[1:]} -d networkCode=62130 \\
                  --data-urlencode 'serviceCode={code}' -d text= \\
                  {callback}
  Log:          {log}
  Stop:         Ctrl-C
"""
    )


def _supervise(children: Mapping[str, Child], stop: _Stop, log: Path) -> None:
    """Until a signal or the end of one child; then end the others. Raises `ChildEnded`."""
    while not stop.asked and all(child.poll() is None for child in children.values()):
        time.sleep(0.2)
    ended = [f"{name} ({child.poll()})" for name, child in children.items() if _over(child)]
    _end(list(children.values()))
    if not stop.asked:
        raise ChildEnded(f"ended by itself: {', '.join(ended)}; see {log}")


def _over(child: Child) -> bool:
    return child.poll() is not None


def _end(children: list[Child]) -> None:
    for child in children:
        if not _over(child):
            child.terminate()
    end = monotonic() + STOP_SECONDS
    for child in children:
        try:
            child.wait(max(0.1, end - monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
