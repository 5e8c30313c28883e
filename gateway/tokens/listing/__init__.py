"""Tokens as somebody looks through them."""
