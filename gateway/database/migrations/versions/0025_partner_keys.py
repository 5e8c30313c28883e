"""Keys of partners, and the answers their repeats are given."""

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""
