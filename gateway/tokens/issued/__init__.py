"""The tokens of one issuer, page by page."""
