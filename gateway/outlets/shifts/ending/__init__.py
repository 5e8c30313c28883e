"""How a shift ends: counted, counted anew, closed."""
