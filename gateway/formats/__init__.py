"""Pure values and how they are written: phone numbers, money, the GSM alphabet."""
