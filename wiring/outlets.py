"""The parts of the counter, over the tokens' and the books' own."""

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.ledger.invariants.check import Invariant
from gateway.outlets.counter import Counter
from gateway.outlets.payments.void import Voider
from gateway.tokens.suspend import OpenDispute
from gateway.tokens.tills.pay import TillPayer
from wiring.core import Core
from wiring.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Outlets:
    """What is done at outlets."""

    counter: Counter

    @property
    def invariants(self) -> Sequence[Invariant]:
        """What must hold between shifts, payments and the books."""
        return ()


def outlet_parts(
    core: Core, tokens: Tokens, payer: TillPayer, open_dispute: OpenDispute
) -> Outlets:
    """The parts; `open_dispute` names the dispute that stands against a void."""
    voider = Voider(tokens.issuer, tokens.reprinter, open_dispute, core.settings.zone)
    counter = Counter(
        core.books,
        payer,
        lambda connection, what: core.board.is_paused(what, connection),
        voider,
    )
    return Outlets(counter)
