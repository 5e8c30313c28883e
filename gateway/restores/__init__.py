"""Bringing a backup back without bringing spent tokens back with it."""
