"""Sessions of the staff on the web pages."""
