"""SQL of whether a proof still holds."""

from sqlalchemy import Connection, select

from gateway.errors import BadInput
from gateway.people.staff.store import Member, Status, staff


def insist_unchanged(connection: Connection, member: Member, *, lock: bool = False) -> None:
    """That who was proved outside is still let in with the same PIN. Raises `BadInput`.

    Locked, neither changes until this transaction ends.
    """
    query = select(staff.c.status, staff.c.pin_hash).where(staff.c.id == member.id)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None or (row.status, row.pin_hash) != (Status.ACTIVE.value, member.pin_hash):
        raise BadInput("the PIN was changed meanwhile: enter it again")
