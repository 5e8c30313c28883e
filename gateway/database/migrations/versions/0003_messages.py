"""The outbox, delivery reports and inbound SMS."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Digest, Instant, RowId

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "outbox",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("cause", sa.String(length=100), nullable=False),
        sa.Column("template", sa.String(length=32), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("recipient", sa.String(length=16), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("resends", sa.Integer(), nullable=False),
        sa.Column("due_at", Instant(), nullable=False),
        sa.Column("lease_until", Instant(), nullable=True),
        sa.Column("lease_by", sa.String(length=100), nullable=True),
        sa.Column("channel", sa.String(length=20), nullable=True),
        sa.Column("message_id", sa.String(length=128), nullable=True),
        sa.Column("reason", sa.String(length=200), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.Column("handed_over_at", Instant(), nullable=True),
        sa.CheckConstraint(
            "state IN ('queued','sending','unknown','sent','delivered','failed','dropped')",
            name=op.f("ck_outbox_state_known"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("cause", name=op.f("uq_outbox_cause")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "ix_outbox_handed_over_at", "outbox", ["handed_over_at"], unique=False, if_not_exists=True
    )
    op.create_index(
        "ix_outbox_recipient_id", "outbox", ["recipient", "id"], unique=False, if_not_exists=True
    )
    op.create_index(
        "ix_outbox_state_due_at", "outbox", ["state", "due_at"], unique=False, if_not_exists=True
    )
    op.create_index("ix_outbox_subject", "outbox", ["subject"], unique=False, if_not_exists=True)
    op.create_index(
        "uq_outbox_channel_message_id",
        "outbox",
        ["channel", "message_id"],
        unique=True,
        if_not_exists=True,
    )
    op.create_table(
        "delivery_reports",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("channel", sa.String(length=20), nullable=False),
        sa.Column("message_id", sa.String(length=128), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("delivery", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(length=100), nullable=False),
        sa.Column("received_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delivery_reports")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "uq_delivery_reports_channel_message_id_status",
        "delivery_reports",
        ["channel", "message_id", "status"],
        unique=True,
        if_not_exists=True,
    )
    op.create_table(
        "inbound_sms",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("channel", sa.String(length=20), nullable=False),
        sa.Column("message_id", sa.String(length=128), nullable=False),
        sa.Column("sender", sa.String(length=32), nullable=False),
        sa.Column("recipient", sa.String(length=32), nullable=False),
        sa.Column("masked_text", sa.Text(), nullable=False),
        sa.Column("text_digest", Digest, nullable=False),
        sa.Column("sent_at", Instant(), nullable=True),
        sa.Column("received_at", Instant(), nullable=False),
        sa.Column("outcome", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbound_sms")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "ix_inbound_sms_sender_id",
        "inbound_sms",
        ["sender", "id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(
        "uq_inbound_sms_channel_message_id",
        "inbound_sms",
        ["channel", "message_id"],
        unique=True,
        if_not_exists=True,
    )
