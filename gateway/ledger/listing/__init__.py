"""Wallets and their entries as somebody looks through them."""
