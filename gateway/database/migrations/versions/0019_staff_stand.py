"""From when an operator decides, the PIN that is to be set anew, and the last unlocking."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import Instant

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, if a run that broke off has not."""
    _add(sa.Column("decides_from", Instant(), nullable=True))
    _add(sa.Column("pin_once", sa.Integer(), nullable=True))
    _add(sa.Column("next_pin_hash", sa.String(length=128), nullable=True))
    _add(sa.Column("unlocked_at", Instant(), nullable=True))


def _add(column: sa.Column[object]) -> None:
    present = {known["name"] for known in sa.inspect(op.get_bind()).get_columns("staff")}
    if column.name not in present:
        op.add_column("staff", column)
