"""Versioned key rings held by the process, and the key ids the database writes with."""
