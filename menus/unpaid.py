"""6 Cashier, what is not paid: every reason has its own screen."""

from collections.abc import Mapping

from gateway.outlets.payments.answers import Stop
from gateway.tokens.tills.pay import Answer
from gateway.ussd.screens import Option, Screen
from menus.desk import Desk
from menus.till import LARGEST

ANOTHER, MINE, VOIDED = "unpaid.another", "unpaid.mine", "unpaid.voided"
LIMITED, WAIT = "unpaid.limited", "unpaid.wait"
SAMPLE = {
    "amount": LARGEST,
    "serial": "K7M29QXD",
    "at": "31/12/2026 23:59",
    "until": "31/12/2026 23:59",
}
# What a cashier is told of a token that is not paid (T9: they are known, so they get the reason).
REFUSALS: Mapping[str, str] = {
    Answer.SUSPENDED: "Do not pay. {amount}, Ref {serial} was stopped by its issuer.",
    Answer.REDEEMED: "Do not pay. {amount}, Ref {serial} was redeemed already.",
    Answer.EXPIRED: "Do not pay. {amount}, Ref {serial} has expired.",
    Answer.CANCELLED: "Do not pay. {amount}, Ref {serial} was cancelled.",
    Answer.OTHER_CURRENCY: "Do not pay. {amount}, Ref {serial} is not in your till's currency.",
    Answer.OF_A_PARTNER: "Do not pay. {amount}, Ref {serial} is redeemed at its issuer alone.",
    Answer.TILL_STOPPED: "Your till is stopped. Nothing was paid. Please call your manager.",
    Answer.TILL_FULL: "Your till has paid what it may in a day. Nothing was paid; the token stays"
    " good.",
    Answer.CUSTOMER_FULL: "This customer has got what your till may pay them in a day. Nothing was"
    " paid; the token stays good.",
    Answer.UNAVAILABLE: "Paying is temporarily unavailable. Nothing was paid. Please try again"
    " later.",
    Stop.FLOAT_LIMIT: "Your till would pay more than its limit. Nothing was paid; the token stays"
    " good.",
    Stop.SHIFT_CLOSED: "Your till is counted or closed. Nothing was paid.",
    Stop.TOO_OLD: "You looked at this token too long ago. Nothing was paid. Please enter it again.",
    Stop.PAUSED: "Paying is paused. Nothing was paid; the token stays good. Please try again"
    " later.",
}
# Where else an answer leads to. Of PAYABLE and PAID the payment says the rest.
WAYS: Mapping[str, str] = {
    Answer.ANOTHER_PHONE: ANOTHER,
    Answer.LIMITED: WAIT,
    **{answer: f"unpaid.{answer}" for answer in REFUSALS},
}


def screens(_: Desk) -> tuple[Screen, ...]:
    """Every way to end without a payment of this turn."""
    return (
        Screen(
            MINE,
            text="Your till paid {amount} already, at {at}. Ref {serial}\nDo not pay it twice.",
            ends=True,
            sample=SAMPLE,
        ),
        Screen(
            VOIDED,
            text="Do not pay. Your manager took this payment back: {amount}, Ref {serial}",
            ends=True,
            sample=SAMPLE,
        ),
        Screen(
            ANOTHER,
            text="{amount}, Ref {serial} is for another number. Nothing was paid.",
            options=(Option("1", "Enter the number again", "cashier.phone"),),
            sample=SAMPLE,
        ),
        Screen(
            LIMITED,
            text="Too many wrong tokens. Nothing was paid. Please try again after {until}.",
            ends=True,
            sample=SAMPLE,
        ),
        Screen(
            WAIT,
            text="Too many wrong entries. Nothing was paid. Please try again in an hour.",
            ends=True,
        ),
        *(
            Screen(f"unpaid.{answer}", text=text, ends=True, sample=SAMPLE)
            for answer, text in REFUSALS.items()
        ),
    )
