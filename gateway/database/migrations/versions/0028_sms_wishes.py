"""Who wants no more notices by SMS."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table, if a run that broke off has not."""
    op.create_table(
        "sms_wishes",
        sa.Column("msisdn", sa.String(length=16), nullable=False),
        sa.Column("stopped_at", Instant(), nullable=True),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("msisdn", name=op.f("pk_sms_wishes")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
