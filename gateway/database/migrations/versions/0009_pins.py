"""PINs of subscribers."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Digest, Instant

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "pins",
        sa.Column("msisdn", sa.String(length=16), nullable=False),
        sa.Column("hash", sa.String(length=128), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("locked_until", Instant(), nullable=True),
        sa.Column("counted", Digest, nullable=True),
        sa.Column("pending_hash", sa.String(length=128), nullable=True),
        sa.Column("pending_at", Instant(), nullable=True),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("msisdn", name=op.f("pk_pins")),
        sa.CheckConstraint("tries >= 0", name=op.f("ck_pins_tries_not_negative")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
