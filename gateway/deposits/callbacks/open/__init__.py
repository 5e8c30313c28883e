"""Callbacks that are in no books, or contradict them."""
