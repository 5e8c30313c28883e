"""The phone a delivery report names, so that one that came early can be matched later."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

TABLE, COLUMN, INDEX = "delivery_reports", "recipient", "ix_delivery_reports_recipient"


def upgrade() -> None:
    """Add the column, if a run that broke off has not; reports of before it name no phone."""
    present = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(TABLE)}
    if COLUMN not in present:
        op.add_column(TABLE, sa.Column(COLUMN, sa.String(length=16), nullable=True))
    op.create_index(INDEX, TABLE, [COLUMN], unique=False, if_not_exists=True)
