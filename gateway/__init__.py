"""The USSD and SMS gateway for payment tokens; one room (package) a noun."""
