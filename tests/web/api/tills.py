"""A partner with an outlet of its own, whose till is open: what the tests of its tills share."""

from dataclasses import dataclass

from gateway.outlets.shifts.store import Shift
from gateway.partners.places import agreed
from tests.outlets.staging import Shop
from tests.support.partner import Partner, Reply, partner
from tests.support.wired import Wired

OUTLET, TILL = "IKEJA", "IKEJA/1"


@dataclass(frozen=True)
class Stall:
    """A partner at its outlet."""

    acme: Partner
    shop: Shop

    @property
    def wired(self) -> Wired:
        """The gateway."""
        return self.acme.wired

    def shift(self) -> Shift:
        """The shift of till 1, as it is now."""
        return self.shop.stand(self.shop.shift())

    def token(self, amount: str = "60.00", **changes: object) -> tuple[str, str]:
        """A token of the partner's own: its serial and its digits."""
        made = self.acme.post("/tokens", {"amount": amount, "deliver": False, **changes})
        assert made.status_code == 201, made.text
        return made.json["serial"], made.json["token"]

    def pay(self, token: str, again: str | None = None, payee: str = TILL, **more: object) -> Reply:
        """Have the till pay it."""
        return self.acme.post("/redemptions", {"token": token, "payee": payee, **more}, again)


def stall(wired: Wired, float_limit: str = "1000.00") -> Stall:
    """It, with 500.00 in the drawer."""
    acme, shop = partner(wired), Shop(wired, OUTLET).open(float_limit=float_limit)
    agree(wired)
    shop.shift()
    return Stall(acme, shop)


def agree(wired: Wired, code: str = "acme", outlet: str = OUTLET) -> None:
    """Let a partner pay at an outlet."""
    now = wired.clock.now()
    wired.run(lambda c: agreed.agree(c, code, outlet, "test", now))
