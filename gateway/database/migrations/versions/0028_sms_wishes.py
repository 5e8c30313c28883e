"""What people wished by SMS: STOP, START and their keywords."""

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""
