"""Redeeming: count the entry, look it up, claim it once, credit the wallet, queue the receipt."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

import structlog
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.clock import iso
from gateway.errors import Limited, RaceLost
from gateway.formats import money
from gateway.ledger import wallets
from gateway.ledger.books import Books, Leg
from gateway.ledger.limits import LimitExceeded, Stopped
from gateway.ledger.store import OUTSTANDING, Account
from gateway.outbox import queue
from gateway.tokens import notices, store, witness
from gateway.tokens.changes import Hear, unheard
from gateway.tokens.claims import store as claims
from gateway.tokens.claims.store import Entered
from gateway.tokens.code import InvalidCode, Wrong
from gateway.tokens.guesses import limits
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.keys.rotation import insist_on_all
from gateway.tokens.retire import shown_status
from gateway.tokens.senders import store as senders
from gateway.tokens.store import Status

log = structlog.get_logger()

RECEIPT = "redeemed"  # the outbox template that confirms a redemption
AT_COUNTER = "paid at a counter only"


class Answer(StrEnum):
    """What an anonymous caller is told (T9): one answer for all that is not theirs to redeem."""

    REDEEMED = "redeemed"
    ALREADY_YOURS = "already_yours"
    NOT_VALID = "not_valid"
    SHOP_ONLY = "shop_only"  # the caller's own cash code: nobody else is told
    MISTYPED = "mistyped"
    LIMITED = "limited"
    UNAVAILABLE = "unavailable"
    WALLET_STOPPED = "wallet_stopped"
    WALLET_FULL = "wallet_full"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who enters a token, over what, and in which language."""

    msisdn: str
    channel: str
    language: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer and what belongs to it; amounts and times only for the redeemer."""

    answer: Answer
    serial: str = ""
    amount: Decimal = Decimal("0.00")
    currency: str = ""
    at: datetime | None = None
    balance: Decimal = Decimal("0.00")
    wrong: Wrong | None = None  # with MISTYPED
    until: datetime | None = None  # with LIMITED


class Claimable(Protocol):
    """What a claim needs of a token."""

    @property
    def id(self) -> int:
        """The row's."""

    @property
    def serial(self) -> str:
        """What people call it."""

    @property
    def amount(self) -> Decimal:
        """What it is worth."""

    @property
    def currency(self) -> str:
        """ISO 4217."""

    @property
    def funder_id(self) -> int:
        """The account that paid for it."""


