"""Whose a wallet is: its tier, whether its owner is known, and its way to another number."""
