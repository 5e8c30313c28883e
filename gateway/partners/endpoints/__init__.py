"""Where a partner's webhooks go, what signs them, and when they are left alone for a while."""
