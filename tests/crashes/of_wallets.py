"""A wallet's way to another number: its row changes hands, and so may an empty one's."""

from collections.abc import Sequence

from gateway.ledger.wallets import MOVE
from tests.support.crashes import Act, Movement
from tests.support.wired import ADA, Wired
from tests.tokens.staging import wallet

NEW = "+2348030000009"


def _move(wired: Wired) -> Act:
    moved, now = wallet(wired, ADA, "10.00"), wired.clock.now()
    wallet(wired, NEW)
    details = {"to": NEW, "wallet": str(moved.id)}
    asked = (MOVE, ADA, details, "cli:one", "a new SIM", now)
    number = wired.run(lambda c: wired.gateway.approvals.ask(c, *asked))

    def act(child: Wired) -> object:
        return child.run(lambda c: child.gateway.approvals.approve(c, number, "cli:two", now))

    return act


MOVEMENTS: Sequence[Movement] = (Movement("move a wallet", _move),)
