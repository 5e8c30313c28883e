"""Subscribers, USSD dialogues and the audit trail."""

import sqlalchemy as sa
from alembic import op

from gateway.database.triggers import make_append_only
from gateway.database.types import MARIADB_TABLE, Digest, Instant, RowId

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "subscribers",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("msisdn", sa.String(length=16), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_subscribers")),
        sa.UniqueConstraint("msisdn", name=op.f("uq_subscribers_msisdn")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_table(
        "ussd_sessions",
        sa.Column("state_key", Digest, nullable=False),
        sa.Column("channel", sa.String(length=20), nullable=False),
        sa.Column("msisdn", sa.String(length=16), nullable=False),
        sa.Column("network", sa.String(length=16), nullable=False),
        sa.Column("started_at", Instant(), nullable=False),
        sa.Column("end_status", sa.String(length=20), nullable=True),
        sa.PrimaryKeyConstraint("state_key", name=op.f("pk_ussd_sessions")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "ix_ussd_sessions_started_at",
        "ussd_sessions",
        ["started_at"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(
        "ix_ussd_sessions_msisdn_started_at",
        "ussd_sessions",
        ["msisdn", "started_at"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "ussd_steps",
        sa.Column("state_key", Digest, nullable=False),
        sa.Column("text_length", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text_digest", Digest, nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("ends", sa.Boolean(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["state_key"], ["ussd_sessions.state_key"], name=op.f("fk_ussd_steps_state_key")
        ),
        sa.PrimaryKeyConstraint("state_key", "text_length", name=op.f("pk_ussd_steps")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_table(
        "audit_trail",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_trail")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "ix_audit_trail_subject", "audit_trail", ["subject"], unique=False, if_not_exists=True
    )
    make_append_only(op.get_bind(), "audit_trail")
