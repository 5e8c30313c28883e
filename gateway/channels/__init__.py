"""Aggregators: a file each, bytes to messages and back; no database, no Flask."""
