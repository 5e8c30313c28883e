"""Our references of orders: short enough for every provider, and found again in what is typed."""

import re
import secrets

LETTER = "D"  # no withdrawal begins so: a provider has one room of names for both directions
ALPHABET = "23456789BCDFGHJKMNPQRSTVWXZ"  # no vowels, nothing that looks like another character
LENGTH = 9
_OURS = re.compile(f"{LETTER}[{ALPHABET}]{{{LENGTH - 1}}}\\Z", re.ASCII)


def new() -> str:
    """A fresh reference: 1 to 12 of A-Z and 0-9, as every provider takes it."""
    return LETTER + "".join(secrets.choice(ALPHABET) for _ in range(LENGTH - 1))


def within(text: str) -> str:
    """The reference of ours that a provider's or payer's text ends in, "" when it holds none.

    A biller's prefix stands in front of it, a payer types it with blanks and small letters.

    >>> within("900001D2345BCDF"), within(" d2345-bcdf "), within("D2345BCDF")
    ('D2345BCDF', 'D2345BCDF', 'D2345BCDF')
    >>> within("D2345BCD"), within("ORD-1001"), within("D2345BCDE")
    ('', '', '')
    """
    compact = "".join(c for c in text.upper() if c not in " -.")
    found = _OURS.search(compact[-LENGTH:])
    return found[0] if found else ""
