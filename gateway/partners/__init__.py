"""Partners: who they are, and the floats their tokens are issued from."""
