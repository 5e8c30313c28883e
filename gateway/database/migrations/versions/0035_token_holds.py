"""Who holds a suspended token: a token without it is held by operators."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

TABLE, COLUMN = "tokens", "held_by"


def upgrade() -> None:
    """One column, at the end and without a value: no row is written anew."""
    known = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(TABLE)}
    if COLUMN not in known:
        op.add_column(TABLE, sa.Column(COLUMN, sa.String(length=8), nullable=True))
