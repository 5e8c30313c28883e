"""Where cashiers and managers work."""