class Redeemer:
    """Redeems tokens into the caller's own wallet."""

    def __init__(self, rings: KeyRings, books: Books, hear: Hear = unheard) -> None:
        self._rings = rings
        self._books = books
        self._hear = hear
        self._no_wallets: set[int] = set()  # funders that read no SMS; what they are never changes

    def redeem(self, connection: Connection, entry: str, caller: Caller, now: datetime) -> Outcome:
        """Redeem what was typed, all within the caller's transaction.

        Nothing of the answer may leave before that transaction's COMMIT has returned. Raises
        `KeyMissing`, `KeyDiffers` instead of calling a token wrong that another process may find.
        """
        try:
            token = limits.typed(connection, entry, caller.msisdn, now)
        except InvalidCode as error:
            return Outcome(Answer.MISTYPED, wrong=error.wrong)
        except Limited as error:
            return Outcome(Answer.LIMITED, until=error.until)
        source = f"phone:{caller.msisdn}"
        try:
            limits.begin(connection, source, limits.PHONE, now)
        except Limited as error:
            return Outcome(Answer.LIMITED, until=error.until)
        outcome, right = self._judge(connection, token, caller, now)
        if right:
            limits.forgive(connection, source)
        return outcome

    def _judge(
        self, connection: Connection, digits: str, caller: Caller, now: datetime
    ) -> tuple[Outcome, bool]:
        """The outcome, and whether the entry was no wrong guess."""
        # Read apart from the token, and first: an answer must not take longer for one that is not.
        withheld = limits.withholds(connection, caller.channel, len(digits), now)
        found = claims.entered(connection, self._rings.lookups(digits), caller.msisdn)
        if len(found) > 1:
            log.error("lookup_clash", serials=[token.serial for token in found])
            return Outcome(Answer.UNAVAILABLE), True
        token = found[0] if found else None
        # Withheld whether or not the token exists, and not counted either way: the limit must
        # not become an oracle.
        if withheld and not (token and token.binding == claims.YOURS):
            return Outcome(Answer.UNAVAILABLE), True
        if token is None:
            insist_on_all(connection, self._rings.lookup)
            limits.miss(connection, caller.channel, len(digits), now)
            return Outcome(Answer.NOT_VALID), False
        if token.redeemed_by_you_at is not None:
            return _yours(token), True
        refusal = _refusal(token, caller, now)
        if refusal:
            # As for an unknown token, or a process that lacks a key would tell the two apart.
            insist_on_all(connection, self._rings.lookup)
            # The caller is not told why (T9), staff can read it.
            trail.record(connection, caller.msisdn, "token.refused", token.serial, now, refusal)
            own = refusal == AT_COUNTER and token.binding == claims.YOURS_AT_COUNTER
            return Outcome(Answer.SHOP_ONLY if own else Answer.NOT_VALID), False
        return self._claim(connection, token, caller, now), True

    def _claim(
        self, connection: Connection, token: Entered, caller: Caller, now: datetime
    ) -> Outcome:
        wallet = token.wallet(caller.msisdn) or wallets.ensure(
            connection, caller.msisdn, token.currency, now
        )
        return self.into(connection, token, wallet, caller, now)

    def into(
        self,
        connection: Connection,
        token: Claimable,
        wallet: Account,
        caller: Caller,
        now: datetime,
        *,
        tells: bool = True,
    ) -> Outcome:
        """Claim a token that is redeemable and locked, for a wallet of the caller's.

        `tells`: its receipt is sent. Raises `RaceLost`.
        """
        balance = wallet.balance if wallet.balance is not None else Decimal("0.00")
        try:
            self._books.limits.insist_credit(wallet, token.amount, now)
        except Stopped:
            return Outcome(Answer.WALLET_STOPPED)
        except LimitExceeded:
            return Outcome(Answer.WALLET_FULL)
        witness.redeemed(token.serial, token.amount, caller.channel, caller.msisdn)
        if not claims.claim(connection, token.id, caller.msisdn, caller.channel, now):
            # Somebody else's claim (or a suspension) came between: judge the new facts.
            raise RaceLost("the token changed while it was being claimed")
        self._credit(connection, token, wallet, now)
        after = balance + token.amount
        if tells:
            _send_receipt(connection, token, caller, after, now)
            self._tell_sender(connection, token, caller, now)
        if not tells or token.funder_id in self._no_wallets:
            self._hear(connection, token, Status.REDEEMED, now)
        return Outcome(
            Answer.REDEEMED, token.serial, token.amount, token.currency, now, balance=after
        )

    def _tell_sender(
        self, connection: Connection, token: Claimable, caller: Caller, now: datetime
    ) -> None:
        """Tell whoever sent the token, and the recipient if somebody else has redeemed it."""
        if token.funder_id in self._no_wallets:
            return
        sent = senders.sent(connection, token.id)
        if sent is None:
            self._no_wallets.add(token.funder_id)
            return
        if sent.sender != caller.msisdn:
            notices.tell(connection, notices.SPENT, token.serial, sent.sender, now)
        if sent.recipient and sent.recipient not in (caller.msisdn, sent.sender):
            notices.tell(connection, notices.TAKEN, token.serial, sent.recipient, now)

    def _credit(
        self, connection: Connection, token: Claimable, wallet: Account, now: datetime
    ) -> None:
        outstanding = self._books.system(connection, OUTSTANDING, token.currency, now)
        self._books.post(
            connection,
            f"redeem:{token.id}",
            "redeem",
            token.serial,
            (Leg(outstanding, -token.amount), Leg(wallet, token.amount)),
            now,
            by_owner=True,
        )


def _send_receipt(
    connection: Connection, token: Claimable, caller: Caller, after: Decimal, now: datetime
) -> None:
    queue.add(
        connection,
        f"redeemed:{token.serial}",
        RECEIPT,
        token.serial,
        caller.msisdn,
        caller.language,
        now,
        {
            "amount": money.display(token.amount, token.currency),
            "balance": money.display(after, token.currency),
            "at": iso(now),
        },
    )


def _refusal(token: Entered, caller: Caller, now: datetime) -> str:
    """Why this caller cannot redeem this token now; empty when they can."""
    status = shown_status(token, now)
    if status != Status.ISSUED:
        return status
    if token.currency == money.TEST_CURRENCY:
        return "test money"
    if token.binding == store.TO_PARTNER:
        return "bound to its partner"
    if token.binding in (store.TO_COUNTER, claims.YOURS_AT_COUNTER):
        return AT_COUNTER
    if token.binding == store.TO_RECIPIENT:
        return "bound to another phone"
    return ""


def _yours(token: Entered) -> Outcome:
    return Outcome(
        Answer.ALREADY_YOURS, token.serial, token.amount, token.currency, token.redeemed_by_you_at
    )
