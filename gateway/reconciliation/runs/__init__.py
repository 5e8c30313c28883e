"""Runs and what they found, recorded for good."""
