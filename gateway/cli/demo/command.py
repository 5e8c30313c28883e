"""`gateway demo`: web and worker together, with demo people and tokens, on one command."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from gateway.cli.demo import seed
from gateway.cli.demo.people import AT_CONSOLE, AT_COUNTER, CALLERS, Worker
from gateway.cli.demo.processes import Stop, listening, started, supervise
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.errors import Misconfigured
from gateway.people.staff.store import Role
from gateway.settings import DEMO


@click.command("demo", help="Run everything on this machine, with demo people and tokens.")
@pass_parts
def demo(lazy: Lazy) -> None:
    """Migrate, seed, start gunicorn and a worker, and stop both together."""
    os.environ.setdefault("GATEWAY_MODE", DEMO)  # for the children too
    parts = lazy.parts()
    if not parts.settings.demo:
        raise Misconfigured("the demo runs with GATEWAY_MODE=demo, not in production")
    stop = Stop()
    with listening(parts.settings.bind) as door:
        click.echo("Preparing the database ...")
        parts.database.upgrade()
        if not seed.seed(parts):
            click.echo("Everything is kept from the earlier start.")
        pins = seed.usable(parts)
        parts.database.dispose()
        log = parts.settings.var / "demo.log"
        with log.open("ab") as output:
            children = started(door, output)
        _welcome(parts, pins, log)
        supervise(children, stop, log)
    click.echo("Stopped.")


def _welcome(parts: Parts, pins: Mapping[str, tuple[Role, str]], log: Path) -> None:
    address, code = parts.settings.bind, parts.settings.service_code
    phone = CALLERS[0][0]
    callback = f"http://{address}/ussd/africastalking/{parts.settings.callback_secrets[0]}"
    cash = f"{parts.settings.currency} {seed.CASH_AMOUNT}"
    click.echo(
        f"""
  The phone:    http://{address}/phone
  Try:          dial {code}, read the SMS, redeem the token, look at the balance.
  The counter:  http://{address}/counter
{_staff(AT_COUNTER, pins)}
  Pay:          {cash} in cash; its digits are in {seed.CASH_KEEPER[1]}'s inbox at /phone,
                from {seed.CASH_FROM}. Or dial {code} there as {AT_COUNTER[0].name}: 6 Cashier.
  The console:  http://{address}/console
{_staff(AT_CONSOLE, pins)}
  Another one:  GATEWAY_MODE=demo {sys.argv[0]} tokens issue \\
                  --amount 500.00 --to {phone} --show
  By curl:      curl -d sessionId=1 -d phoneNumber=%2B{phone[1:]} -d networkCode=62130 \\
                  --data-urlencode 'serviceCode={code}' -d text= \\
                  {callback}
  Log:          {log}
  Stop:         Ctrl-C
"""
    )


def _staff(workers: tuple[Worker, ...], pins: Mapping[str, tuple[Role, str]]) -> str:
    lines = [
        f"{one.name + ',':6} {role:9} {one.msisdn}   PIN {pin}"
        for one in workers
        if one.msisdn in pins
        for role, pin in [pins[one.msisdn]]
    ]
    rest = [] if len(lines) == len(workers) else ["and whom you have taken on, or given a PIN"]
    return "\n".join(f"                {line}" for line in [*lines, *rest])
