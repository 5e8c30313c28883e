"""SQL of how often something was recorded, hour by hour."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func

from gateway.audit.store import audit_trail
from gateway.database.spans import by_span, first_since


def recorded(connection: Connection, action: str, bounds: Sequence[datetime]) -> list[int]:
    """How many lines of an action stand in the trail in each span between two bounds."""
    c = audit_trail.c
    first = first_since(connection, c.id, c.at, bounds[0])
    return by_span(connection, c.at, bounds, func.count(), c.id >= first, c.action == action)
