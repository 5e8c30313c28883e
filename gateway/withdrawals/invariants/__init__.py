"""What must always hold between withdrawals and the books."""
