"""Reprinting: the same digits derived again, proved against the row before anyone sees them."""

import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput, DerivationMismatch
from gateway.formats import gsm7, money
from gateway.outbox import queue
from gateway.outbox import store as outbox_store
from gateway.sms import texts
from gateway.tokens import code, store
from gateway.tokens.issue import DELIVERY
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.retire import WrongState, shown_status
from gateway.tokens.store import Status, Token

log = structlog.get_logger()

RESENDS_AN_HOUR = 3
HOUR = timedelta(hours=1)


class ResendLimited(BadInput):
    """The token was sent often enough for now."""


class SentAlready(BadInput):
    """The token was sent again since whoever asks has looked."""


class NoRecipient(BadInput):
    """The token has no phone it could be sent to."""


class Reprinter:
    """Derives a stored token's digits again."""

    def __init__(self, rings: KeyRings) -> None:
        self._rings = rings

    def digits(self, token: Token) -> str:
        """The digits of a token, for showing or sending now.

        Raises `DerivationMismatch` (after an alarm) when they do not match the row, and
        `KeyMissing`.
        """
        key = self._rings.generate.key(token.generate_kid)
        again = code.derive(
            key, token.generate_kid, token.digits, token.issue_ref, token.txn_id, token.counter
        )
        expected = self._rings.lookup_digest(token.lookup_kid, again)
        if not hmac.compare_digest(expected, token.lookup):
            log.error("derivation_mismatch", serial=token.serial)
            raise DerivationMismatch(f"token {token.serial} does not derive to its row")
        return again

    def reprint(
        self, connection: Connection, token: Token, actor: str, reason: str, now: datetime
    ) -> str:
        """The digits, with the reprint counted and recorded. Raises `WrongState` too."""
        fresh = store.locked(connection, token.id)
        _refuse_dead(fresh, now)
        again = self.digits(fresh)
        store.count_reprint(connection, token.id)
        trail.record(connection, actor, "token.reprint", token.serial, now, reason)
        return again

    def resend(
        self,
        connection: Connection,
        token: Token,
        actor: str,
        now: datetime,
        reason: str = "",
        seen: int | None = None,
    ) -> None:
        """Queue the token's SMS once more, to its recorded recipient, whoever asks.

        `seen` is its number of reprints when they looked, which makes the wish one that is spent
        once; None: whatever it was. Raises `SentAlready`, `WrongState`, `NoRecipient`,
        `ResendLimited`, `DerivationMismatch`.
        """
        # Locked, so that two resends cannot pass the limit together. All refusals come before the
        # first write: a menu that catches one commits its transaction.
        fresh = store.locked(connection, token.id)
        if seen is not None and fresh.reprints != seen:
            raise SentAlready("it was sent again since this page was made: look at its history")
        _refuse_dead(fresh, now)
        if fresh.recipient is None:
            raise NoRecipient("the token has no recipient")
        if fresh.currency == money.TEST_CURRENCY:
            raise NoRecipient("its recipient is nobody: it is test money")
        self.digits(fresh)
        sent = outbox_store.count_about_since(connection, token.serial, DELIVERY, now - HOUR)
        if sent >= RESENDS_AN_HOUR:
            raise ResendLimited("the token was sent often enough for now")
        store.count_reprint(connection, token.id)
        cause, language = f"deliver:{token.serial}:{fresh.reprints + 1}", fresh.language or ""
        queue.add(connection, cause, DELIVERY, token.serial, fresh.recipient, language, now)
        trail.record(connection, actor, "token.resend", token.serial, now, reason)


@dataclass(frozen=True, slots=True)
class SmsFacts:
    """What the token's SMS says besides the token itself."""

    sender: str  # who the token is from, when it does not name one
    service_code: str
    help_number: str
    zone: ZoneInfo


def sms_text(
    token: Token, digits: str, facts: SmsFacts, say: texts.Say, own: str | None = None
) -> str:
    """The SMS that carries a token: from whom, how much, the digits, how to redeem, until when.

    `own` is its issuer's text, in the language already.
    """
    template = texts.DELIVERY if facts.help_number else texts.DELIVERY_WITHOUT_HELP
    if token.binding == store.TO_COUNTER:
        template = texts.CASH
    elif own is not None:
        template, say = own, texts.filled
    return texts.fit(
        say,
        template,
        {
            "sender": gsm7.transliterate(token.sender_name or "").strip() or facts.sender,
            "amount": money.display(token.amount, token.currency),
            "token": code.grouped(digits),
            "dial": dial_string(facts.service_code, digits),
            "expiry": texts.until(token.expires_at, facts.zone),
            "serial": token.serial,
            "help": facts.help_number,
        },
    )


def dial_string(service_code: str, digits: str) -> str:
    """The code that redeems a token in one dial.

    >>> dial_string("*384*1#", "08703809007")
    '*384*1*1*08703809007#'
    """
    return f"{service_code.rstrip('#')}*1*{digits}#"


def _refuse_dead(token: Token, now: datetime) -> None:
    status = shown_status(token, now)
    if status != Status.ISSUED:
        raise WrongState(status)
