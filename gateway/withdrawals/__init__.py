"""Money on its way out: held when it is asked for, then paid or rejected once."""
