"""4 My wallet: balance and statement, behind the PIN once there is one."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial

from gateway.formats import money
from gateway.ledger import wallets
from gateway.ledger.store import Account
from gateway.ussd.screens import Again, Go, Next, Option, Screen, Values, Visit
from menus import pin, topup
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
    "hold": "Withdrawal",
    "release": "Withdrawal returned",
    "deposit": "Top up",
    "suspense_release": "Payment received",
    "deposit_reverse": "Top up reversed",
    "refund": "Refund",  # its sign says which way
}
OTHER = "Other"  # what no caller does: an operator's adjustment
UNVERIFIED = "wallet.unverified"
PENDING = "Pending {amount}"  # asked for and not paid yet

_WAITING = Screen(
    UNVERIFIED,
    text="Before we show this we must make sure that this is still your number.{call_us}",
    ends=True,
    sample={"call_us": pin.CALL},
)


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The wallet's menu and its two answers. 3 and 4 are kept for topping up and withdrawing."""
    return (
        _WAITING,
        Screen(
            "wallet",
            text="My wallet",
            options=(
                Option("1", "Balance", "wallet.balance"),
                Option("2", "Statement", "wallet.statement"),
                Option("3", "Top up", topup.NAME, shown=partial(topup.offered, desk)),
                Option("4", "Withdraw", "withdraw"),
            ),
        ),
        *_guarded(
            desk,
            partial(_balance, desk),
            Screen(
                "wallet.balance",
                text="Balance {balance}{pending}",
                ends=True,
                sample={"balance": LARGEST, "pending": f"\nPending {LARGEST}"},
            ),
        ),
        *_guarded(
            desk,
            partial(_statement, desk),
            Screen(
                "wallet.statement",
                text="{lines}",
                ends=True,
                complaints=(NO_ENTRIES,),
                long=True,
                sample={"lines": "\n".join([f"31/12 +{LARGEST} Withdrawal returned"] * LINES_MAX)},
            ),
        ),
    )


def _guarded(
    desk: Desk, look: Callable[[Visit], Next | Values], told: Screen
) -> tuple[Screen, ...]:
    """What is told at once to a phone without a PIN, and to any other after theirs."""
    asked, proved = f"{told.name}.pin", f"{told.name}.proved"

    def arrive(visit: Visit) -> Next | Values:
        has_pin = desk.pins.has_pin(visit.connection, visit.msisdn)
        return Go(asked) if has_pin else look(visit)

    def arrive_proved(visit: Visit) -> Next | Values:
        found = look(visit)
        if isinstance(found, Again):  # there is no way back to a PIN that was right
            return dict.fromkeys(told.sample, visit.say(found.complaint))
        return found

    return (
        replace(told, arrive=arrive, leads_to=(asked, UNVERIFIED)),
        pin.ask(desk, asked, lambda _: Go(proved), leads_to=(proved,)),
        replace(
            told,
            name=proved,
            arrive=arrive_proved,
            leads_to=(UNVERIFIED,),
            complaints=(),
            private=True,
        ),
    )


def _unverified(desk: Desk, visit: Visit, wallet: Account | None) -> Go | None:
    """Where a wallet leads whose owner may be somebody else by now: the last PIN may be theirs."""
    if wallet is None or not desk.limits.needs_verification(wallet, visit.now):
        return None
    return Go(UNVERIFIED, {"call_us": desk.call_us(visit.say)})


def _balance(desk: Desk, visit: Visit) -> Next | Values:
    wallet = wallets.find(visit.connection, visit.msisdn, desk.currency)
    waits = _unverified(desk, visit, wallet)
    if waits is not None:
        return waits
    balance = wallet.balance if wallet is not None else None
    pending = ""
    if wallet is not None and wallet.held:
        held = money.display(wallet.held, desk.currency)
        pending = f"\n{visit.say(PENDING, amount=held)}"
    return {
        "balance": money.display(balance or Decimal("0.00"), desk.currency),
        "pending": pending,
    }


def _statement(desk: Desk, visit: Visit) -> Next | Values:
    wallet = wallets.find(visit.connection, visit.msisdn, desk.currency)
    waits = _unverified(desk, visit, wallet)
    if waits is not None:
        return waits
    lines = wallets.statement(visit.connection, wallet, LINES_MAX)
    if not lines:
        return Again(NO_ENTRIES)
    shown = []
    for line in lines:
        local = line.at.astimezone(desk.zone)
        sign = "+" if line.amount > 0 else "-"
        kind = visit.say(KINDS.get(line.kind, OTHER))
        amount = money.plain(abs(line.amount))
        shown.append(f"{local:%d/%m} {sign}{amount} {kind}")
    return {"lines": "\n".join(shown)}
