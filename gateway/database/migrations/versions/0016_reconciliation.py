"""Reconciliation runs, statements and findings."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, Money, RowId

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _statements()
    _runs()


def _statements() -> None:
    op.create_table(
        "statements",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("provider", sa.String(length=16), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.Column("line_count", sa.Integer(), nullable=False),
        sa.Column("closing", Money(), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("imported_by", sa.String(length=64), nullable=False),
        sa.Column("imported_at", Instant(), nullable=False),
        sa.CheckConstraint(
            "state IN ('importing', 'imported')", name=op.f("ck_statements_state_known")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_statements")),
        sa.UniqueConstraint("provider", "digest", name=op.f("uq_statements_provider_digest")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_table(
        "statement_lines",
        sa.Column("statement_id", RowId, nullable=False),
        sa.Column("line", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("provider", sa.String(length=16), nullable=False),
        sa.Column("direction", sa.String(length=3), nullable=False),
        sa.Column("txn_id", sa.String(length=64), nullable=False),
        sa.Column("reference", sa.String(length=64), nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.Column("fee", Money(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.CheckConstraint("direction IN ('in', 'out')", name=op.f("ck_statement_lines_direction")),
        sa.ForeignKeyConstraint(
            ["statement_id"], ["statements.id"], name=op.f("fk_statement_lines_statement_id")
        ),
        sa.PrimaryKeyConstraint("statement_id", "line", name=op.f("pk_statement_lines")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    for name, columns in (
        ("ix_statement_lines_provider_txn_id", ["provider", "txn_id"]),
        ("ix_statement_lines_provider_reference", ["provider", "reference"]),
        ("ix_statement_lines_provider_at", ["provider", "at"]),
    ):
        op.create_index(name, "statement_lines", columns, unique=False, if_not_exists=True)


def _runs() -> None:
    op.create_table(
        "reconciliation_runs",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("provider", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("started_at", Instant(), nullable=False),
        sa.Column("finished_at", Instant(), nullable=True),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("settled", sa.Integer(), nullable=False),
        sa.Column("findings", sa.Integer(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.CheckConstraint(
            "state IN ('running', 'clean', 'findings', 'broken')",
            name=op.f("ck_reconciliation_runs_state_known"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reconciliation_runs")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "ix_reconciliation_runs_day", "reconciliation_runs", ["day"], if_not_exists=True
    )
    op.create_table(
        "reconciliation_findings",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("run_id", RowId, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("provider", sa.String(length=16), nullable=False),
        sa.Column("txn_id", sa.String(length=64), nullable=False),
        sa.Column("reference", sa.String(length=64), nullable=False),
        sa.Column("ours", Money(), nullable=True),
        sa.Column("theirs", Money(), nullable=True),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["reconciliation_runs.id"],
            name=op.f("fk_reconciliation_findings_run_id"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reconciliation_findings")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        op.f("ix_reconciliation_findings_run_id"),
        "reconciliation_findings",
        ["run_id"],
        if_not_exists=True,
    )
