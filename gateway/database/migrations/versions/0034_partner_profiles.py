"""What is agreed with a partner: how its tokens are sent, and how much it may issue."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import MARIADB_TABLE, Instant, Money, RowId

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Two tables: a partner without a row is one that nothing was agreed with."""
    op.create_table(
        "partner_profiles",
        sa.Column("partner_id", RowId, nullable=False, autoincrement=False),
        sa.Column("sender_id", sa.String(11), nullable=True),
        sa.Column("language", sa.String(8), nullable=True),
        sa.Column("expiry", sa.String(5), nullable=True),
        sa.Column("token_max", Money(), nullable=True),
        sa.Column("day_max", Money(), nullable=True),
        sa.Column("low_float", Money(), nullable=True),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("partner_id", name="pk_partner_profiles"),
        sa.ForeignKeyConstraint(
            ["partner_id"], ["partners.id"], name="fk_partner_profiles_partner_id_partners"
        ),
        *map(_bounds, ("token_max", "day_max", "low_float")),
        **MARIADB_TABLE,
        if_not_exists=True,
    )
    op.create_table(
        "partner_texts",
        sa.Column("partner_id", RowId, nullable=False, autoincrement=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("text", sa.String(320), nullable=False),
        sa.PrimaryKeyConstraint("partner_id", "language", name="pk_partner_texts"),
        sa.ForeignKeyConstraint(
            ["partner_id"], ["partners.id"], name="fk_partner_texts_partner_id_partners"
        ),
        **MARIADB_TABLE,
        if_not_exists=True,
    )


def _bounds(column: str) -> sa.CheckConstraint:
    ceiling = 999_999_999_999_999_999
    name = f"ck_partner_profiles_{column}_bounds"
    check = sa.CheckConstraint(f"{column} BETWEEN -{ceiling} AND {ceiling}", name=name)
    return check.ddl_if(dialect="sqlite")
