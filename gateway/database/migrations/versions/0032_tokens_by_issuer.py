"""The tokens of one issuer, in the order they were issued in."""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One index."""
    op.create_index("ix_tokens_issuer_id", "tokens", ["issuer", "id"], if_not_exists=True)
