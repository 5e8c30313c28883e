"""What must always hold between disputes and the books."""
