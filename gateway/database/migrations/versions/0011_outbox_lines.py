"""The lines of the outbox: SMS, pushes, payouts, queries."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


TABLE, COLUMN = "outbox", "line"
INDEX, BEFORE = "ix_outbox_line_state_due_at", "ix_outbox_state_due_at"


def upgrade() -> None:
    """Add the column, if a run that broke off has not; every row of before is an SMS."""
    present = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(TABLE)}
    if COLUMN not in present:
        column = sa.Column(COLUMN, sa.String(length=12), nullable=False, server_default="sms")
        op.add_column(TABLE, column)
    op.create_index(INDEX, TABLE, [COLUMN, "state", "due_at"], unique=False, if_not_exists=True)
    op.drop_index(BEFORE, TABLE, if_exists=True)
