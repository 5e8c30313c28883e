"""Withdrawals, what is said about their payouts, and what an agent pays each customer in a day."""

import sqlalchemy as sa
from alembic import op

from gateway.database.triggers import make_append_only
from gateway.database.types import MARIADB_TABLE, Instant, Money, RowId

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _withdrawals()
    _index("uq_withdrawals_paid_through_provider_txn_id", "paid_through", "provider_txn_id")
    _index("ix_withdrawals_state_payout", "state", "payout")
    _index("ix_withdrawals_payout_changed_at", "payout", "changed_at")
    _index("ix_withdrawals_account_id_state", "account_id", "state")
    _index("ix_withdrawals_provider_ref", "provider_ref")
    _payout_events()
    op.create_table(
        "agent_customers",
        sa.Column("till_id", RowId, autoincrement=False, nullable=False),
        sa.Column("customer", sa.String(length=16), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.PrimaryKeyConstraint("till_id", "customer", "day", name=op.f("pk_agent_customers")),
        _bounds("agent_customers", "amount"),
        if_not_exists=True,
        **MARIADB_TABLE,
    )


def _withdrawals() -> None:
    op.create_table(
        "withdrawals",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("reference", sa.String(length=12), nullable=False),
        sa.Column("intent", sa.String(length=64), nullable=False),
        sa.Column("account_id", RowId, nullable=False),
        sa.Column("method", sa.String(length=12), nullable=False),
        sa.Column("provider", sa.String(length=16), nullable=False),
        sa.Column("msisdn", sa.String(length=16), nullable=False),
        sa.Column("destination", sa.String(length=64), nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.Column("fee", Money(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("payout", sa.String(length=8), nullable=False),
        sa.Column("handed_over_at", Instant(), nullable=True),
        sa.Column("provider_ref", sa.String(length=64), nullable=True),
        sa.Column("paid_through", sa.String(length=16), nullable=True),
        sa.Column("provider_txn_id", sa.String(length=64), nullable=True),
        sa.Column("reason", sa.String(length=200), nullable=True),
        sa.Column("requested_by", sa.String(length=64), nullable=False),
        sa.Column("requested_at", Instant(), nullable=False),
        sa.Column("changed_at", Instant(), nullable=False),
        *_checks(),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_withdrawals_account_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_withdrawals")),
        sa.UniqueConstraint("reference", name=op.f("uq_withdrawals_reference")),
        sa.UniqueConstraint("intent", name=op.f("uq_withdrawals_intent")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )


def _checks() -> tuple[sa.CheckConstraint, ...]:
    rules = {
        "amount_positive": "amount > 0",
        "fee_not_negative": "fee >= 0",
        "method_known": "method IN ('mobile', 'settlement')",
        "state_known": "state IN ('held', 'paid', 'rejected')",
        "payout_known": "payout IN ('none', 'queued', 'sending', 'unknown', 'manual')",
        "paid_says_how": "(state = 'paid') ="
        " (provider_txn_id IS NOT NULL AND paid_through IS NOT NULL)",
    }
    checks = [
        sa.CheckConstraint(rule, name=op.f(f"ck_withdrawals_{name}"))
        for name, rule in rules.items()
    ]
    return (*checks, _bounds("withdrawals", "amount"), _bounds("withdrawals", "fee"))


def _payout_events() -> None:
    op.create_table(
        "payout_events",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("reference", sa.String(length=12), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("said", sa.String(length=16), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("txn_id", sa.String(length=64), nullable=False),
        sa.Column("amount", Money(), nullable=True),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payout_events")),
        _bounds("payout_events", "amount"),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        "ix_payout_events_reference_id",
        "payout_events",
        ["reference", "id"],
        unique=False,
        if_not_exists=True,
    )
    make_append_only(op.get_bind(), "payout_events")


def _index(name: str, *columns: str) -> None:
    op.create_index(
        name, "withdrawals", list(columns), unique=name.startswith("uq_"), if_not_exists=True
    )


def _bounds(table: str, column: str) -> sa.CheckConstraint:
    ceiling = 999_999_999_999_999_999
    return sa.CheckConstraint(
        f"{column} BETWEEN -{ceiling} AND {ceiling}", name=op.f(f"ck_{table}_{column}_bounds")
    ).ddl_if(dialect="sqlite")
