"""Deposits and the callbacks they came by."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

from gateway.database.types import (
    MARIADB_TABLE,
    MONEY_MAX,
    Instant,
    Money,
    RowId,
)

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

BYTES = sa.LargeBinary().with_variant(mysql.MEDIUMBLOB(), "mysql", "mariadb")
HEADERS = sa.Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")
INDEXES = (
    ("uq_deposits_provider_txn_id", "deposits", ["provider", "txn_id"], True),
    ("uq_deposits_provider_provider_ref", "deposits", ["provider", "provider_ref"], True),
    ("ix_deposits_provider_hinted_txn_id", "deposits", ["provider", "hinted_txn_id"], False),
    ("ix_deposits_provider_known_as", "deposits", ["provider", "known_as"], False),
    ("ix_deposits_msisdn_id", "deposits", ["msisdn", "id"], False),
    ("ix_deposits_state_changed_at", "deposits", ["state", "changed_at"], False),
    ("ix_deposits_account_id_state", "deposits", ["account_id", "state"], False),
    (
        "ix_deposits_occurred_at_completed_at",
        "deposits",
        ["occurred_at", "completed_at"],
        False,
    ),
    ("ix_callbacks_became_received_at", "callbacks", ["became", "received_at"], False),
    ("ix_callbacks_deposit_id", "callbacks", ["deposit_id"], False),
)


def upgrade() -> None:
    """Make the tables."""
    _deposits()
    _callbacks()
    for name, table, columns, unique in INDEXES:
        op.create_index(name, table, columns, unique=unique, if_not_exists=True)


def _deposits() -> None:
    op.create_table(
        "deposits",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("reference", sa.String(length=12), nullable=False),
        sa.Column("origin", sa.String(length=8), nullable=False),
        sa.Column("provider", sa.String(length=16), nullable=False),
        sa.Column("txn_id", sa.String(length=64), nullable=True),
        sa.Column("hinted_txn_id", sa.String(length=64), nullable=True),
        sa.Column("provider_ref", sa.String(length=64), nullable=True),
        sa.Column("known_as", sa.String(length=64), nullable=True),
        sa.Column("msisdn", sa.String(length=16), nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.Column("fee", Money(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("account_id", RowId, nullable=True),
        sa.Column("joined_to", RowId, nullable=True),
        sa.Column("parked", sa.String(length=200), nullable=True),
        sa.Column("reason", sa.String(length=200), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.Column("completed_at", Instant(), nullable=True),
        sa.Column("occurred_at", Instant(), nullable=True),
        sa.CheckConstraint("amount > 0", name=op.f("ck_deposits_amount_positive")),
        sa.CheckConstraint("fee >= 0 AND fee < amount", name=op.f("ck_deposits_fee_within_amount")),
        sa.CheckConstraint("origin IN ('order', 'payment')", name=op.f("ck_deposits_origin_known")),
        sa.CheckConstraint(
            "state IN ('pending', 'completed', 'failed', 'reversed', 'joined')",
            name=op.f("ck_deposits_state_known"),
        ),
        _bounds("amount"),
        _bounds("fee"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_deposits_account_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deposits")),
        sa.UniqueConstraint("reference", name=op.f("uq_deposits_reference")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )


def _callbacks() -> None:
    op.create_table(
        "callbacks",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("dialect", sa.String(length=40), nullable=False),
        sa.Column("part", sa.String(length=40), nullable=False),
        sa.Column("provider", sa.String(length=16), nullable=False),
        sa.Column("address", sa.String(length=45), nullable=False),
        sa.Column("headers", HEADERS, nullable=False),
        sa.Column("body", BYTES, nullable=False),
        sa.Column("received_at", Instant(), nullable=False),
        sa.Column("became", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=True),
        sa.Column("deposit_id", RowId, nullable=True),
        sa.Column("txn_id", sa.String(length=64), nullable=True),
        sa.Column("provider_ref", sa.String(length=64), nullable=True),
        sa.Column("reference", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_callbacks")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )


def _bounds(column: str) -> sa.CheckConstraint:
    ceiling = int(MONEY_MAX.scaleb(2))
    name = op.f(f"ck_deposits_{column}_bounds")
    check = sa.CheckConstraint(f"{column} BETWEEN -{ceiling} AND {ceiling}", name=name)
    return check.ddl_if(dialect="sqlite")
