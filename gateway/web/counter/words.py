"""What the counter says of each answer: a title, and what the cashier does now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gateway.outlets.payments.answers import Stop
from gateway.tokens import code
from gateway.tokens.code import Wrong
from gateway.tokens.tills.pay import Answer


@dataclass(frozen=True, slots=True)
class Said:
    """Plain words: what is so, and the way on."""

    title: str
    advice: str


PAY_NOTHING: Final = "Pay nothing for it."

# Every answer but the two good ones, of a look-up and of a confirmation.
WORDS: Final[Mapping[str, Said]] = {
    Answer.MISTYPED: Said("This is not a token", "Type it again from the SMS."),
    Answer.UNKNOWN: Said(
        "There is no such token",
        "The digits fit together, but nobody was given this token. Compare them with the SMS. "
        f"{PAY_NOTHING}",
    ),
    Answer.LIMITED: Said(
        "Too many wrong entries",
        "You cannot look tokens up for a while. Another till of the outlet can.",
    ),
    Answer.UNAVAILABLE: Said(
        "It cannot be checked just now",
        f"This says nothing about the token. {PAY_NOTHING} Try again in a few minutes.",
    ),
    Answer.SUSPENDED: Said(
        "The token is suspended",
        f"{PAY_NOTHING} The customer can ask support about it, with its serial.",
    ),
    Answer.REDEEMED: Said("The token is spent", f"It has paid once already. {PAY_NOTHING}"),
    Answer.EXPIRED: Said(
        "The token has expired",
        f"Its money went back to whoever paid for it. {PAY_NOTHING}",
    ),
    Answer.CANCELLED: Said(
        "The token was cancelled",
        f"{PAY_NOTHING} The customer can ask whoever sent it for another one.",
    ),
    Answer.OTHER_CURRENCY: Said(
        "The token is of another currency",
        "This till does not pay it. The customer can ask support where it is paid.",
    ),
    Answer.OF_A_PARTNER: Said(
        "The token is not paid at counters",
        "It is good only with the business that issued it. The customer can use it there.",
    ),
    Answer.ANOTHER_PHONE: Said(
        "That is not the recipient's number",
        "The token is tied to one phone. Ask the customer for the number that its SMS came to.",
    ),
    Answer.TILL_STOPPED: Said(
        "Your till is stopped",
        "Operators have stopped it. The token is still good: another till can pay it.",
    ),
    Answer.TILL_FULL: Said(
        "Your till has paid enough for today",
        "It would pass what a till may pay in a day. The token is still good: another till can "
        "pay it, or yours tomorrow.",
    ),
    Answer.CUSTOMER_FULL: Said(
        "The customer has had enough for today",
        "It would pass what one customer may have here in a day. The token is still good "
        "tomorrow, and at once on the customer's own phone.",
    ),
    Stop.PAUSED: Said(
        "Payments are paused",
        "Operators have paused them everywhere. The token is still good: try again later.",
    ),
    Stop.SHIFT_CLOSED: Said(
        "Your till is not open",
        "A till pays nothing before it is opened, and nothing once its cash was counted. The token "
        "is still good.",
    ),
    Stop.FLOAT_LIMIT: Said(
        "Your till would pay out too much",
        "It would pass what your till may pay out in one shift. The token is still good: another "
        "till can pay it. Tell your manager.",
    ),
    Stop.TOO_OLD: Said(
        "You looked it up too long ago",
        "Much can happen in ten minutes. Nothing was paid: look the token up again.",
    ),
}
ASK_PHONE: Final = (
    "This says nothing about the token. Ask for the number that its SMS came to, and type the "
    "token again with it. A token that is not tied to that phone must wait a few minutes. "
    f"{PAY_NOTHING}"
)
DECLINED: Final = Said("Not paid", "You declined it. The token is still the customer's.")

# What is left now, of what was too little for a payment.
MOST: Final[Mapping[str, str]] = {
    Answer.TILL_FULL: "Today it can still pay {most}.",
    Answer.CUSTOMER_FULL: "Today it can still pay this customer {most}.",
    Stop.FLOAT_LIMIT: "In this shift it can still pay {most}.",
}
ROOM_NOW: Final = "Now there is room for it: look the token up again."
AGAIN_AT: Final = "You can confirm it again at {at}."
AGAIN_NOW: Final = "You can confirm it again now."

_COMPARE: Final = "Compare it with the SMS, digit by digit."
_WRONG: Final[Mapping[Wrong, str]] = {
    Wrong.EMPTY: "Type the digits of the token.",
    Wrong.CHARACTERS: "A token has digits alone: leave everything else out.",
    Wrong.CHECK_DIGIT: f"A digit is wrong. {_COMPARE}",
}


def mistyped(wrong: Wrong | None, entry: str) -> str:
    """What is wrong with an entry, which is not repeated.

    >>> mistyped(Wrong.LENGTH, "902100 000000 00001")
    '1 digit is missing of 18. Compare it with the SMS, digit by digit.'
    >>> mistyped(Wrong.LENGTH, "9021000")
    '4 digits are missing of 11, or 11 of 18. Compare it with the SMS, digit by digit.'
    >>> mistyped(Wrong.LENGTH, "902100 000000 000014 0")
    '1 digit too many: a token has 18. Compare it with the SMS, digit by digit.'
    """
    if wrong is not Wrong.LENGTH:
        return _WRONG.get(wrong or Wrong.EMPTY, _COMPARE)
    typed = len(code.compact(entry))
    if typed > code.LONG:
        said = f"{_digits(typed - code.LONG)} too many: a token has {code.LONG}."
    elif typed > code.SHORT:
        said = f"{_missing(code.LONG - typed)} of {code.LONG}."
    else:
        short, long = code.SHORT - typed, code.LONG - typed
        said = f"{_missing(short)} of {code.SHORT}, or {long} of {code.LONG}."
    return f"{said} {_COMPARE}"


def _missing(number: int) -> str:
    return f"{_digits(number)} {'is' if number == 1 else 'are'} missing"


def _digits(number: int) -> str:
    return f"{number} digit" if number == 1 else f"{number} digits"
