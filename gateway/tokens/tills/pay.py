"""Paying a token out at a counter: the cashier's entries are counted, the agent's caps hold."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import structlog
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import Limited, RaceLost
from gateway.ledger import store as ledger_store
from gateway.ledger.books import Books, Leg
from gateway.ledger.limits import LimitExceeded, Stopped
from gateway.ledger.store import OUTSTANDING, Account
from gateway.tokens import changes, notices, store, witness
from gateway.tokens.claims import store as claims
from gateway.tokens.code import InvalidCode
from gateway.tokens.guesses import limits
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.keys.rotation import insist_on_all
from gateway.tokens.retire import shown_status
from gateway.tokens.senders import store as senders
from gateway.tokens.store import Status, Token
from gateway.tokens.tills import store as tills
from gateway.tokens.tills.answers import Answer as Answer
from gateway.tokens.tills.answers import Paid as Paid
from gateway.tokens.tills.room import CASHIER as CASHIER
from gateway.tokens.tills.room import Room, source_of

log = structlog.get_logger()

CHANNEL = "counter"


class TillPayer:
    """Pays tokens out of tills."""

    def __init__(
        self,
        rings: KeyRings,
        books: Books,
        per_customer: Decimal | None = None,
        hear: changes.Hear = changes.unheard,
    ) -> None:
        """`per_customer` is what a till may pay one customer in a local day; None: no cap."""
        self._rings = rings
        self._books = books
        self._hear = hear
        self._per_customer = per_customer
        self.room = Room(books, per_customer)

    def look_up(
        self,
        connection: Connection,
        entry: str,
        till: Account,
        cashier: str,
        now: datetime,
        customer: str = "",
    ) -> Paid:
        """Whether what was typed could be paid at this till, and what it is; nothing is claimed.

        It counts as a guess, which one that is payable gives back. A phone-bound token is payable
        as long as no other number than its recipient's was given. Nothing of the answer may leave
        before the caller's COMMIT has returned. Raises `KeyMissing` and `KeyDiffers`.
        """
        return self._looked_up(connection, entry, till, cashier, customer or None, now)[0]

    def pay(
        self,
        connection: Connection,
        entry: str,
        till: Account,
        cashier: str,
        customer: str,
        now: datetime,
    ) -> Paid:
        """Claim what was typed and credit the till, all within the caller's transaction.

        `cashier` names who types, `customer` is the phone (E.164) of whoever is paid. A refused
        token stays as it was. Nothing of the answer may leave before that transaction's COMMIT
        has returned. Raises `KeyMissing` and `KeyDiffers`.
        """
        found, token = self._looked_up(connection, entry, till, cashier, customer, now)
        if token is None:
            return found
        return self._claim(connection, token, till, cashier, customer, now, CHANNEL)

    def pay_token(
        self,
        connection: Connection,
        token_id: int,
        till: Account,
        cashier: str,
        customer: str,
        now: datetime,
        channel: str,
        partner: str = "",
    ) -> Paid:
        """The same for a token that was looked up; another number than its own is a wrong guess.

        `partner` pays at a till of its outlet, with keys whose misses were counted before: also
        what is bound to it is paid.
        """
        source, token = source_of(cashier), store.by_id(connection, token_id)
        guesses = token.binding == store.TO_RECIPIENT and not partner
        if guesses:
            try:
                limits.begin(connection, source, CASHIER, now)
            except Limited as error:
                return replace(_facts(token, Answer.LIMITED), until=error.until)
        token = store.locked(connection, token_id)
        refusal = _refusal(token, till, customer, now, partner)
        if guesses and refusal is not Answer.ANOTHER_PHONE:
            limits.forgive(connection, source)
        if refusal is not None:
            trail.record(connection, cashier, "token.refused", token.serial, now, refusal)
            return _facts(token, refusal)
        return self._claim(connection, token, till, cashier, customer, now, channel)

    def _looked_up(
        self,
        connection: Connection,
        entry: str,
        till: Account,
        cashier: str,
        customer: str | None,
        now: datetime,
    ) -> tuple[Paid, Token | None]:
        """What is said of an entry, and the token that is payable."""
        source = source_of(cashier)
        try:
            digits = limits.typed(connection, entry, source, now)
            limits.begin(connection, source, CASHIER, now)
        except InvalidCode as error:
            return Paid(Answer.MISTYPED, wrong=error.wrong), None
        except Limited as error:
            return Paid(Answer.LIMITED, until=error.until), None
        found, token = self._judge(connection, digits, till, cashier, customer, now)
        # With a number it may be a guess at the tokens of that phone.
        if found.answer is Answer.PAYABLE or (found.answer is Answer.UNAVAILABLE and not customer):
            limits.forgive(connection, source)
        return found, token

    def _judge(
        self,
        connection: Connection,
        digits: str,
        till: Account,
        cashier: str,
        customer: str | None,
        now: datetime,
    ) -> tuple[Paid, Token | None]:
        withheld = limits.withholds(connection, CHANNEL, len(digits), now)
        found = tills.entered(connection, self._rings.lookups(digits))
        if len(found) > 1:
            log.error("lookup_clash", serials=[token.serial for token in found])
            return Paid(Answer.UNAVAILABLE), None
        token = found[0] if found else None
        if withheld and not (token and _is_bound_to(token, customer)):
            return Paid(Answer.UNAVAILABLE), None
        if token is None:
            insist_on_all(connection, self._rings.lookup)
            limits.miss(connection, CHANNEL, len(digits), now)
            return Paid(Answer.UNKNOWN), None
        refusal = _refusal(token, till, customer, now)
        if refusal is not None:
            trail.record(connection, cashier, "token.refused", token.serial, now, refusal)
            return _facts(token, refusal), None
        return self.payable(token), token

    def payable(self, token: Token) -> Paid:
        """What is said of a token that can be paid."""
        return replace(_facts(token, Answer.PAYABLE), asks_phone=self._asks_phone(token))

    def _asks_phone(self, token: Token) -> bool:
        """Whether somebody must be named: the recipient, or whose day it counts for."""
        if token.binding == store.TO_COUNTER:
            return False
        return token.binding == store.TO_RECIPIENT or self._per_customer is not None

    def _claim(
        self,
        connection: Connection,
        token: Token,
        till: Account,
        cashier: str,
        customer: str,
        now: datetime,
        channel: str,
    ) -> Paid:
        fresh = ledger_store.by_id(connection, till.id)
        try:
            self._books.limits.insist_credit(fresh, token.amount, now)
        except Stopped:
            return _facts(token, Answer.TILL_STOPPED)
        except LimitExceeded as error:
            return replace(_facts(token, Answer.TILL_FULL), most=error.most)
        # The first write of the payment, and a guarded one: refused, it leaves nothing behind.
        most = self._room_of(connection, token, fresh, customer, now)
        if most is not None:
            return replace(_facts(token, Answer.CUSTOMER_FULL), most=most)
        witness.redeemed(token.serial, token.amount, channel, fresh.owner)
        if not claims.claim(connection, token.id, fresh.owner, channel, now):
            raise RaceLost("the token changed while it was being claimed")
        outstanding = self._books.system(connection, OUTSTANDING, token.currency, now)
        self._books.post(
            connection,
            f"redeem:{token.id}",
            "redeem",
            token.serial,
            (Leg(outstanding, -token.amount), Leg(fresh, token.amount)),
            now,
        )
        trail.record(connection, cashier, "token.pay", token.serial, now)
        if not _tell_sender(connection, token, now):
            self._hear(connection, token, Status.REDEEMED, now)
        return _facts(token, Answer.PAID)

    def _room_of(
        self, connection: Connection, token: Token, till: Account, customer: str, now: datetime
    ) -> Decimal | None:
        """None once the payment counts for the customer's day; else what it could still be."""
        most = self._per_customer
        if most is None:
            return None
        whose, day = _customer(token, customer), self._books.limits.today(now)
        if tills.count_within(connection, till.id, whose, day, token.amount, most):
            return None
        return self.room.of_customer(connection, till.id, whose, now)

    def take_back(
        self, connection: Connection, token: Token, till: int, customer: str, paid_at: datetime
    ) -> None:
        """What a till has paid counts for the customer's day no more: it was voided."""
        whose, day = _customer(token, customer), self._books.limits.today(paid_at)
        tills.count_less(connection, till, whose, day, token.amount)


