"""The parts of the counter, over the tokens' and the books' own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.disputes.store import open_or_refunded
from gateway.ledger.invariants.check import Invariant
from gateway.outlets.counter import Counter
from gateway.outlets.invariants.check import INVARIANTS
from gateway.outlets.payments.void import Voider
from gateway.outlets.settle import Settlement, Settling
from gateway.withdrawals.request import Wish
from gateway.withdrawals.store import SETTLEMENT
from wiring.core import Core
from wiring.tokens import Tokens
from wiring.withdrawals import Withdrawals


@dataclass(frozen=True, slots=True)
class Outlets:
    """What is done at outlets."""

    counter: Counter
    settling: Settling

    @property
    def invariants(self) -> Sequence[Invariant]:
        """What must hold between shifts, payments and the books."""
        return INVARIANTS


def outlet_parts(core: Core, tokens: Tokens, withdrawals: Withdrawals) -> Outlets:
    """The parts; what is disputed is not voided, and outlets are paid as withdrawals are."""
    payer, zone = withdrawals.tills, core.settings.zone
    voider = Voider(tokens.issuer, tokens.reprinter, payer, open_or_refunded, zone)
    counter = Counter(
        core.books,
        payer,
        lambda connection, what: core.board.is_paused(what, connection),
        voider,
    )

    def hold(connection: Connection, wanted: Settlement, now: datetime) -> str:
        wish = Wish(
            wanted.account,
            wanted.amount,
            Decimal("0.00"),
            wanted.intent,
            wanted.destination,
            wanted.actor,
            method=SETTLEMENT,
            reason=wanted.reason,
        )
        return withdrawals.requester.request(connection, wish, now).reference

    return Outlets(counter, Settling(hold))
