"""What the sender of a token may do with it, and what they are told of it."""
