"""The counter: the pages of cashiers and managers."""
