"""What became of a notice, and of which deposit it was."""

from dataclasses import dataclass

import structlog

from gateway.deposits.callbacks.store import Became
from gateway.deposits.store import Deposit

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is stored beside a callback."""

    became: Became
    deposit: int | None = None
    reason: str = ""


def conflict(deposit: Deposit, reason: str) -> Verdict:
    """It contradicts what is booked or ordered: an operator is told to look."""
    log.error("deposit_conflict", deposit=deposit.reference, reason=reason)
    return Verdict(Became.CONFLICT, deposit.id, reason)
