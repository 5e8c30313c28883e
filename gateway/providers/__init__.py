"""Money providers: one file each turns bytes into notices, and orders and payouts into requests."""
