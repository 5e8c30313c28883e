"""What partners are told: events, where their webhooks go, and the secrets that sign them."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, RowId

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables and their indexes."""
    _events()
    _endpoints()


def _events() -> None:
    op.create_table(
        "partner_events",
        sa.Column("id", RowId, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.String(24), nullable=False),
        sa.Column("serial", sa.String(12), nullable=False),
        sa.Column("cause", sa.String(120), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.UniqueConstraint("cause", name="uq_partner_events_cause"),
        **MARIADB_TABLE,
        if_not_exists=True,
    )
    for name, columns, unique in (
        ("uq_partner_events_owner_seq", ["owner", "seq"], True),
        ("ix_partner_events_seq_owner", ["seq", "owner"], False),
        ("ix_partner_events_owner_at", ["owner", "at"], False),
    ):
        op.create_index(name, "partner_events", columns, unique=unique, if_not_exists=True)
    op.create_table(
        "partner_feeds",
        sa.Column("id", RowId, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.UniqueConstraint("owner", name="uq_partner_feeds_owner"),
        **MARIADB_TABLE,
        if_not_exists=True,
    )


def _endpoints() -> None:
    op.create_table(
        "partner_endpoints",
        sa.Column("id", RowId, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("url", sa.String(500), nullable=False),
        sa.Column("state", sa.String(4), nullable=False),
        sa.Column("reason", sa.String(200), nullable=True),
        sa.Column("queued_seq", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("rests_until", Instant(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.UniqueConstraint("owner", name="uq_partner_endpoints_owner"),
        sa.CheckConstraint("state IN ('on', 'off')", name="ck_partner_endpoints_state_known"),
        **MARIADB_TABLE,
        if_not_exists=True,
    )
    op.create_table(
        "partner_secrets",
        sa.Column("id", RowId, primary_key=True, autoincrement=True),
        sa.Column(
            "endpoint_id",
            RowId,
            sa.ForeignKey(
                "partner_endpoints.id", name="fk_partner_secrets_endpoint_id_partner_endpoints"
            ),
            nullable=False,
        ),
        sa.Column("kid", sa.String(8), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("ends_at", Instant(), nullable=True),
        **MARIADB_TABLE,
        if_not_exists=True,
    )
    op.create_index(
        "ix_partner_secrets_endpoint_id", "partner_secrets", ["endpoint_id"], if_not_exists=True
    )
