"""Every key id that rows were ever written with, so that readiness need not search the tokens."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

FROM_TOKENS = """
    INSERT INTO written_keys (purpose, kid, first_at)
    SELECT '{purpose}', tokens.{column}, MIN(tokens.issued_at) FROM tokens
    LEFT JOIN written_keys ON purpose = '{purpose}' AND kid = tokens.{column}
    WHERE kid IS NULL GROUP BY tokens.{column}
"""
FROM_WRITE_KEYS = """
    INSERT INTO written_keys (purpose, kid, first_at)
    SELECT w.purpose, w.kid, w.changed_at FROM write_keys AS w
    LEFT JOIN written_keys AS k ON k.purpose = w.purpose AND k.kid = w.kid
    WHERE k.kid IS NULL
"""


def upgrade() -> None:
    """Make the table and fill it from what there is."""
    op.create_table(
        "written_keys",
        sa.Column("purpose", sa.String(length=12), nullable=False),
        sa.Column("kid", sa.String(length=8), nullable=False),
        sa.Column("first_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("purpose", "kid", name=op.f("pk_written_keys")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    for purpose, column in (("generate", "generate_kid"), ("lookup", "lookup_kid")):
        op.execute(FROM_TOKENS.format(purpose=purpose, column=column))
    op.execute(FROM_WRITE_KEYS)
