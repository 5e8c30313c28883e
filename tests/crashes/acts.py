"""The one list of the ways money moves, each cut off between any two of its statements."""

from collections.abc import Sequence

from tests.crashes import (
    of_deposits,
    of_disputes,
    of_floats,
    of_outlets,
    of_tokens,
    of_wallets,
    of_withdrawals,
)
from tests.support.crashes import Movement

MOVEMENTS: Sequence[Movement] = (
    *of_tokens.MOVEMENTS,
    *of_wallets.MOVEMENTS,
    *of_withdrawals.MOVEMENTS,
    *of_deposits.MOVEMENTS,
    *of_disputes.MOVEMENTS,
    *of_floats.MOVEMENTS,
    *of_outlets.MOVEMENTS,
)
