"""What happened to a partner's tokens: written with the change, numbered after it, never lost."""
