"""Delivery reports as they came, also those that came before their send had returned."""
