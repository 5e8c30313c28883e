"""`gateway doctor`: is this installation fit to serve?"""

import sys
from collections.abc import Callable
from datetime import timedelta

import click

from gateway.cli.output import as_json, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.database import server
from gateway.errors import GatewayError

CLOCK_SKEW_MAX = timedelta(seconds=2)
Check = Callable[[Parts], str]  # what was found; raises GatewayError for a fault


@click.command("doctor", help="Check keys, database, clock, schema and channels.")
@as_json
@pass_parts
def doctor(lazy: Lazy, json_wanted: bool) -> None:
    """Every check on its own line; exit 1 if one fails."""
    parts = lazy.parts()
    rows = []
    for name, check in CHECKS.items():
        try:
            rows.append({"check": name, "ok": True, "found": check(parts)})
        except GatewayError as error:
            rows.append({"check": name, "ok": False, "found": str(error)})
    show_rows(rows, json_wanted)
    if not all(row["ok"] for row in rows):
        sys.exit(1)


def _database(parts: Parts) -> str:
    return parts.database.run(server.version)


def _isolation(parts: Parts) -> str:
    return parts.database.run(server.isolation)


def _ready(parts: Parts) -> str:
    obstacles = parts.obstacles()
    if obstacles:
        raise GatewayError("; ".join(obstacles))
    return "newest schema, no key missing"


def _append_only(parts: Parts) -> str:
    missing = parts.database.run(server.missing_triggers)
    if missing:
        raise GatewayError(f"no trigger {', '.join(missing)}: revoke UPDATE and DELETE there")
    return "ledger and audit trail refuse changes"


def _clock(parts: Parts) -> str:
    skew = abs(parts.database.run(server.now) - parts.clock.now())
    if skew > CLOCK_SKEW_MAX:
        raise GatewayError(f"the database's clock is off by {skew.total_seconds():.1f} s")
    return f"within {CLOCK_SKEW_MAX.total_seconds():.0f} s of the database's"


def _durability(parts: Parts) -> str:
    return parts.database.run(server.durability)


def _zone(parts: Parts) -> str:
    return f"{parts.settings.zone.key}, now {parts.clock.now().astimezone(parts.settings.zone)}"


def _channels(parts: Parts) -> str:
    parts.sender("doctor")
    return ", ".join(parts.settings.sms_channels)


CHECKS: dict[str, Check] = {
    "database": _database,
    "isolation": _isolation,
    "durability": _durability,
    "ready": _ready,
    "append-only": _append_only,
    "clock": _clock,
    "time zone": _zone,
    "SMS channels": _channels,
}
