"""SQL that finds the phones of the staff."""

from collections.abc import Sequence

from sqlalchemy import Connection, select

from gateway.people.staff.store import Role, Status, staff

_c = staff.c


def active(connection: Connection, roles: Sequence[Role]) -> frozenset[str]:
    """The phones (E.164) of everybody active in one of these roles."""
    query = select(_c.msisdn).where(
        _c.status == Status.ACTIVE.value, _c.role.in_([role.value for role in roles])
    )
    return frozenset(connection.execute(query).scalars())
