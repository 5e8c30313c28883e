"""SQL of looking through the staff, a page at a time."""

from sqlalchemy import Connection, func, select

from gateway.people.staff.store import Member, Status, staff

_C = staff.c


def page(connection: Connection, status: Status, before: int | None, rows_max: int) -> list[Member]:
    """Those of a status with numbers below `before`, newest first."""
    query = select(staff).where(_C.status == status.value)
    if before is not None:
        query = query.where(_C.id < before)
    rows = connection.execute(query.order_by(_C.id.desc()).limit(rows_max))
    return [Member(**row._mapping) for row in rows]


def counts(connection: Connection) -> dict[str, int]:
    """How many there are of each status."""
    rows = connection.execute(select(_C.status, func.count()).group_by(_C.status))
    found = {str(status): int(number) for status, number in rows}
    return {status.value: found.get(status.value, 0) for status in Status}
