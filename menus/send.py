"""2 Send token: to whom, how much, a look at the fee, the PIN, and it is on its way by SMS."""

from decimal import Decimal
from functools import partial

from gateway.errors import BadInput
from gateway.formats import money, msisdn
from gateway.formats.money import InvalidAmount
from gateway.formats.msisdn import InvalidMsisdn
from gateway.ledger import wallets
from gateway.ledger.fees import SEND
from gateway.ledger.limits import InsufficientFunds, LimitExceeded, NotVerified, Stopped
from gateway.ledger.store import Account
from gateway.tokens.send import new_intent
from gateway.ussd.screens import Again, Go, Next, Option, Screen, Values, Visit
from menus import pin
from menus.desk import Desk
from menus.pin import CALL

LARGEST = "NGN 999999999999.99"  # more than a person sends
NUMBER = {"phone": "+2348000000000", "recipient": "+234 800 000 00000"}
NO_NUMBER = "This is not a phone number."
OWN_NUMBER = "This is your own number."
NO_AMOUNT = "An amount reads like 500 or 500.00."
STOPPED, UNVERIFIED, PAUSED = "send.stopped", "send.unverified", "send.paused"
SHORT, SINGLE, DAY = "send.short", "send.single", "send.day"
# Where a wallet that may not pay leads; after the PIN, because these tell what is in it.
REFUSALS = (STOPPED, UNVERIFIED, SHORT, SINGLE, DAY)

_ENDINGS = (
    Screen(
        "send.done",
        text="You have sent {amount} to {recipient}.\nBalance {balance}.\nRef {serial}",
        ends=True,
        sample={"amount": LARGEST, "balance": LARGEST, "serial": "K7M29QXD", **NUMBER},
    ),
    Screen(
        PAUSED,
        text="Sending is stopped for now. Nothing was sent. Please try again later.",
        ends=True,
    ),
    Screen(
        STOPPED,
        text="Your wallet is stopped. Nothing was sent.{call_us}",
        ends=True,
        sample={"call_us": CALL},
    ),
    Screen(
        UNVERIFIED,
        text="Before you can send we must make sure that this is still your number.{call_us}",
        ends=True,
        sample={"call_us": CALL},
    ),
    Screen(
        SHORT,
        text="Your balance of {balance} is less than {total}. Nothing was sent.",
        ends=True,
        sample={"balance": LARGEST, "total": LARGEST},
    ),
    Screen(
        SINGLE,
        text="You can send at most {most} at a time, with the fee. Nothing was sent.",
        ends=True,
        sample={"most": LARGEST},
    ),
    Screen(
        DAY,
        text="Today you can send {most} more, with the fee. Nothing was sent.",
        ends=True,
        sample={"most": LARGEST},
    ),
)


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The way to a token for somebody else, and every way it can end."""
    return (
        Screen(
            "send",
            text="Send to which number?",
            arrive=partial(may_send, desk),
            answer=partial(_recipient, desk),
            complaints=(NO_NUMBER, OWN_NUMBER),
            leads_to=("send.amount", PAUSED, STOPPED, UNVERIFIED, pin.NONE),
        ),
        Screen(
            "send.amount",
            text="Send how much to {recipient}?",
            answer=partial(_amount, desk),
            complaints=(NO_AMOUNT,),
            leads_to=("send.sure", SINGLE),
            sample=NUMBER,
        ),
        Screen(
            "send.sure",
            text="Send {amount} to {recipient}?\nFee {fee}, together {total}",
            arrive=partial(_details, desk),
            options=(Option("1", "Confirm", "send.pin"),),
            private=True,
            sample={"amount": LARGEST, "fee": "NGN 999999.00", "total": LARGEST, **NUMBER},
        ),
        pin.ask(
            desk,
            "send.pin",
            partial(_send, desk),
            leads_to=("send.done", PAUSED, *REFUSALS),
        ),
        *_ENDINGS,
    )


def may_send(desk: Desk, visit: Visit) -> Next | Values:
    """Turn away at the door whoever could not send anything; nothing of the balance is told."""
    if desk.is_paused(visit.connection, "sends"):
        return Go(PAUSED)
    wallet = find_wallet(desk, visit)
    if wallet is not None:
        try:
            wallets.insist_owner(desk.limits, wallet, visit.now)
        except (Stopped, NotVerified) as error:
            return refused(desk, visit, error)
    # Now, rather than after all the questions.
    return {} if desk.pins.has_pin(visit.connection, visit.msisdn) else Go(pin.NONE)


def recipient_of(desk: Desk, visit: Visit, entry: str) -> Values | Again:
    """The number that was typed, stored and shown; a complaint about one that cannot be."""
    try:
        phone = msisdn.parse(entry.strip().rstrip("#"), desk.country)
    except InvalidMsisdn:
        return Again(NO_NUMBER)
    if phone == visit.msisdn:
        return Again(OWN_NUMBER)
    return {"phone": phone, "recipient": msisdn.display(phone)}


def refused(desk: Desk, visit: Visit, error: BadInput, total: Decimal = Decimal("0.00")) -> Go:
    """The screen that says why the wallet does not pay; an error that has none is raised."""
    if isinstance(error, Stopped):
        return Go(STOPPED, {"call_us": desk.call_us(visit.say)})
    if isinstance(error, NotVerified):
        return Go(UNVERIFIED, {"call_us": desk.call_us(visit.say)})
    if isinstance(error, InsufficientFunds):
        wallet = find_wallet(desk, visit)
        balance = wallet.balance if wallet is not None else None
        shown = money.display(balance or Decimal("0.00"), desk.currency)
        return Go(SHORT, {"balance": shown, "total": money.display(total, desk.currency)})
    if isinstance(error, LimitExceeded):
        most = {"most": money.display(error.most, desk.currency)}
        return Go(SINGLE if error.cap == "debit" else DAY, most)
    raise error


def find_wallet(desk: Desk, visit: Visit) -> Account | None:
    """The caller's wallet, None before its first use."""
    return wallets.find(visit.connection, visit.msisdn, desk.currency)


