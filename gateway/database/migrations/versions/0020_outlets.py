"""Outlets, tills, shifts and payments at the counter."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, Money, RowId

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    _outlets()
    _tills()
    _shifts()
    _payments()


def _outlets() -> None:
    _table(
        "outlets",
        sa.Column("code", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("settle_to", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("account_id", RowId, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        _check("outlets", "status_known", "status IN ('open', 'closed')"),
        _refers("outlets", "account_id", "accounts"),
        sa.UniqueConstraint("code", name=op.f("uq_outlets_code")),
    )


def _tills() -> None:
    _table(
        "tills",
        sa.Column("outlet_id", RowId, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("account_id", RowId, nullable=False),
        sa.Column("float_limit", Money(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        _check("tills", "status_known", "status IN ('open', 'closed')"),
        _check("tills", "float_limit_positive", "float_limit > 0"),
        _bounds("tills", "float_limit"),
        _refers("tills", "outlet_id", "outlets"),
        _refers("tills", "account_id", "accounts"),
        sa.UniqueConstraint("account_id", name=op.f("uq_tills_account_id")),
    )
    _index("tills", "uq_tills_outlet_id_number", "outlet_id", "number")


def _shifts() -> None:
    _table(
        "shifts",
        sa.Column("till_id", RowId, nullable=False),
        sa.Column("cashier_id", RowId, nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("opening_cash", Money(), nullable=False),
        sa.Column("opened_at", Instant(), nullable=False),
        sa.Column("paid", Money(), nullable=False),
        sa.Column("voided", Money(), nullable=False),
        sa.Column("counted_cash", Money(), nullable=True),
        sa.Column("counted_at", Instant(), nullable=True),
        sa.Column("variance", Money(), nullable=True),
        sa.Column("accepted_by", sa.String(length=64), nullable=True),
        sa.Column("accepted_reason", sa.String(length=200), nullable=True),
        sa.Column("closed_at", Instant(), nullable=True),
        sa.Column("open_till", RowId, nullable=True),
        sa.Column("open_cashier", RowId, nullable=True),
        *_shift_checks(),
        _refers("shifts", "till_id", "tills"),
        _refers("shifts", "cashier_id", "staff"),
        sa.UniqueConstraint("open_till", name=op.f("uq_shifts_open_till")),
        sa.UniqueConstraint("open_cashier", name=op.f("uq_shifts_open_cashier")),
    )
    _index("shifts", "ix_shifts_till_id_id", "till_id", "id")
    _index("shifts", "ix_shifts_state_id", "state", "id")


def _shift_checks() -> tuple[sa.CheckConstraint, ...]:
    rules = {
        "state_known": "state IN ('open', 'counted', 'closed')",
        "opening_cash_not_negative": "opening_cash >= 0",
        "voided_was_paid": "voided >= 0 AND paid >= voided",
        "counted_cash_not_negative": "counted_cash >= 0",
        "counted_says_what": "(state = 'open') = (counted_at IS NULL)"
        " AND (state = 'open') = (counted_cash IS NULL) AND (state = 'open') = (variance IS NULL)",
        "closed_is_free": "(state = 'closed') = (closed_at IS NOT NULL)"
        " AND (state = 'closed') = (open_till IS NULL)"
        " AND (state = 'closed') = (open_cashier IS NULL)",
    }
    amounts = ("opening_cash", "paid", "voided", "counted_cash", "variance")
    return (
        *(_check("shifts", name, rule) for name, rule in rules.items()),
        *(_bounds("shifts", amount) for amount in amounts),
    )


def _payments() -> None:
    _table(
        "payments",
        sa.Column("reference", sa.String(length=16), nullable=False),
        sa.Column("shift_id", RowId, nullable=False),
        sa.Column("token_id", RowId, nullable=False),
        sa.Column("serial", sa.String(length=12), nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("asks_phone", sa.Boolean(), nullable=False),
        sa.Column("customer", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("answer", sa.String(length=20), nullable=False),
        sa.Column("channel", sa.String(length=8), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("decided_at", Instant(), nullable=True),
        sa.Column("voided_at", Instant(), nullable=True),
        sa.Column("voided_by", sa.String(length=64), nullable=True),
        sa.Column("fresh_serial", sa.String(length=12), nullable=True),
        *_payment_checks(),
        _refers("payments", "shift_id", "shifts"),
        _refers("payments", "token_id", "tokens"),
        sa.UniqueConstraint("reference", name=op.f("uq_payments_reference")),
    )
    _index("payments", "ix_payments_shift_id_id", "shift_id", "id")
    _index("payments", "ix_payments_token_id", "token_id")
    _index("payments", "ix_payments_created_at", "created_at")


def _payment_checks() -> tuple[sa.CheckConstraint, ...]:
    rules = {
        "state_known": "state IN ('shown', 'paid', 'refused', 'declined', 'voided')",
        "amount_positive": "amount > 0",
        "decided_says_when": "(state = 'shown') = (decided_at IS NULL)",
        "voided_says_how": "(state = 'voided') = (voided_at IS NOT NULL)"
        " AND (state = 'voided') = (voided_by IS NOT NULL)"
        " AND (state = 'voided') = (fresh_serial IS NOT NULL)",
    }
    checks = [_check("payments", name, rule) for name, rule in rules.items()]
    return (*checks, _bounds("payments", "amount"))


def _table(name: str, *parts: sa.Column[object] | sa.Constraint) -> None:
    op.create_table(
        name,
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        *parts,
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )


def _check(table: str, name: str, rule: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(rule, name=op.f(f"ck_{table}_{name}"))


def _refers(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=op.f(f"fk_{table}_{column}"))


def _index(table: str, name: str, *columns: str) -> None:
    unique = name.startswith("uq_")
    op.create_index(name, table, list(columns), unique=unique, if_not_exists=True)


def _bounds(table: str, column: str) -> sa.CheckConstraint:
    ceiling = 999_999_999_999_999_999
    rule = f"{column} BETWEEN -{ceiling} AND {ceiling}"
    return _check(table, f"{column}_bounds", rule).ddl_if(dialect="sqlite")
