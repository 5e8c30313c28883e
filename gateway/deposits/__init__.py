"""Money in: top-up orders, payments nobody ordered, and the callbacks they come by."""
