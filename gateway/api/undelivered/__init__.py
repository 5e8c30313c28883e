"""Tokens of partners whose SMS failed for good."""
