"""A cashier on the phone, as the tests of 6 Cashier have one: an outlet, a till, ways to dial."""

from decimal import Decimal

from tests.outlets.staging import AMA, Shop
from tests.support.wired import Call, Wired

NONE = Decimal("0.00")


def opened(wired: Wired, cash: str = "500.00", float_limit: str = "1000.00") -> Shop:
    """An outlet whose first till a cashier has open."""
    shop = Shop(wired).open(float_limit=float_limit)
    shop.shift(cash=cash)
    return shop


def looked(wired: Wired, digits: str, phone: str = AMA) -> Call:
    """Dial up to what a token is, and whether to pay it."""
    return wired.dial(phone, text=f"6*1*{digits}")


def paid(wired: Wired, amount: str = "60.00", phone: str = AMA) -> str:
    """Issue a token and pay it; its serial."""
    issued = wired.issue(amount)
    reply = looked(wired, issued.reveal(), phone).send("1")
    assert reply.startswith(f"END PAID NGN {amount}\nRef {issued.serial}\n"), reply
    return issued.serial
