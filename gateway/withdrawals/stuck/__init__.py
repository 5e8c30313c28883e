"""Withdrawals that stand at a step which nobody will take them from."""
