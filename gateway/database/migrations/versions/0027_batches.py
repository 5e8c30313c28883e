"""Batches of tokens that a partner sends as a file."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, Money, RowId

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables and their indexes."""
    op.create_table(
        "batches",
        sa.Column("id", RowId, primary_key=True, autoincrement=True),
        sa.Column("reference", sa.String(12), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("row_count", sa.Integer(), nullable=False),
        sa.Column("total", Money(), nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("asked_by", sa.String(64), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.CheckConstraint(
            "status IN ('waiting', 'running', 'done', 'cancelled', 'refused')",
            name="ck_batches_status_known",
        ),
        _bounds("batches", "total"),
        sa.UniqueConstraint("reference", name="uq_batches_reference"),
        **MARIADB_TABLE,
        if_not_exists=True,
    )
    _index("batches", "owner", "id")
    _index("batches", "status")
    op.create_table(
        "batch_rows",
        sa.Column("id", RowId, primary_key=True, autoincrement=True),
        sa.Column("batch_id", RowId, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        *_wish(),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("serial", sa.String(12), nullable=True),
        sa.Column("code", sa.String(32), nullable=True),
        sa.Column("detail", sa.String(200), nullable=True),
        sa.Column("done_at", Instant(), nullable=True),
        sa.CheckConstraint(
            "status IN ('waiting', 'issued', 'failed', 'cancelled')",
            name="ck_batch_rows_status_known",
        ),
        _bounds("batch_rows", "amount"),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["batches.id"], name="fk_batch_rows_batch_id_batches"
        ),
        **MARIADB_TABLE,
        if_not_exists=True,
    )
    _index("batch_rows", "batch_id", "number", unique=True)
    _index("batch_rows", "batch_id", "issue_ref", unique=True)
    _index("batch_rows", "batch_id", "status", "number")


def _wish() -> tuple[sa.Column[object], ...]:
    return (
        sa.Column("amount", Money(), nullable=False),
        sa.Column("recipient", sa.String(16), nullable=False),
        sa.Column("issue_ref", sa.String(64), nullable=False),
        sa.Column("digits", sa.SmallInteger(), nullable=False),
        sa.Column("bound", sa.Boolean(), nullable=False),
        sa.Column("language", sa.String(8), nullable=True),
        sa.Column("sender_name", sa.String(40), nullable=True),
    )


def _index(table: str, *columns: str, unique: bool = False) -> None:
    name = "_".join(("uq" if unique else "ix", table, *columns))
    op.create_index(name, table, list(columns), unique=unique, if_not_exists=True)


def _bounds(table: str, column: str) -> sa.CheckConstraint:
    ceiling = 999_999_999_999_999_999
    rule = f"{column} BETWEEN -{ceiling} AND {ceiling}"
    return sa.CheckConstraint(rule, name=f"ck_{table}_{column}_bounds").ddl_if(dialect="sqlite")
