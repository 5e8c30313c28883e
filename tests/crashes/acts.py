"""Each way money moves, as a state to begin with and the act that is cut off in it."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from gateway.partners.funding import Funding
from gateway.tokens.issue import Order, expiry
from tests.support.crashes import Act
from tests.support.wired import ADA, BELLO, Wired


@dataclass(frozen=True)
class Movement:
    """`prepare` makes the state and gives the act; the act may be repeated until it was done."""

    name: str
    prepare: Callable[[Wired], Act]


def _issue(wired: Wired) -> Act:
    now = wired.clock.now()
    zone = wired.gateway.settings.zone
    order = Order(Decimal("10.00"), "NGN", expiry("30d", now, zone), recipient=ADA)
    keyed = wired.gateway.issuer.keyed(order)

    def act(child: Wired) -> object:
        return child.gateway.database.run(
            lambda c: child.gateway.issuer.issue(c, keyed, now), keyed=True
        )

    return act


def _redeem(wired: Wired) -> Act:
    token = wired.issue("10.00").reveal()
    return lambda child: child.redeem(token, BELLO)


def _cancel(wired: Wired) -> Act:
    serial = wired.issue("10.00").serial
    now = wired.clock.now()

    def act(child: Wired) -> object:
        token = child.token(serial)
        return child.run(
            lambda c: child.gateway.retirer.cancel(c, token, "cli:ada", "a mistake", now)
        )

    return act


def _expire(wired: Wired) -> Act:
    token = wired.token(wired.issue("10.00").serial)
    late = token.expires_at

    def act(child: Wired) -> object:
        return child.run(lambda c: child.gateway.retirer.expire(c, token.id, late))

    return act


def _fund(wired: Wired) -> Act:
    details = {"owner": "house", "amount": "10.00", "currency": "NGN"}
    now = wired.clock.now()

    def act(child: Wired) -> object:
        funding = Funding(child.gateway.books)
        return child.run(lambda c: funding.fund(c, "BANK-1", details, now))

    return act


MOVEMENTS = (
    Movement("issue", _issue),
    Movement("redeem", _redeem),
    Movement("cancel", _cancel),
    Movement("expire", _expire),
    Movement("fund", _fund),
)
