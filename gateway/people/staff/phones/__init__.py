"""Which phones are those of the staff, as every caller's root menu asks."""
