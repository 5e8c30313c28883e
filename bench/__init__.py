"""The speed and memory table of the gateway, measured against hand-written floors in one run."""
