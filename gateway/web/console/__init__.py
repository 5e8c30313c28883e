"""The console: the pages of operators."""
