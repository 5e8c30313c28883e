"""Where staff tried to log in from, counted by address."""

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""
