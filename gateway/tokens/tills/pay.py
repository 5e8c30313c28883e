"""Paying a token out at a counter: the cashier's entries are counted, the agent's caps hold."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

import structlog
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import Limited, RaceLost
from gateway.ledger import store as ledger_store
from gateway.ledger.books import Books, Leg
from gateway.ledger.limits import LimitExceeded, Stopped
from gateway.ledger.store import OUTSTANDING, Account
from gateway.tokens import notices, store
from gateway.tokens.claims import store as claims
from gateway.tokens.code import InvalidCode, Wrong
from gateway.tokens.guesses import limits
from gateway.tokens.guesses.limits import Allowance
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.keys.rotation import insist_on_all
from gateway.tokens.retire import shown_status
from gateway.tokens.senders import store as senders
from gateway.tokens.store import Status, Token
from gateway.tokens.tills import store as tills

log = structlog.get_logger()

CHANNEL = "counter"
CASHIER = Allowance(20, 60)  # wrong entries: a cashier types for a whole queue


class Answer(StrEnum):
    """What a cashier is told (T9): they are known by name, so they get the reason."""

    PAID = "paid"
    UNKNOWN = "unknown"
    MISTYPED = "mistyped"
    LIMITED = "limited"
    UNAVAILABLE = "unavailable"
    SUSPENDED = "suspended"
    REDEEMED = "redeemed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    OTHER_CURRENCY = "other_currency"
    OF_A_PARTNER = "of_a_partner"  # bound to whoever issued it
    ANOTHER_PHONE = "another_phone"  # bound to a phone that is not the customer's
    TILL_STOPPED = "till_stopped"
    TILL_FULL = "till_full"  # the agent's cap of the day
    CUSTOMER_FULL = "customer_full"  # the agent's cap of this customer's day


@dataclass(frozen=True, slots=True)
class Paid:
    """The answer and what belongs to it."""

    answer: Answer
    serial: str = ""
    amount: Decimal = Decimal("0.00")
    currency: str = ""
    wrong: Wrong | None = None  # with MISTYPED
    until: datetime | None = None  # with LIMITED
    most: Decimal | None = None  # with TILL_FULL and CUSTOMER_FULL: what could be paid now


class TillPayer:
    """Pays tokens out of tills."""

    def __init__(self, rings: KeyRings, books: Books, per_customer: Decimal | None = None) -> None:
        """`per_customer` is what a till may pay one customer in a local day; None: no cap."""
        self._rings = rings
        self._books = books
        self._per_customer = per_customer

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
        source = f"cashier:{cashier}"
        try:
            digits = limits.typed(connection, entry, source, now)
            limits.begin(connection, source, CASHIER, now)
        except InvalidCode as error:
            return Paid(Answer.MISTYPED, wrong=error.wrong)
        except Limited as error:
            return Paid(Answer.LIMITED, until=error.until)
        paid, right = self._judge(connection, digits, till, cashier, customer, now)
        if right:
            limits.forgive(connection, source)
        return paid

    def _judge(
        self,
        connection: Connection,
        digits: str,
        till: Account,
        cashier: str,
        customer: str,
        now: datetime,
    ) -> tuple[Paid, bool]:
        """The answer, and whether the entry was no wrong guess."""
        withheld = limits.withholds(connection, CHANNEL, len(digits), now)
        found = tills.entered(connection, self._rings.lookups(digits))
        if len(found) > 1:
            log.error("lookup_clash", serials=[token.serial for token in found])
            return Paid(Answer.UNAVAILABLE), True
        token = found[0] if found else None
        is_theirs = token is not None and _is_bound_to(token, customer)
        if withheld and not is_theirs:
            return Paid(Answer.UNAVAILABLE), True
        if token is None:
            insist_on_all(connection, self._rings.lookup)
            limits.miss(connection, CHANNEL, len(digits), now)
            return Paid(Answer.UNKNOWN), False
        refusal = _refusal(token, till, customer, now)
        if refusal is not None:
            trail.record(connection, cashier, "token.refused", token.serial, now, refusal)
            return Paid(refusal, token.serial, token.amount, token.currency), False
        return self._claim(connection, token, till, cashier, customer, now), True

    def _claim(
        self,
        connection: Connection,
        token: Token,
        till: Account,
        cashier: str,
        customer: str,
        now: datetime,
    ) -> Paid:
        fresh = ledger_store.by_id(connection, till.id)
        facts = (token.serial, token.amount, token.currency)
        try:
            self._books.limits.insist_credit(fresh, token.amount, now)
        except Stopped:
            return Paid(Answer.TILL_STOPPED, *facts)
        except LimitExceeded as error:
            return Paid(Answer.TILL_FULL, *facts, most=error.most)
        # The first write of the payment, and a guarded one: refused, it leaves nothing behind.
        most = self._room_of(connection, token, fresh, customer, now)
        if most is not None:
            return Paid(Answer.CUSTOMER_FULL, *facts, most=most)
        if not claims.claim(connection, token.id, fresh.owner, CHANNEL, now):
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
        _tell_sender(connection, token, now)
        return Paid(Answer.PAID, *facts)

    def _room_of(
        self, connection: Connection, token: Token, till: Account, customer: str, now: datetime
    ) -> Decimal | None:
        """None once the payment counts for the customer's day; else what it could still be."""
        most = self._per_customer
        if most is None:
            return None
        # Whom the token names is the customer, whatever number the cashier enters.
        named = token.recipient if token.binding == store.TO_COUNTER else None
        whose, day = named or customer, self._books.limits.today(now)
        if tills.count_within(connection, till.id, whose, day, token.amount, most):
            return None
        paid = tills.paid(connection, till.id, whose, day)
        return most - (paid or Decimal("0.00"))


def _is_bound_to(token: Token, customer: str) -> bool:
    bound = token.binding in (store.TO_RECIPIENT, store.TO_COUNTER)
    return bound and token.recipient == customer


def _refusal(token: Token, till: Account, customer: str, now: datetime) -> Answer | None:
    """Why a token is not paid at this counter to this customer; None when it is."""
    status = shown_status(token, now)
    if status != Status.ISSUED:
        return Answer(status)
    if token.currency != till.currency:
        return Answer.OTHER_CURRENCY
    if token.binding == store.TO_PARTNER:
        return Answer.OF_A_PARTNER
    if token.binding == store.TO_RECIPIENT and token.recipient != customer:
        return Answer.ANOTHER_PHONE
    return None


def _tell_sender(connection: Connection, token: Token, now: datetime) -> None:
    """Tell whoever paid for the token, also of their own cash: the code may have been stolen."""
    sent = senders.sent(connection, token.id)
    if sent is not None:
        notices.tell(connection, notices.SPENT, token.serial, sent.sender, now)
