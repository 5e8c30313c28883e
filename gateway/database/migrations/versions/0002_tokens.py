"""Tokens, the keys they are written with, and the counters of wrong entries."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Digest, Instant, Money, RowId

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "tokens",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("serial", sa.String(length=12), nullable=False),
        sa.Column("txn_id", sa.String(length=40), nullable=False),
        sa.Column("issuer", sa.String(length=64), nullable=False),
        sa.Column("issue_ref", sa.String(length=64), nullable=False),
        sa.Column("counter", sa.SmallInteger(), nullable=False),
        sa.Column("digits", sa.SmallInteger(), nullable=False),
        sa.Column("generate_kid", sa.String(length=8), nullable=False),
        sa.Column("lookup_kid", sa.String(length=8), nullable=False),
        sa.Column("lookup", Digest, nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("binding", sa.String(length=12), nullable=False),
        sa.Column("recipient", sa.String(length=16), nullable=True),
        sa.Column("language", sa.String(length=8), nullable=True),
        sa.Column("sender_name", sa.String(length=40), nullable=True),
        sa.Column("funder_id", RowId, nullable=False),
        sa.Column("issued_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.Column("redeemed_at", Instant(), nullable=True),
        sa.Column("redeemed_by", sa.String(length=64), nullable=True),
        sa.Column("redeemed_channel", sa.String(length=20), nullable=True),
        sa.Column("reprints", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "(status = 'redeemed') = (redeemed_at IS NOT NULL)",
            name=op.f("ck_tokens_redeemed_says_when"),
        ),
        sa.CheckConstraint(
            "status IN ('issued', 'suspended', 'redeemed', 'expired', 'cancelled')",
            name=op.f("ck_tokens_status_known"),
        ),
        sa.CheckConstraint("amount > 0", name=op.f("ck_tokens_amount_positive")),
        sa.CheckConstraint(
            "amount BETWEEN -999999999999999999 AND 999999999999999999",
            name=op.f("ck_tokens_amount_bounds"),
        ).ddl_if(dialect="sqlite"),
        sa.ForeignKeyConstraint(["funder_id"], ["accounts.id"], name=op.f("fk_tokens_funder_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("lookup", name=op.f("uq_tokens_lookup")),
        sa.UniqueConstraint("serial", name=op.f("uq_tokens_serial")),
        sa.UniqueConstraint("txn_id", name=op.f("uq_tokens_txn_id")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "ix_tokens_digits_status_binding",
        "tokens",
        ["digits", "status", "binding"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(
        "ix_tokens_recipient_expires_at",
        "tokens",
        ["recipient", "expires_at"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(
        "ix_tokens_status_expires_at",
        "tokens",
        ["status", "expires_at"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(
        "uq_tokens_issuer_issue_ref",
        "tokens",
        ["issuer", "issue_ref"],
        unique=True,
        if_not_exists=True,
    )
    op.create_table(
        "write_keys",
        sa.Column("purpose", sa.String(length=12), nullable=False),
        sa.Column("kid", sa.String(length=8), nullable=False),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("purpose", name=op.f("pk_write_keys")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_table(
        "key_holders",
        sa.Column("process", sa.String(length=100), nullable=False),
        sa.Column("role", sa.String(length=12), nullable=False),
        sa.Column("generate_kids", sa.String(length=200), nullable=False),
        sa.Column("lookup_kids", sa.String(length=200), nullable=False),
        sa.Column("seen_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("process", name=op.f("pk_key_holders")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_table(
        "guess_counters",
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("hour_from", Instant(), nullable=False),
        sa.Column("hour_count", sa.Integer(), nullable=False),
        sa.Column("day_from", Instant(), nullable=False),
        sa.Column("day_count", sa.Integer(), nullable=False),
        sa.Column("hour_max", sa.Integer(), nullable=True),
        sa.Column("day_max", sa.Integer(), nullable=True),
        sa.Column("live", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "hour_count >= 0 AND day_count >= 0", name=op.f("ck_guess_counters_counts_not_negative")
        ),
        sa.PrimaryKeyConstraint("source", name=op.f("pk_guess_counters")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
