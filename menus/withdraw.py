"""4 My wallet, 4 Withdraw: to the caller's own mobile money, or in cash at a shop."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from gateway.formats import money, msisdn
from gateway.formats.money import InvalidAmount
from gateway.ledger import wallets
from gateway.ledger.limits import InsufficientFunds, LimitExceeded, NotVerified, Stopped
from gateway.ledger.store import WALLET as WALLET_KIND
from gateway.ledger.store import Account
from gateway.providers.base.messages import Amounts
from gateway.sms.texts import minute
from gateway.ussd.screens import Again, Go, Next, Option, Screen, Values, Visit
from gateway.withdrawals.request import Wish
from menus import pin
from menus.desk import Desk

AMOUNT = "Take out how much?"
NOT_AN_AMOUNT = "An amount reads like 500 or 500.00."
NOT_WHOLE = "Whole amounts only, please."
LARGEST = "NGN 9999999999999999.99"
INSUFFICIENT, LIMIT = "withdraw.insufficient", "withdraw.limit"
LEAST = "withdraw.least"
STOPPED, UNVERIFIED = "withdraw.stopped", "withdraw.unverified"
REFUSALS = (INSUFFICIENT, LIMIT, STOPPED, UNVERIFIED)
MOBILE, CASH = "withdraw.mobile", "withdraw.cash"

_ENDINGS = (
    Screen(
        INSUFFICIENT,
        text="Your balance of {balance} is less than {total}. Nothing was taken out.",
        ends=True,
        sample={"balance": LARGEST, "total": LARGEST},
    ),
    Screen(
        LIMIT,
        text="This is above your limit. With its fee you can take out {most} now.",
        ends=True,
        sample={"most": LARGEST},
    ),
    Screen(
        LEAST,
        text="At least {least} can be paid to your mobile money. Nothing was taken out.",
        ends=True,
        sample={"least": LARGEST},
    ),
    Screen(
        STOPPED,
        text="Your wallet is stopped.{call_us}",
        ends=True,
        sample={"call_us": pin.CALL},
    ),
    Screen(
        UNVERIFIED,
        text="Before you take money out, we must make sure that it is you.{call_us}",
        ends=True,
        sample={"call_us": pin.CALL},
    ),
    Screen(
        f"{MOBILE}.done",
        text="{amount} is on its way to {phone}. Ref {reference}. You will get an SMS.",
        ends=True,
        sample={"amount": LARGEST, "phone": "+234 803 000 00001", "reference": "K7M29QXDWMH4"},
    ),
    Screen(
        f"{CASH}.done",
        text="You will get a code by SMS. A shop pays you {amount} for it until {until}."
        " Ref {serial}",
        ends=True,
        sample={"amount": LARGEST, "until": "31/12/2026 23:59", "serial": "K7M29QXD"},
    ),
)


@dataclass(frozen=True, slots=True)
class Taken:
    """What was confirmed, and the wallet as it is now."""

    wallet: Account
    amount: Decimal
    fee: Decimal
    intent: str


@dataclass(frozen=True, slots=True)
class Way:
    """One way to take money out: what it is called, costs, and does once the PIN is right."""

    name: str
    confirm: str
    fee: Callable[[Decimal], Decimal]
    take: Callable[[Visit, Taken], Go]
    amounts: Callable[[str], Amounts]  # which of them it can pay to a phone


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The two ways and every way they can end."""
    mobile = Way(
        MOBILE,
        "{amount} to your mobile money?\nFee {fee}, together {total}",
        desk.withdrawals.fee,
        partial(_to_mobile, desk),
        lambda phone: desk.withdrawals.amounts(phone, desk.currency),
    )
    cash = Way(
        CASH,
        "{amount} in cash at a shop?\nFee {fee}, together {total}",
        desk.cash.fee,
        partial(_in_cash, desk),
        lambda _: Amounts(),
    )
    return (
        Screen(
            "withdraw",
            text="Withdraw",
            arrive=partial(_may_withdraw, desk),
            leads_to=(STOPPED, UNVERIFIED, pin.NONE),
            options=(Option("1", "Mobile money", MOBILE), Option("2", "Cash at a shop", CASH)),
        ),
        *_of(desk, mobile),
        *_of(desk, cash),
        *_ENDINGS,
    )


