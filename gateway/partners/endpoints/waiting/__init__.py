"""What of the outbox waits for one endpoint."""
