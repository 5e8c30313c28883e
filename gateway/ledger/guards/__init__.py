"""The statements that change a stored balance: each holds its own guard."""
