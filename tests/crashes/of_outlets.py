"""The counter: paid, voided, counted, accepted."""

from collections.abc import Sequence

from tests.outlets.staging import Shop
from tests.support.crashes import Act, Movement
from tests.support.wired import Wired


def _open(wired: Wired) -> Act:
    shop = Shop(wired).open(tills=1)
    shop.member()
    return lambda child: Shop(child).shift()


def _pay(wired: Wired) -> Act:
    shop = Shop(wired).open(tills=1)
    shop.shift()
    reference, cashier = shop.shown(wired.issue("60.00").reveal()), shop.member()
    return lambda child: Shop(child).confirm(reference, cashier)


def _void(wired: Wired) -> Act:
    shop = Shop(wired).open(tills=1)
    shop.shift()
    reference, chief = shop.pay("60.00").reference, shop.manager()
    return lambda child: Shop(child).void(reference, chief)


def _close(wired: Wired) -> Act:
    shop = Shop(wired).open(tills=1)
    shop.shift(cash="500.00")
    shop.pay("60.00")
    cashier = shop.member()
    return lambda child: Shop(child).count("440.00", cashier)


def _accept(wired: Wired) -> Act:
    shop = Shop(wired).open(tills=1)
    shop.shift(cash="500.00")
    shop.pay("60.00")
    counted, chief = shop.count("439.00"), shop.manager()
    return lambda child: Shop(child).accept(counted, chief)


def _settle(wired: Wired) -> Act:
    shop = Shop(wired).open(tills=1)
    shop.shift(cash="500.00")
    shop.pay("60.00")
    shop.count("440.00")
    asked = (shop.outlet, shop.owed(), "settle:1", "cli:ops", "as agreed", wired.clock.now())
    return lambda child: child.run(lambda c: child.gateway.money.outlets.settling.settle(c, *asked))


MOVEMENTS: Sequence[Movement] = (
    Movement("open a shift", _open),
    Movement("pay at the counter", _pay),
    Movement("void at the counter", _void),
    Movement("count and close a till", _close),
    Movement("accept a variance", _accept),
    Movement("settle with an outlet", _settle),
)
