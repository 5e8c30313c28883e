"""What a cashier was shown of a token, and what became of it."""
