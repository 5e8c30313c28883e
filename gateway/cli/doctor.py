"""`gateway doctor`: is this installation fit to serve?"""

import sys
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import click
from sqlalchemy import Connection

from gateway.audit import store as audit
from gateway.audit.store import Record
from gateway.cli.output import as_json, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.clock import iso
from gateway.database import server
from gateway.database.engine import Deadline
from gateway.errors import GatewayError, SendFailed
from gateway.ledger import store as ledger
from gateway.people.staff.roster import BREAK_GLASS, FOUNDERS

T = TypeVar("T")

ANSWER_SECONDS_MAX = 5.0
CLOCK_SKEW_MAX = timedelta(seconds=2)
GLASS_SHOWN = timedelta(days=7)
Check = Callable[[Parts], str]  # what was found; raises GatewayError for a fault


@click.command("doctor", help="Check keys, database, clock, schema and channels.")
@as_json
@pass_parts
def doctor(lazy: Lazy, json_wanted: bool) -> None:
    """Every check on its own line; exit 1 if one fails."""
    parts = lazy.parts()
    rows = [_looked(parts, name, check) for name, check in CHECKS.items()]
    if rows[0]["ok"]:
        rows += [_looked(parts, name, check) for name, check in CHECKS_OF_DATABASE.items()]
    show_rows(rows, json_wanted)
    if not all(row["ok"] for row in rows):
        sys.exit(1)


def _looked(parts: Parts, name: str, check: Check) -> dict[str, object]:
    try:
        return {"check": name, "ok": True, "found": check(parts)}
    except GatewayError as error:
        return {"check": name, "ok": False, "found": str(error)}
    except Exception as error:  # noqa: BLE001 - one bad finding must not end the rest
        return {"check": name, "ok": False, "found": f"cannot look: {type(error).__name__}"}


def _ask(parts: Parts, question: Callable[[Connection], T]) -> T:
    return parts.database.run(question, deadline=Deadline(ANSWER_SECONDS_MAX))


def _database(parts: Parts) -> str:
    return _ask(parts, server.version)


def _isolation(parts: Parts) -> str:
    return _ask(parts, server.isolation)


def _ready(parts: Parts) -> str:
    obstacles = parts.obstacles()
    if obstacles:
        raise GatewayError("; ".join(obstacles))
    return "newest schema, no key missing"


def _append_only(parts: Parts) -> str:
    missing = _ask(parts, server.missing_triggers)
    if missing:
        raise GatewayError(f"no trigger {', '.join(missing)}: revoke UPDATE and DELETE there")
    return "ledger and audit trail refuse changes"


def _clock(parts: Parts) -> str:
    skew = abs(_ask(parts, server.now) - parts.clock.now())
    if skew > CLOCK_SKEW_MAX:
        raise GatewayError(f"the database's clock is off by {skew.total_seconds():.1f} s")
    return f"within {CLOCK_SKEW_MAX.total_seconds():.0f} s of the database's"


def _operators(parts: Parts) -> str:
    """Who can approve; a glass that was broken is a fault for a week, so that somebody asks why."""
    active = _ask(parts, parts.roster.active_operators)
    since = parts.clock.now() - GLASS_SHOWN
    broken = [line for line in _ask(parts, _broken_glass) if line.at > since]
    if broken:
        last = broken[-1]
        raise GatewayError(f"{last.actor} broke the glass at {iso(last.at)}: {last.reason}")
    if active >= FOUNDERS:
        return f"{active} active"
    if _ask(parts, parts.roster.has_operators) or _ask(parts, ledger.has_moved):
        raise GatewayError(f"{active} active, approving needs {FOUNDERS}: gateway staff create")
    return f"none yet: take on {FOUNDERS} with gateway staff create before money moves"


def _broken_glass(connection: Connection) -> list[Record]:
    return audit.about(connection, BREAK_GLASS)


def _durability(parts: Parts) -> str:
    return _ask(parts, server.durability)


def _zone(parts: Parts) -> str:
    zone = parts.settings.zone
    return f"{zone.key}, now {parts.clock.now().astimezone(zone):%Y-%m-%d %H:%M}"


def _channels(parts: Parts) -> str:
    parts.sender("doctor")
    return ", ".join(_channel(parts, name) for name in parts.settings.sms_channels)


def _channel(parts: Parts, name: str) -> str:
    """The channel's name, and what it says where it can be asked without sending anything."""
    ask = parts.channel_checks.get(name)
    try:
        return f"{name} {ask()}" if ask else name
    except SendFailed as error:
        raise GatewayError(f"{name}: {error}") from None


def _languages(parts: Parts) -> str:
    """What callers may choose, and what of it no native speaker has read."""
    said = parts.languages
    return ", ".join(
        said.name(code) if said.reviewer(code) else f"{said.name(code)} (not reviewed)"
        for code in said.codes
    )


CHECKS: dict[str, Check] = {
    "database": _database,
    "time zone": _zone,
    "languages": _languages,
    "SMS channels": _channels,
}
# What can be asked only of a database that answers.
CHECKS_OF_DATABASE: dict[str, Check] = {
    "isolation": _isolation,
    "durability": _durability,
    "ready": _ready,
    "append-only": _append_only,
    "clock": _clock,
    "operators": _operators,
}
