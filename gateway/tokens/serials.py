"""The public name of a token: short, not secret, easy to read out and to type."""

import re
import secrets

# No vowels (no words), nothing that looks like another character.
ALPHABET = "23456789BCDFGHJKMNPQRSTVWXZ"
LENGTH = 8
_SERIAL = re.compile(f"[{ALPHABET}]{{{LENGTH}}}", re.ASCII)


def new() -> str:
    """A fresh serial; the first character is a letter, so that it never reads as a number."""
    letters = ALPHABET[8:]
    rest = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH - 1))
    return secrets.choice(letters) + rest


def normalise(text: str) -> str | None:
    """The serial a person meant, None when the text cannot be one.

    >>> normalise(" k7m2-9qxd ")
    'K7M29QXD'
    >>> normalise("K7M2 9QX") is None
    True
    """
    cleaned = "".join(c for c in text.upper() if c not in " -.")
    return cleaned if _SERIAL.fullmatch(cleaned) else None
