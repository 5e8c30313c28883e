"""Limits on wrong entries: each source's own, and the shared ones that close a channel."""
