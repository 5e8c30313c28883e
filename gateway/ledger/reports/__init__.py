"""What finance reads out of the books: balances as of an instant, the journal, what we owe."""
