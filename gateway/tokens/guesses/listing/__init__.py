"""Counters as operators look at them."""
