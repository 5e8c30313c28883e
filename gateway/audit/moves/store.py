"""SQL of what two lines of the trail say of one act: who gave something, and who has it now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from gateway.audit.store import audit_trail

_C = audit_trail.c


@dataclass(frozen=True, slots=True)
class Moved:
    """One act, by the line of whoever is asked about."""

    at: datetime
    action: str
    other: str  # the subject of the other line


def moves_of(
    connection: Connection, subject: str, gave: str, took: str, rows_max: int
) -> Sequence[Moved]:
    """What a subject gave (an action) to another, and took from one; the latest first.

    Both lines were written by one actor at one instant, the giver's first.
    """
    lines = connection.execute(
        select(_C.id, _C.at, _C.actor, _C.action)
        .where(_C.subject == subject, _C.action.in_((gave, took)))
        .order_by(_C.id.desc())
        .limit(rows_max)
    ).all()
    found = []
    for number, at, actor, action in lines:
        after = action == gave
        query = select(_C.subject).where(
            _C.id > number if after else _C.id < number,
            _C.actor == actor,
            _C.action == (took if after else gave),
            _C.at == at,
        )
        by_nearness = _C.id if after else _C.id.desc()
        other = connection.execute(query.order_by(by_nearness).limit(1)).scalar()
        if other is not None:
            found.append(Moved(at, action, other))
    return found
