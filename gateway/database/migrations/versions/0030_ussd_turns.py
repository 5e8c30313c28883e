"""Turns of channels that send the last input only."""

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""
