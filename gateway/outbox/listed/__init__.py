"""Looking through the outbox."""
