"""The deposits of one phone."""
