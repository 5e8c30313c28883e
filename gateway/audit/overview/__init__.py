"""How often something was recorded, hour by hour."""
