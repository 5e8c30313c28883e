"""Disputes about tokens, redemptions and withdrawals: opened once, resolved once."""
