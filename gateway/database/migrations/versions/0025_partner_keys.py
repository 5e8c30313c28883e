"""Keys of partners, and the answers their repeats are given."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Digest, Instant, RowId

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables and their indexes."""
    op.create_table(
        "partner_keys",
        sa.Column("id", RowId, primary_key=True, autoincrement=True),
        sa.Column("key_id", sa.String(24), nullable=False),
        sa.Column(
            "partner_id",
            RowId,
            sa.ForeignKey("partners.id", name="fk_partner_keys_partner_id_partners"),
            nullable=False,
        ),
        sa.Column("secret", Digest, nullable=False),
        sa.Column("mode", sa.String(4), nullable=False),
        sa.Column("scopes", sa.String(200), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=True),
        sa.Column("revoked_at", Instant(), nullable=True),
        sa.Column("used_on", sa.Date(), nullable=True),
        sa.UniqueConstraint("key_id", name="uq_partner_keys_key_id"),
        **MARIADB_TABLE,
        if_not_exists=True,
    )
    op.create_index(
        "ix_partner_keys_partner_id", "partner_keys", ["partner_id"], if_not_exists=True
    )
    op.create_table(
        "api_requests",
        sa.Column("id", RowId, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("kid", sa.String(8), nullable=False),
        sa.Column("request_key", Digest, nullable=False),
        sa.Column("fingerprint", Digest, nullable=False),
        sa.Column("operation", sa.String(40), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("reveals", sa.String(12), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.UniqueConstraint("request_key", name="uq_api_requests_request_key"),
        **MARIADB_TABLE,
        if_not_exists=True,
    )
    op.create_index(
        "ix_api_requests_created_at", "api_requests", ["created_at"], if_not_exists=True
    )
