"""What the replies to SMS say: one segment each, in the language of who wrote."""

from collections.abc import Mapping
from functools import partial

from sqlalchemy import Connection

from gateway.outbox.sending import Text
from gateway.outbox.store import Message
from gateway.sms import texts
from gateway.tokens.redeem import Answer
from menus import pin, tokens, wallet
from menus.desk import Desk
from menus.redeem import PAUSED

NOTE = "note"  # the outbox template of a reply
PAUSED_NOTE = "paused"
HELP, HELP_WITHOUT_BALANCE = "help", "help_without_balance"
LEFT = "pin_left_"  # ends with the number of tries

# A word in capitals is one of words.py; a translation names its own language's.
NOTES: Mapping[str, str] = {
    Answer.ALREADY_YOURS.value: "You redeemed this token already: {amount} on {at}.\nRef {serial}",
    Answer.NOT_VALID.value: "This token cannot be redeemed. Please check the digits, or ask whoever"
    " gave it to you.",
    Answer.SHOP_ONLY.value: "Only a shop pays this code.",
    Answer.MISTYPED.value: "The token is incomplete or mistyped. A token has 18 or 11 digits.",
    Answer.LIMITED.value: "Too many wrong tokens. Please try again after {until}.",
    Answer.UNAVAILABLE.value: "Redeeming is temporarily unavailable. Your token is safe. Please try"
    " again later.",
    Answer.WALLET_STOPPED.value: "Your wallet cannot receive money now. Your token is safe."
    "{call_us}",
    Answer.WALLET_FULL.value: "Your wallet cannot take so much now: it would pass its limit. Your"
    " token is safe.{call_us}",
    PAUSED_NOTE: PAUSED,
    "several": "Nothing was redeemed. Please send one token in each SMS.",
    HELP: "Send a token to redeem it, RESEND for its SMS, BAL for your balance, STOP to end"
    " notices. Or dial {dial}.{call_us}",
    HELP_WITHOUT_BALANCE: "Send a token to redeem it, RESEND for its SMS, STOP to end notices. Or"
    " dial {dial}.{call_us}",
    "stopped": "You get no more notices, only tokens, receipts and warnings. Send START to get"
    " notices again.",
    "started": "You get notices again. Send STOP to end them.",
    "balance": "Balance {balance}{pending}",
    "balance_off": "We do not tell balances by SMS. Please dial {dial}.",
    "unverified": "Before we show this we must make sure that this is still your number.{call_us}",
    "pin_needed": "Send BAL, a space and your PIN. Then delete that SMS. Or dial {dial}.",
    "pin_form": pin.FORM,
    **{f"{LEFT}{left}": text for left, text in pin.LEFT.items()},
    "pin_locked": "Too many wrong PINs. Please try again after {until}.",
    "pin_closed": "Your PIN is locked after too many wrong tries.{call_us}",
    "none_waiting": tokens.NONE,
    "no_serial": "This is no reference. It stands behind Ref, such as K7M29QXD. Send RESEND alone"
    " for your latest token.",
    "resent_elsewhere": "If token {serial} is waiting, its SMS goes again to the number it was sent"
    " to.",
    "resend_limited": "This token was sent several times already. Please try again in an hour.",
}
SAMPLE = {
    "amount": wallet.LARGEST,
    "at": "31/12/2026 23:59",
    "serial": "K7M29QXD",
    "call_us": pin.CALL,
    "until": "31/12/2026 23:59",
    "dial": "*384*12345#",
    "balance": wallet.LARGEST,
    "pending": f"\nPending {wallet.LARGEST}",
}


def written(desk: Desk, service_code: str, connection: Connection, message: Message) -> Text:
    """The text of a reply, for sending now; a language chosen since they wrote comes first."""
    to, answered_in = message.recipient, message.language
    language = desk.subscribers.chosen_language(connection, to, answered_in)
    say = partial(desk.languages.text, language)
    held = message.details.get("held")
    values = {
        **message.details,
        "call_us": desk.call_us(say),
        "dial": service_code,
        "pending": f"\n{say(wallet.PENDING, amount=held)}" if held else "",
    }
    return Text(texts.fit(say, NOTES[message.details["note"]], values))
