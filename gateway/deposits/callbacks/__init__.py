"""The callbacks of money providers as they came, and what became of each."""
