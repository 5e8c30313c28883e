"""Table and SQL of the outlets where partners pay."""

from datetime import datetime

from sqlalchemy import Column, Connection, ForeignKey, String, delete, insert, select

from gateway.database.types import Instant, RowId, table
from gateway.partners.store import partners

OUTLET_MAX = 16

partner_outlets = table(
    "partner_outlets",
    Column("partner_id", RowId, ForeignKey(partners.c.id), primary_key=True),
    Column("outlet", String(OUTLET_MAX), primary_key=True),  # the code, which never changes
    Column("created_at", Instant, nullable=False),
)
_C = partner_outlets.c


def of_partner(connection: Connection, partner_id: int) -> list[str]:
    """The codes of the outlets where a partner pays."""
    query = select(_C.outlet).where(_C.partner_id == partner_id).order_by(_C.outlet)
    return list(connection.execute(query).scalars())


def has(connection: Connection, partner_id: int, outlet: str) -> bool:
    """Whether a partner pays at an outlet."""
    query = select(_C.outlet).where(_C.partner_id == partner_id, _C.outlet == outlet)
    return connection.execute(query).first() is not None


def add(connection: Connection, partner_id: int, outlet: str, now: datetime) -> None:
    """From now on; `DuplicateKey` when it does already."""
    values = {"partner_id": partner_id, "outlet": outlet, "created_at": now}
    connection.execute(insert(partner_outlets).values(**values))


def remove(connection: Connection, partner_id: int, outlet: str) -> bool:
    """No longer; False when it did not."""
    mine = (_C.partner_id == partner_id, _C.outlet == outlet)
    return connection.execute(delete(partner_outlets).where(*mine)).rowcount == 1
