"""The texts that are sent, and the messages that come in."""
