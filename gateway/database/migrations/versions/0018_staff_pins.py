"""Who set the PIN of a member of the staff, the founders, and the times of tasks."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from gateway.database.types import Instant

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

NEVER = datetime(9999, 1, 1, tzinfo=UTC)  # as gateway/outbox/store.py has it


def upgrade() -> None:
    """Add the columns, if a run that broke off has not."""
    _add("staff", sa.Column("pin_set_by", sa.String(length=64), nullable=True))
    _add("staff", sa.Column("founder", sa.Integer(), nullable=True))
    op.create_index("uq_staff_founder", "staff", ["founder"], unique=True, if_not_exists=True)
    _add("outbox", sa.Column("run_at", Instant(), nullable=True))
    op.create_index(
        "ix_outbox_line_state_run_at",
        "outbox",
        ["line", "state", "run_at"],
        unique=False,
        if_not_exists=True,
    )
    _hide_tasks()


def _add(table: str, column: sa.Column[object]) -> None:
    present = {known["name"] for known in sa.inspect(op.get_bind()).get_columns(table)}
    if column.name not in present:
        op.add_column(table, column)


def _hide_tasks() -> None:
    """Show those that are there already to no worker of before there were tasks."""
    outbox = sa.table(
        "outbox",
        sa.column("line"),
        sa.column("state"),
        sa.column("due_at", Instant()),
        sa.column("lease_until", Instant()),
        sa.column("run_at", Instant()),
    )
    of_tasks = sa.update(outbox).where(outbox.c.line != "sms", outbox.c.run_at.is_(None))
    until = sa.case((outbox.c.state == "sending", outbox.c.lease_until), else_=outbox.c.due_at)
    # In this order: MariaDB reads a column that was set before as its new value.
    op.execute(
        of_tasks.ordered_values(
            (outbox.c.run_at, until),
            (outbox.c.due_at, sa.literal(NEVER, Instant())),
            (outbox.c.lease_until, sa.null()),
        )
    )
    op.execute(
        sa.update(outbox)
        .where(outbox.c.line != "sms", outbox.c.state == "unknown")
        .values(state="failed")
    )
