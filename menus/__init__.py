"""What callers see: one conversation a file, as screens handed to the USSD engine by app.py."""
