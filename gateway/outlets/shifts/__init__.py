"""A cashier's shift at a till: opened, counted, accepted, closed."""
