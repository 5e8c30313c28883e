"""Staff, and what waits for a second operator."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, RowId

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _make_staff()
    _make_approvals()


def _make_staff() -> None:
    op.create_table(
        "staff",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("msisdn", sa.String(length=16), nullable=False),
        sa.Column("role", sa.String(length=12), nullable=False),
        sa.Column("pin_hash", sa.String(length=128), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("locked_until", Instant(), nullable=True),
        sa.Column("outlet", sa.String(length=40), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint(
            "role IN ('cashier','manager','operator','admin')", name=op.f("ck_staff_role_known")
        ),
        sa.CheckConstraint(
            "status IN ('waiting','active','disabled')", name=op.f("ck_staff_status_known")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staff")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index("uq_staff_msisdn", "staff", ["msisdn"], unique=True, if_not_exists=True)


def _make_approvals() -> None:
    op.create_table(
        "approvals",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("waits", sa.Integer(), nullable=True),
        sa.Column("asked_by", sa.String(length=64), nullable=False),
        sa.Column("asker", sa.String(length=64), nullable=False),
        sa.Column("asked_at", Instant(), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.Column("decided_by", sa.String(length=64), nullable=True),
        sa.Column("decided_at", Instant(), nullable=True),
        sa.Column("outcome", sa.String(length=200), nullable=True),
        sa.CheckConstraint(
            "state IN ('waiting','approved','refused','expired')",
            name=op.f("ck_approvals_state_known"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "uq_approvals_kind_subject_waits",
        "approvals",
        ["kind", "subject", "waits"],
        unique=True,
        if_not_exists=True,
    )
    op.create_index("ix_approvals_state", "approvals", ["state"], unique=False, if_not_exists=True)
