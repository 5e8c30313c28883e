"""What is kept how long, and what stays paused while a restored backup is reconciled."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, RowId

revision = "0031"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table, if a run that broke off has not."""
    op.create_table(
        "restores",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("began_at", Instant(), nullable=False),
        sa.Column("began_by", sa.String(length=64), nullable=False),
        sa.Column("newest_at", Instant(), nullable=True),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.Column("suspended", sa.Integer(), nullable=False),
        sa.Column("everything", sa.Boolean(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("ended_by", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_restores")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
