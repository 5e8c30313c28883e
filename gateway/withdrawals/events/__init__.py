"""What was said about payouts, by whom and when; nothing of it is ever changed."""
