"""4 My wallet: balance and statement."""

from decimal import Decimal
from functools import partial

from gateway.formats import money
from gateway.ledger import wallets
from gateway.ussd.screens import Again, Next, Option, Screen, Values, Visit
from menus.desk import Desk

LINES_MAX = 10
NO_ENTRIES = "There are no entries yet."
LARGEST = "NGN 9999999999999999.99"
# How a movement reads in its owner's statement.
KINDS = {
    "redeem": "Token redeemed",
    "issue": "Token sent",
    "expire": "Token expired",
    "cancel": "Token cancelled",
}


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The wallet's menu and its two answers. 3 and 4 are kept for topping up and withdrawing."""
    return (
        Screen(
            "wallet",
            text="My wallet",
            options=(
                Option("1", "Balance", "wallet.balance"),
                Option("2", "Statement", "wallet.statement"),
            ),
        ),
        Screen(
            "wallet.balance",
            text="Balance: {balance}",
            arrive=partial(_balance, desk),
            ends=True,
            sample={"balance": LARGEST},
        ),
        Screen(
            "wallet.statement",
            text="{lines}",
            arrive=partial(_statement, desk),
            ends=True,
            complaints=(NO_ENTRIES,),
            long=True,
            sample={"lines": "\n".join([f"31/12 +{LARGEST} Token cancelled"] * LINES_MAX)},
        ),
    )


def _balance(desk: Desk, visit: Visit) -> Values:
    wallet = wallets.find(visit.connection, visit.msisdn, desk.currency)
    balance = wallet.balance if wallet is not None else None
    return {"balance": money.display(balance or Decimal("0.00"), desk.currency)}


def _statement(desk: Desk, visit: Visit) -> Next | Values:
    lines = wallets.statement(visit.connection, visit.msisdn, desk.currency, LINES_MAX)
    if not lines:
        return Again(NO_ENTRIES)
    shown = []
    for line in lines:
        local = line.at.astimezone(desk.zone)
        sign = "+" if line.amount > 0 else "-"
        kind = visit.say(KINDS[line.kind])
        amount = money.plain(abs(line.amount))
        shown.append(f"{local:%d/%m} {sign}{amount} {kind}")
    return {"lines": "\n".join(shown)}
