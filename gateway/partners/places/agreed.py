"""Agreeing with a partner at which outlets its keys pay, and ending that."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput
from gateway.formats.facts import Fact, fact
from gateway.partners import profiles
from gateway.partners.places import store

AGREE, END = "partner.outlet", "partner.outlet_ended"  # in the trail, about the partner's code


def agree(
    connection: Connection, code: str, outlet: str, actor: str, now: datetime, reason: str = ""
) -> None:
    """Let a partner's keys pay at an outlet, which there is. Raises `BadInput`."""
    partner = profiles.find(connection, code)
    if store.has(connection, partner.id, outlet):
        raise BadInput(f"{code} pays at {outlet} already")
    store.add(connection, partner.id, outlet, now)
    trail.record(connection, actor, AGREE, code, now, reason, _about(outlet))


def end(
    connection: Connection, code: str, outlet: str, actor: str, now: datetime, reason: str = ""
) -> None:
    """Let them pay there no more; what they have paid stands. Raises `BadInput`."""
    partner = profiles.find(connection, code)
    if not store.remove(connection, partner.id, outlet):
        raise BadInput(f"{code} does not pay at {outlet}")
    trail.record(connection, actor, END, code, now, reason, _about(outlet))


def _about(outlet: str) -> Fact:
    return fact("outlet {outlet}", outlet=outlet)
