"""The usual callback: about an order that is known, with a wallet that is known."""
