"""The staff as somebody looks through it."""
