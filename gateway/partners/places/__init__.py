"""Outlets whose tills a partner's keys may pay at."""
