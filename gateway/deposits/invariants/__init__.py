"""What must always hold between deposits and the ledger."""
