"""How the latest run ended."""
