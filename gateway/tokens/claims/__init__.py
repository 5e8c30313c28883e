"""The statements that every redemption waits for: reading what was entered, claiming it."""
