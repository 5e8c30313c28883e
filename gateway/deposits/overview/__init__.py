"""How many deposits and callbacks wait for somebody."""
