"""Tries at PINs of the staff by where they were made, so that outsiders keep nobody out."""
