"""Where what the trail tells of a subject has gone, or has come from."""
