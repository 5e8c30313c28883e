"""What waits for a second operator, and what became of it."""
