"""How much moved, hour by hour."""
