"""Accounts, double-entry movements between them, and the invariants that prove them."""
