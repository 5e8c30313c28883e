"""Subscribers (people with a phone number) and, later, staff."""
