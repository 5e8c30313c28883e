"""The texts of outgoing SMS: one GSM-7 segment each, in the recipient's language."""

import re
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from gateway.clock import day_that_ends
from gateway.formats import gsm7

SEGMENT_SEPTETS = 160
_NAMED = re.compile(r"\{(\w+)\}", re.ASCII)
Say = Callable[..., str]  # say(msgid, **values) -> text in one language

DELIVERY = (
    "{sender}: {amount}. Token {token}. To redeem dial {dial} by {expiry}. "
    "Ref {serial}. Help {help}"
)
DELIVERY_WITHOUT_HELP = (
    "{sender}: {amount}. Token {token}. To redeem dial {dial} by {expiry}. Ref {serial}"
)
REDEEMED = "You redeemed {amount} on {at}. Ref {serial}. Balance {balance}."
CANCELLED = "The token {serial} of {amount} was cancelled and cannot be redeemed."
# For whoever sent a token out of a wallet.
SENT = "You sent {amount} to {recipient}, fee {fee}. Ref {serial}. Balance {balance}."
MOVED = "Token {old} was cancelled. {amount} went to {recipient} instead. Ref {serial}."
SPENT = "Your token {serial} to {recipient} of {amount} was redeemed on {at}."
EXPIRED = "Your token {serial} to {recipient} expired. {amount} is back in your wallet."
RETURNED = "Your token {serial} to {recipient} was cancelled. {amount} is back in your wallet."
UNDELIVERED = (
    "Your token {serial} of {amount} could not be delivered to {recipient}. In My tokens you can"
    " cancel it or send it elsewhere."
)
# For its recipient, when another phone redeemed it.
TAKEN = "The token {serial} of {amount} that was sent to you was redeemed on {at}."
# Of withdrawals.
CASH = (
    "{amount} in cash at a shop: show the code {token} by {expiry}. Tell it nobody else."
    " Ref {serial}"
)
WITHDRAWAL_PAID = "Your withdrawal of {amount} was paid. Ref {reference}. Transaction {txn}."
WITHDRAWAL_REJECTED = (
    "Your withdrawal of {amount} was not paid. The money is back in your wallet. Ref {reference}."
)
DEPOSIT_RECEIVED = "You received {amount} in your wallet. Ref {reference}. Balance {balance}."
DEPOSIT_HELD = (
    "We received {amount} from you and hold it safely until we have looked at it. Ref {reference}."
)
# Of disputes: to whoever complained, and to the two wallets between which a refund moved.
DISPUTE_OPENED = (
    "Your complaint {reference} about {about} is registered. You get an answer by {until}."
)
DISPUTE_REFUNDED = "Complaint {reference} about {about} is settled: {amount} was given back."
DISPUTE_RELEASED = (
    "Complaint {reference} about {about} is settled: nothing was found, it goes on as before."
)
DISPUTE_REJECTED = "Complaint {reference} about {about} was examined and is not upheld."
DISPUTE_CREDITED = "{amount} came back to your wallet: complaint {reference} about {about}."
DISPUTE_DEBITED = "{amount} was taken from your wallet: complaint {reference} about {about}."
# To owners, of what others did to their wallet.
CALL_US = "Please call {help}."
WALLET_FROZEN = "Your wallet was stopped on {at}.{call_us}"
WALLET_UNFROZEN = "Your wallet works again since {at}."
PIN_RESET = "Your PIN was reset on {at}. If you did not ask for this, tell us.{call_us}"
WALLET_GIVEN_AWAY = (
    "Your wallet was moved to the number {other} on {at}. If you did not ask for this, tell us."
    "{call_us}"
)
WALLET_TAKEN_OVER = (
    "The wallet of {other} was moved to your number on {at}. If you did not ask for this, tell us."
    "{call_us}"
)
SENDER_CHARACTERS_MIN = 3
_AMOUNT = "NGN 999999999999999.00"
_SENT_TOKEN = {"serial": "K7M29QXD", "amount": _AMOUNT, "recipient": "+234 803 000 00001"}
_OWNER = {
    "at": "31/12/2026 23:59",
    "other": "+23480*****01",
    "call_us": " Please call +234 800 000 0000.",
}
_DISPUTE = {"reference": "K7M29QXD", "about": "K7M29QXDWMH4"}
# What a text of a token must fit in whatever happens: its sender has given all the room it can.
TIGHTEST: dict[str, str] = {
    "sender": "[" * SENDER_CHARACTERS_MIN,
    "amount": _AMOUNT,
    "token": "490750 293453 273258",
    "dial": "*384*12345*1*490750293453273258#",
    "expiry": "31/12/2026",
    "serial": "K7M29QXD",
    "help": "+2348001234567",
}
# Every template with the longest values it meets, for the check that each fits one segment.
SAMPLES: dict[str, dict[str, str]] = {
    DELIVERY: {
        "sender": "Example Stores",
        "amount": "NGN 999999.00",
        "token": "490750 293453 273258",
        "dial": "*384*1*1*490750293453273258#",
        "expiry": "31/12/2026 23:59",
        "serial": "K7M29QXD",
        "help": "08001234567",
    },
    DELIVERY_WITHOUT_HELP: {
        "sender": "Example Stores Abuja",
        "amount": "NGN 999999.00",
        "token": "490750 293453 273258",
        "dial": "*384*1*1*490750293453273258#",
        "expiry": "31/12/2026 23:59",
        "serial": "K7M29QXD",
    },
    REDEEMED: {
        "amount": "NGN 999999999999999.00",
        "at": "31/12/2026 23:59",
        "serial": "K7M29QXD",
        "balance": "NGN 999999999999999.00",
    },
    CASH: {
        "amount": "NGN 999999999999999.00",
        "token": "490750 293453 273258",
        "expiry": "31/12/2026 23:59",
        "serial": "K7M29QXD",
    },
    WITHDRAWAL_PAID: {
        "amount": "NGN 999999999999999.00",
        "reference": "K7M29QXDWMH4",
        "txn": "X" * 64,
    },
    WITHDRAWAL_REJECTED: {"amount": "NGN 999999999999999.00", "reference": "K7M29QXDWMH4"},
    CANCELLED: {"serial": "K7M29QXD", "amount": "NGN 999999999999999.00"},
    SENT: {**_SENT_TOKEN, "fee": "NGN 999999.00", "balance": _AMOUNT},
    MOVED: {**_SENT_TOKEN, "old": "K7M29QXD"},
    SPENT: {**_SENT_TOKEN, "at": "31/12/2026 23:59"},
    EXPIRED: _SENT_TOKEN,
    RETURNED: _SENT_TOKEN,
    UNDELIVERED: _SENT_TOKEN,
    TAKEN: {"serial": "K7M29QXD", "amount": _AMOUNT, "at": "31/12/2026 23:59"},
    DEPOSIT_RECEIVED: {"amount": _AMOUNT, "reference": "D2345BCDF", "balance": _AMOUNT},
    DEPOSIT_HELD: {"amount": _AMOUNT, "reference": "D2345BCDF"},
    DISPUTE_OPENED: {**_DISPUTE, "until": "31/12/2026"},
    DISPUTE_REFUNDED: {**_DISPUTE, "amount": _AMOUNT},
    DISPUTE_RELEASED: _DISPUTE,
    DISPUTE_REJECTED: _DISPUTE,
    DISPUTE_CREDITED: {**_DISPUTE, "amount": _AMOUNT},
    DISPUTE_DEBITED: {**_DISPUTE, "amount": _AMOUNT},
    WALLET_FROZEN: _OWNER,
    WALLET_UNFROZEN: _OWNER,
    PIN_RESET: _OWNER,
    WALLET_GIVEN_AWAY: _OWNER,
    WALLET_TAKEN_OVER: _OWNER,
}


