"""Accounts, movements and their entries."""

import sqlalchemy as sa
from alembic import op

from gateway.database.triggers import make_append_only
from gateway.database.types import MARIADB_TABLE, Instant, Money, RowId

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("balance", Money(), nullable=True),
        sa.Column("held", Money(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint(
            "status IN ('active', 'frozen', 'closed')", name=op.f("ck_accounts_status_known")
        ),
        sa.CheckConstraint("balance >= 0", name=op.f("ck_accounts_balance_not_negative")),
        sa.CheckConstraint(
            "balance BETWEEN -999999999999999999 AND 999999999999999999",
            name=op.f("ck_accounts_balance_bounds"),
        ).ddl_if(dialect="sqlite"),
        sa.CheckConstraint("held >= 0", name=op.f("ck_accounts_held_not_negative")),
        sa.CheckConstraint(
            "held BETWEEN -999999999999999999 AND 999999999999999999",
            name=op.f("ck_accounts_held_bounds"),
        ).ddl_if(dialect="sqlite"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "uq_accounts_kind_owner_currency",
        "accounts",
        ["kind", "owner", "currency"],
        unique=True,
        if_not_exists=True,
    )
    op.create_table(
        "movements",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("operation_key", sa.String(length=100), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_movements")),
        sa.UniqueConstraint("operation_key", name=op.f("uq_movements_operation_key")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    make_append_only(op.get_bind(), "movements")
    op.create_table(
        "entries",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("movement_id", RowId, nullable=False),
        sa.Column("account_id", RowId, nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.CheckConstraint("amount <> 0", name=op.f("ck_entries_amount_not_zero")),
        sa.CheckConstraint(
            "amount BETWEEN -999999999999999999 AND 999999999999999999",
            name=op.f("ck_entries_amount_bounds"),
        ).ddl_if(dialect="sqlite"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_entries_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["movement_id"], ["movements.id"], name=op.f("fk_entries_movement_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entries")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "ix_entries_account_id_id",
        "entries",
        ["account_id", "id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_entries_movement_id"), "entries", ["movement_id"], unique=False, if_not_exists=True
    )
    make_append_only(op.get_bind(), "entries")
