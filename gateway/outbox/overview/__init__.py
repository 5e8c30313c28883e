"""How late the outbox is, and what of it failed."""
