"""Floats: funded, issued from, and what a provider pays out to us."""

from collections.abc import Sequence

from gateway.partners.funding import Funding
from tests.partners.staging import approve, ask, issue, partner
from tests.support.crashes import Act, Movement
from tests.support.wired import Wired


def _house(wired: Wired) -> Act:
    details = {"owner": "house", "amount": "10.00", "currency": "NGN"}
    now = wired.clock.now()

    def act(child: Wired) -> object:
        funding = Funding(child.gateway.books)
        return child.run(lambda c: funding.fund(c, "BANK-1", details, now))

    return act


def _funding(wired: Wired) -> Act:
    """The first of a float, which is made by it."""
    number = ask(wired, partner(wired), "10.00", "FT1")
    return lambda child: approve(child, number)


def _issuing(wired: Wired) -> Act:
    """From a float."""
    partner(wired, amount="10.00")
    return lambda child: issue(child, "4.00")


def _settlement(wired: Wired) -> Act:
    """Gross, fee and net."""
    now = wired.clock.now()
    details = {"provider": "snippe", "gross": "10.00", "fee": "1.00", "net": "9.00"}
    details |= {"currency": "NGN"}
    return lambda child: child.run(
        lambda c: child.gateway.partners.settling.settle(c, "FT1", details, now)
    )


MOVEMENTS: Sequence[Movement] = (
    Movement("fund the house", _house),
    Movement("fund a float", _funding),
    Movement("issue from a float", _issuing),
    Movement("settle with a provider", _settlement),
)
