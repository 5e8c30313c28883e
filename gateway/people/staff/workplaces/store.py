"""SQL of where somebody of the staff works."""

from sqlalchemy import Connection, select, update

from gateway.people.staff.store import staff

_c = staff.c


def lock(connection: Connection, member_id: int) -> None:
    """Keep somebody as they are until this transaction ends."""
    connection.execute(select(_c.id).where(_c.id == member_id).with_for_update())


def move(connection: Connection, member_id: int, before: str | None, after: str) -> bool:
    """From one outlet to another; False when they work elsewhere by now."""
    is_there = _c.outlet.is_(None) if before is None else _c.outlet == before
    changed = update(staff).where(_c.id == member_id, is_there).values(outlet=after)
    return connection.execute(changed).rowcount == 1
