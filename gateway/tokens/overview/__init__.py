"""Wrong entries, shared limits and key holders at a glance."""
