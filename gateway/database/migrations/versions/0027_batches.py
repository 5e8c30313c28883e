"""Batches of tokens that a partner sends as a file."""

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""
