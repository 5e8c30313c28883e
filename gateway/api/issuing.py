"""Issuing from partners' floats, whoever asks for it: within what is agreed with the partner."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy import Connection

from gateway.api import floats, low_floats
from gateway.api.low_floats import LowFloat
from gateway.database import after
from gateway.errors import BadInput
from gateway.formats import money, msisdn
from gateway.ledger import store as ledger
from gateway.ledger.books import ZERO, Books
from gateway.ledger.limits import LimitExceeded
from gateway.ledger.store import Account
from gateway.partners import profiles, testing
from gateway.partners.terms import change
from gateway.partners.terms import store as terms_store
from gateway.tokens import code, issue, store
from gateway.tokens.issue import Issued, Issuer, Order

log = structlog.get_logger()

CAPS = {"debit": "token_max", "debits_a_day": "day_max"}  # the ledger's names, and a profile's


@dataclass(frozen=True, slots=True)
class Wish:
    """What a partner wants issued, as it came; absent things are None."""

    amount: str
    recipient: str | None = None
    issue_ref: str | None = None
    digits: int = code.LONG
    bound: bool = False
    expires_at: datetime | None = None
    deliver: bool = True
    language: str | None = None
    sender_name: str | None = None


@dataclass(frozen=True, slots=True)
class Country:
    """What this deployment takes for granted."""

    code: str  # whose numbers are written without a country code
    currency: str
    zone: ZoneInfo
    languages: tuple[str, ...]


TellLow = Callable[[Connection, LowFloat, datetime], None]


class Issuing:
    """Issues for partners; every method works in the caller's transaction."""

    def __init__(
        self, issuer: Issuer, books: Books, country: Country, tell_low: TellLow = low_floats.tell
    ) -> None:
        self._issuer = issuer
        self._books = books
        self.country = country
        self._tell_low = tell_low

    def currency(self, owner: str) -> str:
        """What an owner's money is in."""
        return money.TEST_CURRENCY if testing.code_of(owner)[1] else self.country.currency

    def expires_at(self, connection: Connection, owner: str, now: datetime) -> datetime:
        """When a token ends of which nobody says it: as agreed, or as everybody's."""
        agreed = terms_store.of(connection, testing.code_of(owner)[0]).expiry
        return issue.expiry(agreed or issue.DEFAULT_PERIOD, now, self.country.zone)

    def order(
        self, connection: Connection, owner: str, actor: str, wish: Wish, now: datetime
    ) -> Order:
        """What a wish comes to. Raises `BadInput`, `PartnerSuspended`."""
        of, is_test = testing.code_of(owner)
        partner = profiles.insist_active(connection, of)
        if wish.language is not None and wish.language not in self.country.languages:
            raise BadInput(f"language is one of {', '.join(self.country.languages)}")
        recipient = self._recipient(wish.recipient, is_test)
        if recipient is None and wish.deliver:
            raise BadInput("deliver needs a recipient")
        return Order(
            amount=money.parse(wish.amount),
            currency=self.currency(owner),
            expires_at=wish.expires_at or self.expires_at(connection, owner, now),
            digits=wish.digits,
            recipient=recipient,
            issuer=owner,
            issue_ref=wish.issue_ref or "",
            binding=_binding(wish.bound, recipient),
            language=wish.language,
            sender_name=wish.sender_name or partner.name[: issue.SENDER_NAME_MAX],
            deliver=wish.deliver and not is_test,
            actor=actor,
            reveal=not wish.deliver,
        )

    def issue(self, connection: Connection, order: Order, now: datetime) -> Issued:
        """Issue one token from the float of the order's issuer, within its caps.

        Raises what `Issuer.issue` does, `PartnerSuspended`, `InsufficientFunds`, `LimitExceeded`.
        """
        of, _ = testing.code_of(order.issuer)
        profiles.insist_active(connection, of)
        terms = terms_store.of(connection, of)
        payer = floats.payer(
            connection, self._books, order.issuer, order.amount, order.currency, now
        )
        named = order.issue_ref or issue.new_issue_ref()
        within = replace(order, caps=change.caps(terms), issue_ref=named)
        try:
            issued = self._issuer.issue(connection, within, now, payer)
        except LimitExceeded as error:
            raise LimitExceeded(CAPS.get(error.cap, error.cap), error.most) from error
        if terms.low_float is not None:
            self._look(connection, payer, within, issued.serial, terms.low_float, now)
        return issued

    def _look(
        self,
        connection: Connection,
        payer: Account,
        order: Order,
        serial: str,
        low_float: Decimal,
        now: datetime,
    ) -> None:
        """Alarm once when the float falls below: its row is ours, so one issue alone crosses."""
        left = ledger.by_id(connection, payer.id).balance or ZERO
        if not left < low_float <= left + order.amount:
            return
        about = (payer.currency, serial, order.amount, order.issue_ref)
        low = LowFloat(payer.owner, left, low_float, *about)
        self._tell_low(connection, low, now)
        if payer.currency != money.TEST_CURRENCY:  # which fills itself: nobody need come
            after.commit(lambda: log.error("float_low", owner=low.owner, balance=money.plain(left)))

    def _recipient(self, given: str | None, is_test: bool) -> str | None:
        if given is None:
            return None
        phone = msisdn.parse(given, self.country.code)
        return testing.nobody(phone) if is_test else phone


def _binding(bound: bool, recipient: str | None) -> str:
    if not bound:
        return store.UNBOUND
    return store.TO_PARTNER if recipient is None else store.TO_RECIPIENT
