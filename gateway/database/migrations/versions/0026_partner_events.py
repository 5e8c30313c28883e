"""What partners are told: profiles, events and webhooks."""

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing yet."""
