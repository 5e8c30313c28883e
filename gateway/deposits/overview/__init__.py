"""How many callbacks contradict the books."""
