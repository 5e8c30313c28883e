"""Batches: a file of tokens, checked as a whole, approved, and issued row by row."""
