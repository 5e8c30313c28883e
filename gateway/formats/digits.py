"""Hiding digits in words that people or aggregators write: a token, a phone number, a PIN."""

import re

# "3 of 12 pages" stays; a code stays hidden however it is grouped.
_RUN = re.compile(r"\d(?:[\W_]{0,4}\d){3,}")


def hidden(text: str) -> str:
    """A text fit to be stored: runs of four or more digits of any script masked.

    >>> hidden("read 9021-0000 0000.000014 aloud, page 3 of 12")
    'read #### aloud, page 3 of 12'
    >>> hidden("her PIN is ４９０７")
    'her PIN is ####'
    """
    return _RUN.sub("####", text)
