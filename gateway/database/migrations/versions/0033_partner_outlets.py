"""Reserved: partner outlets."""

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""