def _recipient(desk: Desk, visit: Visit, entry: str) -> Next:
    found = recipient_of(desk, visit, entry)
    return found if isinstance(found, Again) else Go("send.amount", found)


def _amount(desk: Desk, visit: Visit, entry: str) -> Next:
    try:
        amount = money.parse(entry.strip().rstrip("#"))
    except InvalidAmount:
        return Again(NO_AMOUNT)
    wallet, total = find_wallet(desk, visit), amount + desk.fees.of(SEND, amount)
    if wallet is not None and total > (most := desk.limits.of(wallet).debit):
        return Go(SINGLE, {"most": money.display(most, desk.currency)})
    return Go("send.sure", {**visit.values, "value": money.plain(amount)})


def _details(desk: Desk, visit: Visit) -> Values:
    amount = money.parse(visit.values["value"])
    fee = desk.fees.of(SEND, amount)
    return {
        "amount": money.display(amount, desk.currency),
        "fee": money.display(fee, desk.currency),
        "total": money.display(amount + fee, desk.currency),
        "charge": money.plain(fee),  # what was agreed to, should the table change meanwhile
        "intent": new_intent(),
    }


def _send(desk: Desk, visit: Visit) -> Next:
    if desk.is_paused(visit.connection, "sends"):
        return Go(PAUSED)
    given = visit.values
    amount, fee = money.parse(given["value"]), money.exact(Decimal(given["charge"]))
    wallet = find_wallet(desk, visit)
    if wallet is None:
        return refused(desk, visit, InsufficientFunds("there is no wallet"), amount + fee)
    try:
        issued, balance = desk.sends.send(
            visit.connection, wallet, given["phone"], amount, fee, given["intent"], visit.now
        )
    except BadInput as error:
        return refused(desk, visit, error, amount + fee)
    return Go(
        "send.done",
        {
            "amount": given["amount"],
            "recipient": given["recipient"],
            "balance": money.display(balance, desk.currency),
            "serial": issued.serial,
        },
        forget=True,
    )
