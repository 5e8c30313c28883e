"""Which key an id stood for when rows were first written with it; filled by running processes."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

TABLE, COLUMN = "written_keys", "fingerprint"


def upgrade() -> None:
    """Add the column, if a run that broke off has not; only a process with the key can fill it."""
    present = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(TABLE)}
    if COLUMN not in present:
        op.add_column(TABLE, sa.Column(COLUMN, sa.String(length=16), nullable=True))
