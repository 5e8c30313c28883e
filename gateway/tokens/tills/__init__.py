"""Paying tokens out at a counter: into a till, against an agent's caps."""
