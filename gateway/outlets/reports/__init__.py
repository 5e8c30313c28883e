"""What managers and operators read out of the payments."""
