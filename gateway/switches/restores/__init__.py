"""Restores of a backup: what stays paused until the books are reconciled."""
