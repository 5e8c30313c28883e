"""What must always hold between tokens and the books."""
