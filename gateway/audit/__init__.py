"""Who did what, and why: an append-only trail."""
