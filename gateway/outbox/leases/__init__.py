"""Who holds a row of the outbox, and whose time with it ran out."""
