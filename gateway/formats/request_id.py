"""The name of a request, in its answer and in every line logged for it."""

import re
import secrets
from typing import Final

HEADER: Final = "X-Request-Id"
_FORM: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}", re.ASCII)
_HEX: Final = re.compile(r"[0-9a-fA-F]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_RUN: Final = re.compile(r"[0-9](?:[._-]*[0-9])*")
_DIGITS_TO_LETTERS: Final = str.maketrans("0123456789", "ghijklmnop")
# A random name may have some digits in a row by chance, never as many as the shortest token.
_RUN_MAX, _RUN_OF_HEX_MAX = 5, 10


def is_safe(given: str) -> bool:
    """Whether a name from outside may stand in a log: no token, PIN or phone number fits in (T3).

    >>> is_safe("9f1c2b3a4d5e6f708192a3b4c5d6e7f8"), is_safe("req-4711-abcdef")
    (True, True)
    >>> is_safe("902100000000000014"), is_safe("req-9021-0000-0014"), is_safe("+2348030000001")
    (False, False, False)
    >>> is_safe("123e4567-e89b-12d3-a456-426614174000"), is_safe('"}'), is_safe("short")
    (False, False, False)
    """
    if not _FORM.fullmatch(given):
        return False
    most = _RUN_OF_HEX_MAX if _HEX.fullmatch(given) else _RUN_MAX
    runs = (sum(map(str.isdigit, run)) for run in _RUN.findall(given))
    return max(runs, default=0) <= most


def mint() -> str:
    """A new one: 24 random letters, which nobody takes for a number.

    >>> len(mint()), mint().isalpha(), mint() == mint()
    (24, True, False)
    """
    return secrets.token_hex(12).translate(_DIGITS_TO_LETTERS)


def of(given: str | None) -> str:
    """What was given, where it is safe; else a new one.

    >>> of("req-4711-abcdef"), len(of(None)), len(of("902100000000000014"))
    ('req-4711-abcdef', 24, 24)
    """
    return given if given is not None and is_safe(given) else mint()
