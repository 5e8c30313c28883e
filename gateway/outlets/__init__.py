"""Outlets and their counters: tills, shifts, payments, and how a day is closed."""
