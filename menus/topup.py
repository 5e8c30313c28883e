"""4 My wallet, 3 Top up: an amount from the caller's mobile money, approved on the phone itself."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial

from gateway.deposits import references
from gateway.deposits.orders import FeeChanged
from gateway.errors import BadInput
from gateway.formats import money
from gateway.formats.money import InvalidAmount
from gateway.ledger.limits import LimitExceeded, Stopped
from gateway.ussd.screens import Again, Choice, Go, Next, Option, Screen, Values, Visit
from menus.desk import Desk

NAME, FROM, CONFIRM, DONE = "topup", "topup.from", "topup.confirm", "topup.done"
STOPPED, GONE = "topup.stopped", "topup.gone"
NOT_AN_AMOUNT = "An amount reads like 500 or 500.00."
NOT_WHOLE = "Whole amounts only, please."
TOO_SMALL = "The fee would take all of it."
TOO_MUCH = "Your wallet cannot take so much now."
COMPLAINTS = (NOT_AN_AMOUNT, NOT_WHOLE, TOO_SMALL, TOO_MUCH)
LARGEST = "NGN 9999999999999999.99"
# How people call the provider that the books call so.
# Of whichever network: the one name that is translated, on a line of its own and in a sentence.
MOBILE_MONEY, SPOKEN = "Mobile money", "mobile money"
BRANDS: Mapping[str, str] = {
    "snippe": MOBILE_MONEY,
    "selcom": "Selcom",
    "airtelmoney": "Airtel Money",
    "tigopesa": "Mixx by Yas",
    "mpesa": "M-Pesa",
}
SAMPLE = {
    "amount": LARGEST,
    "brand": SPOKEN,
    "fee": "NGN 999999.00",
    "net": LARGEST,
    "reference": "D2345BCDF",
    "provider": "airtelmoney",
}


def screens(desk: Desk) -> tuple[Screen, ...]:
    """Amount, provider where there are several, confirmation with the fee, and the endings."""
    return (
        Screen(
            NAME,
            text="Top up by how much?",
            answer=partial(_amount, desk),
            complaints=COMPLAINTS,
            leads_to=(FROM, CONFIRM, STOPPED, GONE),
        ),
        Screen(
            FROM,
            text="From where?",
            choices=partial(_providers, desk),
            choose=partial(_chosen, desk),
            leads_to=(CONFIRM,),
            sample_choices=tuple(BRANDS.values()),
        ),
        Screen(
            CONFIRM,
            text="{amount} from your {brand}?\nFee {fee}, your wallet gets {net}",
            options=(Option("1", "Confirm", DONE),),
            private=True,
            sample=SAMPLE,
        ),
        Screen(
            DONE,
            text="Approve {amount} on your phone now. You will get an SMS. Ref {reference}",
            arrive=partial(_placed, desk),
            ends=True,
            leads_to=(CONFIRM, STOPPED, GONE),
            sample=SAMPLE,
        ),
        Screen(
            STOPPED,
            text="Your wallet cannot receive money now.{call_us}",
            ends=True,
            sample={"call_us": " Please call +234 800 000 0000."},
        ),
        Screen(
            GONE,
            text="Topping up is not possible now. Nothing was taken. Please try again later.",
            ends=True,
        ),
    )


def offered(desk: Desk, visit: Visit) -> bool:
    """Whether a provider can ask this phone for money; without one there is nothing to choose."""
    return bool(desk.orders.providers(visit.msisdn, desk.currency))


def _amount(desk: Desk, visit: Visit, entry: str) -> Next:
    try:
        amount = money.parse(entry.strip())
    except InvalidAmount:
        return Again(NOT_AN_AMOUNT)
    if amount != amount.to_integral_value():
        return Again(NOT_WHOLE)  # no provider takes a fraction
    try:
        desk.orders.insist(visit.connection, visit.msisdn, amount, desk.currency, visit.now)
    except Stopped:
        return Go(STOPPED, {"call_us": desk.call_us(visit.say)})
    except LimitExceeded:
        return Again(TOO_MUCH)
    except BadInput:
        return Again(TOO_SMALL)
    able = _able(desk, visit)
    if not able:
        return Go(GONE)
    values = {"amount": str(amount)}
    return _confirmation(desk, visit, values, able[0]) if len(able) == 1 else Go(FROM, values)


def _able(desk: Desk, visit: Visit) -> Sequence[str]:
    return [
        name
        for name in desk.orders.providers(visit.msisdn, desk.currency)
        if not desk.is_paused(visit.connection, f"provider:{name}")
    ]


def _providers(desk: Desk, visit: Visit) -> Sequence[Choice]:
    return [Choice(_brand(visit, name), name) for name in _able(desk, visit)]


def _brand(visit: Visit, provider: str) -> str:
    brand = BRANDS.get(provider, provider)
    return visit.say(brand) if brand == MOBILE_MONEY else brand


def _spoken(visit: Visit, provider: str) -> str:
    return visit.say(SPOKEN) if BRANDS.get(provider) == MOBILE_MONEY else _brand(visit, provider)


def _chosen(desk: Desk, visit: Visit, provider: str) -> Next:
    return _confirmation(desk, visit, visit.values, provider)


def _confirmation(desk: Desk, visit: Visit, values: Values, provider: str) -> Go:
    """The intent is minted here: a repeat of the confirmation places the same order."""
    amount = Decimal(values["amount"])
    fee = desk.orders.fee(amount)
    shown = {
        "asked": str(amount),
        "provider": provider,
        "reference": references.new(),
        "amount": money.display(amount, desk.currency),
        "brand": _spoken(visit, provider),
        "fee": money.display(fee, desk.currency),
        "charge": money.plain(fee),
        "net": money.display(amount - fee, desk.currency),
    }
    return Go(CONFIRM, shown)


def _placed(desk: Desk, visit: Visit) -> Next | Values:
    values, amount = visit.values, Decimal(visit.values["asked"])
    charge = values.get("charge")  # a dialogue of before an upgrade has none
    try:
        desk.orders.place(
            visit.connection,
            values["reference"],
            visit.msisdn,
            values["provider"],
            amount,
            desk.currency,
            visit.now,
            None if charge is None else money.exact(Decimal(charge)),
        )
    except FeeChanged:
        return _confirmation(desk, visit, {"amount": str(amount)}, values["provider"])
    except Stopped:
        return Go(STOPPED, {"call_us": desk.call_us(visit.say)})
    except BadInput:
        return Go(GONE)
    return {"amount": values["amount"], "reference": values["reference"]}
