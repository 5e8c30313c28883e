"""Money in: ordered, credited, in suspense and out of it, and taken back."""

from collections.abc import Callable, Sequence

from gateway.clock import Clock
from tests.deposits.staging import JUMA, NEEMA, PROVIDERS, Till, snippe_body
from tests.support.crashes import Act, Movement
from tests.support.wired import Wired

Prepare = Callable[[Till], Callable[[Till], object]]


def _till(url: str, clock: Clock) -> Till:
    return Till(url, clock, country="TZ", currency="TZS", providers=PROVIDERS)


def _movement(name: str, prepare: Prepare) -> Movement:
    def prepared(wired: Wired) -> Act:
        act = prepare(_as_till(wired))
        return lambda child: act(_as_till(child))

    return Movement(name, prepared, _till)


def _as_till(wired: Wired) -> Till:
    assert isinstance(wired, Till)
    return wired


def _order(tz: Till) -> Callable[[Till], object]:
    tz.wallet()
    return lambda child: child.order()


def _ordered(tz: Till) -> Callable[[Till], object]:
    body = snippe_body(tz.order().reference)
    return lambda child: child.snippe(body)


def _unordered(tz: Till) -> Callable[[Till], object]:
    tz.wallet()
    return lambda child: child.snippe(snippe_body("ORD-1001", customer={"phone": JUMA}))


def _conflict(tz: Till) -> Callable[[Till], object]:
    body = snippe_body(tz.order().reference, amount=14000)
    return lambda child: child.snippe(body)


def _confirm(tz: Till) -> Callable[[Till], object]:
    reference, now = tz.order().reference, tz.clock.now()
    tz.stated("snippe", "SYNX1", "15000")
    said = (reference, "SYNX1", "cli:one", "seen", now)
    return lambda child: child.run(lambda c: child.gateway.deposits.confirming.alone(c, *said))


def _release(tz: Till) -> Callable[[Till], object]:
    tz.snippe(snippe_body("ORD-1001"))
    (deposit,) = tz.all()
    back = (deposit.reference, NEEMA, tz.clock.now())
    return lambda child: child.run(lambda c: child.gateway.deposits.undoing.release(c, *back))


def _reverse(tz: Till) -> Callable[[Till], object]:
    order = tz.order()
    tz.snippe(snippe_body(order.reference))
    back = (order.reference, tz.clock.now())
    return lambda child: child.run(lambda c: child.gateway.deposits.undoing.reverse(c, *back))


MOVEMENTS: Sequence[Movement] = (
    _movement("order a top-up", _order),
    _movement("credit an order", _ordered),
    _movement("put a payment into suspense", _unordered),
    _movement("put a wrong amount into suspense", _conflict),
    _movement("confirm an order", _confirm),
    _movement("release from suspense", _release),
    _movement("reverse a deposit", _reverse),
)
