"""Outlets whose tills a partner's keys pay at; live tokens are counted without test money."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, RowId

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_COUNTED = "ix_tokens_digits_status_binding"


def upgrade() -> None:
    """One table, and one index in the place of another."""
    op.create_table(
        "partner_outlets",
        sa.Column("partner_id", RowId, nullable=False),
        sa.Column("outlet", sa.String(length=16), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["partner_id"], ["partners.id"], name=op.f("fk_partner_outlets_partner_id")
        ),
        sa.PrimaryKeyConstraint("partner_id", "outlet", name=op.f("pk_partner_outlets")),
        if_not_exists=True,
        **MARIADB_TABLE,
    )
    op.create_index(
        f"{_COUNTED}_currency",
        "tokens",
        ["digits", "status", "binding", "currency"],
        if_not_exists=True,
    )
    op.drop_index(_COUNTED, "tokens", if_exists=True)
