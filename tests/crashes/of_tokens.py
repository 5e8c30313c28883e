"""Each way a token moves money."""

from collections.abc import Sequence
from decimal import Decimal

from gateway.ledger.store import Account
from gateway.tokens.issue import Order, expiry
from gateway.tokens.send import new_intent
from tests.support.crashes import Act, Movement
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import all_of, wallet
from tests.tokens.till_staging import cash, pay, till

OTHER = "+2348030000003"


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


def _payer(wired: Wired) -> Account:
    return wallet(wired, ADA, "50.00")


def _send(wired: Wired) -> Act:
    payer, intent, now = _payer(wired), new_intent(), wired.clock.now()
    amount, fee = Decimal("10.00"), Decimal("1.00")

    def act(child: Wired) -> object:
        sends = child.gateway.tokens.sends
        return child.gateway.database.run(
            lambda c: sends.send(c, payer, BELLO, amount, fee, intent, now), keyed=True
        )

    return act


def _readdress(wired: Wired) -> Act:
    _send(wired)(wired)
    (token,) = [one for one in all_of(wired) if one.issuer == ADA]
    payer, intent, now = wallet(wired, ADA), new_intent(), wired.clock.now()

    def act(child: Wired) -> object:
        sends = child.gateway.tokens.sends
        return child.gateway.database.run(
            lambda c: sends.readdress(c, token, payer, OTHER, intent, now), keyed=True
        )

    return act


def _take_back(wired: Wired) -> Act:
    _send(wired)(wired)
    (token,) = [one for one in all_of(wired) if one.issuer == ADA]
    now = wired.clock.now()
    return lambda child: child.run(lambda c: child.gateway.retirer.take_back(c, token, ADA, now))


def _pay(wired: Wired) -> Act:
    token, at = cash(wired, "10.00").reveal(), till(wired)
    return lambda child: pay(child, token, at)


MOVEMENTS: Sequence[Movement] = (
    Movement("issue", _issue),
    Movement("redeem", _redeem),
    Movement("cancel", _cancel),
    Movement("expire", _expire),
    Movement("send", _send),
    Movement("readdress", _readdress),
    Movement("take back", _take_back),
    Movement("pay a cash code at a till", _pay),
)
