"""Requests that a partner repeats: executed once, answered as the first time."""