def fit(say: Say, template: str, values: dict[str, str]) -> str:
    """The text in GSM-7, its sender's name shortened as far as one segment needs.

    The digits are never cut: only `sender` gives way.
    """
    sender = " ".join(gsm7.transliterate(values.get("sender", "")).split())
    text = gsm7.transliterate(say(template, **{**values, "sender": sender}))
    while gsm7.septets(text) > SEGMENT_SEPTETS and len(sender) > SENDER_CHARACTERS_MIN:
        sender = sender[:-1].rstrip()
        text = gsm7.transliterate(say(template, **{**values, "sender": sender}))
    return text


def filled(text: str, /, **values: str) -> str:
    """A text that somebody wrote in their language, with its values in their places.

    >>> filled("{amount}: {token}", amount="NGN 5.00", token="4907 5029 345")
    'NGN 5.00: 4907 5029 345'
    """
    return _NAMED.sub(lambda found: values[found[1]], text)


def until(expires_at: datetime, zone: ZoneInfo) -> str:
    """The end of a token's time as people read it: the last day that counts, or the minute.

    >>> from datetime import UTC
    >>> until(datetime(2026, 3, 31, 23, 0, tzinfo=UTC), ZoneInfo("Africa/Lagos"))
    '31/03/2026'
    >>> until(datetime(2026, 3, 31, 21, 30, tzinfo=UTC), ZoneInfo("Africa/Lagos"))
    '31/03/2026 22:30'
    """
    day = day_that_ends(expires_at, zone)
    return f"{day:%d/%m/%Y}" if day else minute(expires_at, zone)


def minute(instant: datetime, zone: ZoneInfo) -> str:
    """A local time to the minute.

    >>> from datetime import UTC
    >>> minute(datetime(2026, 3, 31, 23, 5, tzinfo=UTC), ZoneInfo("Africa/Lagos"))
    '01/04/2026 00:05'
    """
    return f"{instant.astimezone(zone):%d/%m/%Y %H:%M}"
