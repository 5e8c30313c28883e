"""Where staff tried to log in from, counted by address."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, RowId

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "staff_tries",
        sa.Column("place", sa.String(48), nullable=False),
        sa.Column("staff_id", RowId, nullable=False, autoincrement=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("until", Instant(), nullable=False),
        sa.Column("proved_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("place", "staff_id", name="pk_staff_tries"),
        sa.CheckConstraint("tries >= 0", name=op.f("ck_staff_tries_tries_not_negative")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    for index, columns in (
        ("ix_staff_tries_staff_id", ["staff_id", "proved_at"]),
        ("ix_staff_tries_until", ["until"]),
    ):
        op.create_index(index, "staff_tries", columns, if_not_exists=True)
