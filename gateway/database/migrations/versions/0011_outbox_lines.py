"""The lines of the outbox: SMS, pushes, payouts, queries."""

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
