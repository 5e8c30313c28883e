"""Looking through the payments of a cashier."""
