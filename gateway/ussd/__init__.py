"""The USSD session engine: one text, one transaction, one journal row; it knows no menu."""
