"""Sessions of the staff on the web pages: a keyed digest of the cookie, never the cookie."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Digest, Instant, RowId

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "staff_sessions",
        sa.Column("digest", Digest, primary_key=True, nullable=False),
        sa.Column("staff_id", RowId, nullable=False),
        sa.Column("began_at", Instant(), nullable=False),
        sa.Column("seen_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_staff_sessions"),
        sa.ForeignKeyConstraint(["staff_id"], ["staff.id"], name="fk_staff_sessions_staff_id"),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index("ix_staff_sessions_seen_at", "staff_sessions", ["seen_at"], if_not_exists=True)
