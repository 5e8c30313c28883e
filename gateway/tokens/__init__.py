"""Tokens: derived, issued, delivered, redeemed once; at rest only as keyed digests."""