def _of(desk: Desk, way: Way) -> Sequence[Screen]:
    facts = {"amount": LARGEST, "fee": "NGN 999999.00", "total": LARGEST}
    return (
        Screen(
            way.name,
            text=AMOUNT,
            answer=partial(_amount, desk, way),
            complaints=(NOT_AN_AMOUNT, NOT_WHOLE),
            leads_to=(f"{way.name}.confirm", LIMIT, LEAST),
        ),
        Screen(
            f"{way.name}.confirm",
            text=way.confirm,
            arrive=partial(_confirm, desk, way),
            options=(Option("1", "Confirm", f"{way.name}.pin"),),
            private=True,
            sample=facts,
        ),
        pin.ask(
            desk,
            f"{way.name}.pin",
            partial(_take, desk, way),
            leads_to=(f"{way.name}.done", *REFUSALS),
        ),
    )


def _may_withdraw(desk: Desk, visit: Visit) -> Next | Values:
    """Turn away at the door whoever could not take out anything; the balance is not told here."""
    try:
        wallets.insist_owner(desk.limits, _wallet(desk, visit), visit.now)
    except (Stopped, NotVerified) as error:
        return _stopped(desk, visit, error)
    return {} if desk.pins.has_pin(visit.connection, visit.msisdn) else Go(pin.NONE)


def _amount(desk: Desk, way: Way, visit: Visit, entry: str) -> Next:
    try:
        amount = money.parse(entry.strip().rstrip("#"))
    except InvalidAmount:
        return Again(NOT_AN_AMOUNT)
    payable = way.amounts(visit.msisdn)
    if payable.whole and amount != amount.to_integral_value():
        return Again(NOT_WHOLE)
    if amount < payable.least:
        return Go(LEAST, {"least": _shown(desk, payable.least)})
    most = desk.limits.of(_wallet(desk, visit)).debit
    if amount + way.fee(amount) > most:
        return Go(LIMIT, {"most": _shown(desk, most)})
    return Go(f"{way.name}.confirm", {"sum": money.plain(amount)})


def _confirm(desk: Desk, way: Way, visit: Visit) -> Values:
    """What it costs, should the table change meanwhile; and the intent that makes it one (M4)."""
    amount = money.parse(visit.values["sum"])
    fee = way.fee(amount)
    return {
        "amount": _shown(desk, amount),
        "fee": _shown(desk, fee),
        "total": _shown(desk, amount + fee),
        "charge": money.plain(fee),
        "intent": secrets.token_hex(16),
    }


def _take(desk: Desk, way: Way, visit: Visit) -> Next:
    amount, fee = money.parse(visit.values["sum"]), money.exact(Decimal(visit.values["charge"]))
    taken = Taken(_wallet(desk, visit), amount, fee, visit.values["intent"])
    try:
        return way.take(visit, taken)
    except InsufficientFunds:
        balance = taken.wallet.balance or Decimal("0.00")
        total = _shown(desk, amount + fee)
        return Go(INSUFFICIENT, {"balance": _shown(desk, balance), "total": total})
    except LimitExceeded as error:
        return Go(LIMIT, {"most": _shown(desk, error.most)})
    except (Stopped, NotVerified) as error:
        return _stopped(desk, visit, error)


def _to_mobile(desk: Desk, visit: Visit, taken: Taken) -> Go:
    phone = visit.msisdn
    wish = Wish(taken.wallet, taken.amount, taken.fee, taken.intent, phone, actor=phone)
    made = desk.withdrawals.request(visit.connection, wish, visit.now)
    values = {
        "amount": _shown(desk, made.amount),
        "phone": msisdn.display(made.destination),
        "reference": made.reference,
    }
    return Go(f"{MOBILE}.done", values, forget=True)


def _in_cash(desk: Desk, visit: Visit, taken: Taken) -> Go:
    issued = desk.cash.request(
        visit.connection, taken.wallet, taken.amount, taken.fee, taken.intent, visit.now
    )
    values = {
        "amount": _shown(desk, issued.amount),
        "until": minute(issued.expires_at, desk.zone),
        "serial": issued.serial,
    }
    return Go(f"{CASH}.done", values, forget=True)


def _stopped(desk: Desk, visit: Visit, error: Stopped | NotVerified) -> Go:
    name = STOPPED if isinstance(error, Stopped) else UNVERIFIED
    return Go(name, {"call_us": desk.call_us(visit.say)})


def _wallet(desk: Desk, visit: Visit) -> Account:
    """The caller's wallet; an empty one that is not stored, before its first use."""
    found = wallets.find(visit.connection, visit.msisdn, desk.currency)
    zero = Decimal("0.00")
    return found or Account(0, WALLET_KIND, visit.msisdn, desk.currency, zero, zero, "active")


def _shown(desk: Desk, amount: Decimal) -> str:
    return money.display(amount, desk.currency)
