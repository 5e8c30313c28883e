"""A log line for every token that leaves circulation, by which a restored backup learns of it.

The line is written before the COMMIT: no token can be spent without one. One whose transaction was
rolled back is named all the same, which costs an operator a look and nobody any money.
"""

import itertools
import secrets
from decimal import Decimal

import structlog

from gateway.formats import money, msisdn

log = structlog.get_logger()

EVENT = "token_leaves"
_LETTERS = "bcdfghjkmnpqrstvwxz"
# Which process wrote a line, and its number there: a line that was lost on the way is missed.
_RUN = "".join(secrets.choice(_LETTERS) for _ in range(8))
_NUMBERS = itertools.count(1)


def redeemed(serial: str, amount: Decimal, over: str, by: str) -> None:
    """Say that a token is about to be redeemed, in the transaction that claims it, before that."""
    who = msisdn.masked(by) if by.startswith("+") else by
    _say(serial, "redeemed", amount=money.plain(amount), over=over, by=who)


def leaves(serial: str, to: str) -> None:
    """Say that a token is about to be stopped, in the transaction that stops it, before that."""
    _say(serial, to)


def _say(serial: str, to: str, **facts: str) -> None:
    log.info(EVENT, serial=serial, to=to, **facts, run=_RUN, count=next(_NUMBERS))
