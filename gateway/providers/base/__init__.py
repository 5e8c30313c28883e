"""What every money provider's file speaks in, and the tools they all need."""