def _customer(token: Token, entered: str) -> str:
    """Whom the token names is the customer, whatever number the cashier enters."""
    named = token.recipient if token.binding == store.TO_COUNTER else None
    return named or entered


def _facts(token: Token, answer: Answer) -> Paid:
    return Paid(answer, token.serial, token.amount, token.currency, token.id)


def _is_bound_to(token: Token, customer: str | None) -> bool:
    return token.recipient == customer and token.binding in (store.TO_RECIPIENT, store.TO_COUNTER)


def _refusal(
    token: Token, till: Account, customer: str | None, now: datetime, partner: str = ""
) -> Answer | None:
    """Why a token is not paid at this counter to this customer, or to anybody; None when it is."""
    status = shown_status(token, now)
    if status != Status.ISSUED:
        return Answer(status)
    if token.currency != till.currency:
        return Answer.OTHER_CURRENCY
    if token.binding == store.TO_PARTNER and token.issuer != partner:
        return Answer.OF_A_PARTNER
    if customer is not None and token.binding == store.TO_RECIPIENT and token.recipient != customer:
        return Answer.ANOTHER_PHONE
    return None


def _tell_sender(connection: Connection, token: Token, now: datetime) -> bool:
    """Whether a wallet paid for it, whose owner is told: also their own cash may be stolen."""
    sent = senders.sent(connection, token.id)
    if sent is not None:
        notices.tell(connection, notices.SPENT, token.serial, sent.sender, now)
    return sent is not None
