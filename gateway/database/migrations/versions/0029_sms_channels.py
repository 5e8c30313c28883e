"""Which SMS channel a message went out by, and what was tried."""

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""
