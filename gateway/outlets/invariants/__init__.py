"""What must always hold between shifts, their payments and the books."""
