"""Everything that one person did can be read without reading the whole trail."""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Index the trail by its actors; a row's id follows within each."""
    op.create_index("ix_audit_trail_actor", "audit_trail", ["actor"], if_not_exists=True)
