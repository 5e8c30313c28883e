"""Partners and the funding of floats."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, RowId

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "partners",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("code", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint(
            "status IN ('active', 'suspended')", name=op.f("ck_partners_status_known")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_partners")),
        sa.UniqueConstraint("code", name=op.f("uq_partners_code")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
