"""Disputes."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, Money, RowId

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "disputes",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("reference", sa.String(length=12), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("subject", sa.String(length=12), nullable=False),
        sa.Column("open_subject", sa.String(length=12), nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("step", sa.String(length=12), nullable=False),
        sa.Column("refunded", Money(), nullable=True),
        sa.Column("on_behalf", sa.String(length=16), nullable=False),
        sa.Column("opened_by", sa.String(length=64), nullable=False),
        sa.Column("opened_at", Instant(), nullable=False),
        sa.Column("deadline", Instant(), nullable=False),
        sa.Column("resolved_by", sa.String(length=64), nullable=True),
        sa.Column("resolved_at", Instant(), nullable=True),
        *_checks(),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_disputes")),
        sa.UniqueConstraint("reference", name=op.f("uq_disputes_reference")),
        sa.UniqueConstraint("open_subject", name=op.f("uq_disputes_open_subject")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    for name, columns in (
        ("ix_disputes_subject", ["subject"]),
        ("ix_disputes_state_deadline", ["state", "deadline"]),
    ):
        op.create_index(name, "disputes", columns, unique=False, if_not_exists=True)


def _checks() -> tuple[sa.CheckConstraint, ...]:
    rules = {
        "kind_known": "kind IN ('live', 'redemption', 'held', 'paid')",
        "state_known": "state IN ('open', 'refunded', 'released', 'rejected')",
        "open_has_its_subject": "(state = 'open') = (open_subject IS NOT NULL)",
        "refunded_says_how_much": "(state = 'refunded') = (refunded IS NOT NULL)",
        "resolved_says_when": "(state = 'open') = (resolved_at IS NULL)",
        "refunded_within_amount": "refunded > 0 AND refunded <= amount",
    }
    checks = [
        sa.CheckConstraint(rule, name=op.f(f"ck_disputes_{name}")) for name, rule in rules.items()
    ]
    return (*checks, _bounds("amount"), _bounds("refunded"))


def _bounds(column: str) -> sa.CheckConstraint:
    ceiling = 999_999_999_999_999_999
    return sa.CheckConstraint(
        f"{column} BETWEEN -{ceiling} AND {ceiling}", name=op.f(f"ck_disputes_{column}_bounds")
    ).ddl_if(dialect="sqlite")
