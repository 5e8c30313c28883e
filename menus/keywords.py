"""SMS keywords: a bare token, or REDEEM and a token."""

import re
from datetime import datetime, timedelta
from functools import partial

import structlog
from sqlalchemy import Connection

from gateway.formats import money
from gateway.outbox import queue, store
from gateway.outbox.sending import Text
from gateway.outbox.store import Message
from gateway.sms import texts
from gateway.switches import board
from gateway.tokens import code
from gateway.tokens.redeem import Answer, Caller, Outcome
from menus.desk import Desk
from menus.redeem import PAUSED

log = structlog.get_logger()

CHANNEL = "sms"
NOTE = "note"  # the outbox template of a reply
PAUSED_NOTE = "paused"
# The word in any case, what people put behind it, and the token; not "redeemed".
REDEEM = re.compile(r"redeem(?![^\W\d_])[\s:;,=.-]*(.*)", re.IGNORECASE | re.DOTALL)
DIGITS_MIN = 6  # fewer digits than this are talk, not an attempt at a token
REPLIES_AN_HOUR = 10  # to one phone: a machine at the other end must not run up a bill
HOUR = timedelta(hours=1)
NOTES = {
    Answer.ALREADY_YOURS: "You redeemed this token already: {amount} on {at}.\nRef {serial}",
    Answer.NOT_VALID: "This token cannot be redeemed. Please check the digits, or ask whoever gave"
    " it to you.",
    Answer.SHOP_ONLY: "Only a shop pays this code.",
    Answer.MISTYPED: "The token is incomplete or mistyped. A token has 18 or 11 digits.",
    Answer.LIMITED: "Too many wrong tokens. Please try again after {until}.",
    Answer.UNAVAILABLE: "Redeeming is temporarily unavailable. Your token is safe. Please try again"
    " later.",
    Answer.WALLET_STOPPED: "Your wallet cannot receive money now. Your token is safe.{call_us}",
    Answer.WALLET_FULL: "Your wallet cannot take so much now: it would pass its limit. Your token"
    " is safe.{call_us}",
}
SAMPLE = {
    "amount": "NGN 9999999999999999.99",
    "at": "31/12/2026 23:59",
    "serial": "K7M29QXD",
    "call_us": " Please call +234 800 000 0000.",
    "until": "31/12/2026 23:59",
}


class Keywords:
    """Acts on inbound SMS; replies through the outbox."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def act(self, connection: Connection, msisdn: str, text: str, row: int, now: datetime) -> str:
        """What one message does; the outcome's name. A redemption's receipt is its reply."""
        entry = _token_in(text)
        if entry is None:
            return "ignored"
        language = self._desk.subscribers.language(connection, msisdn)
        caller = Caller(msisdn, CHANNEL, language)
        if self._desk.is_paused(connection, board.REDEEM):  # before it counts as a guess
            self._reply_paused(connection, caller, row, now)
            return PAUSED_NOTE
        outcome = self._desk.redeemer.redeem(connection, entry, caller, now)
        if outcome.answer is not Answer.REDEEMED:
            self._reply(connection, outcome, caller, row, now)
        return outcome.answer.value

    def _reply(
        self, connection: Connection, outcome: Outcome, caller: Caller, row: int, now: datetime
    ) -> None:
        zone = self._desk.zone
        details = {"note": outcome.answer.value, "serial": outcome.serial}
        cause = f"inbound:{row}"
        if outcome.at is not None:
            details |= {
                "amount": money.display(outcome.amount, outcome.currency),
                "at": texts.minute(outcome.at, zone),
            }
        if outcome.until is not None:
            details["until"] = texts.minute(outcome.until, zone)
            # Said once: answering every text of a phone that goes on guessing costs money.
            cause = f"limited:{caller.msisdn}:{details['until']}"
        if not self._may_reply(connection, caller.msisdn, now):
            return
        queue.add_once(
            connection, cause, NOTE, outcome.serial, caller.msisdn, caller.language, now, details
        )

    def _reply_paused(
        self, connection: Connection, caller: Caller, row: int, now: datetime
    ) -> None:
        if self._may_reply(connection, caller.msisdn, now):
            to, details = caller.msisdn, {"note": PAUSED_NOTE}
            queue.add_once(
                connection, f"inbound:{row}", NOTE, "", to, caller.language, now, details
            )

    def _may_reply(self, connection: Connection, msisdn: str, now: datetime) -> bool:
        sent = store.count_to_since(connection, msisdn, NOTE, now - HOUR)
        if sent >= REPLIES_AN_HOUR:
            log.warning("sms_not_answered", msisdn=msisdn)
        return sent < REPLIES_AN_HOUR


def note(desk: Desk, _: Connection, message: Message) -> Text:
    """The text of a reply, for sending now."""
    say = partial(desk.languages.text, message.language)
    said = message.details["note"]
    msgid = PAUSED if said == PAUSED_NOTE else NOTES[Answer(said)]
    values = {**message.details, "call_us": desk.call_us(say)}
    return Text(texts.fit(say, msgid, values))


def _token_in(text: str) -> str | None:
    """What a text offers as a token; None when it offers none.

    >>> _token_in("Redeem: 4907 5029"), _token_in("490 750"), _token_in("REDEEM")
    ('4907 5029', '490 750', ' ')
    >>> _token_in("redeemed 490750"), _token_in("see you at 8"), _token_in("12345")
    (None, None, None)
    """
    words = text.strip()
    asked = REDEEM.match(words)
    if asked is not None:
        return asked[1] or " "
    bare = code.compact(words)
    return words if bare.isdigit() and len(bare) >= DIGITS_MIN else None
