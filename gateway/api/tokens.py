"""A partner's tokens: issued from its float, read, reprinted, suspended, resumed, cancelled."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from gateway.api import floats
from gateway.clock import iso
from gateway.errors import BadInput, GatewayError
from gateway.formats import money, msisdn
from gateway.ledger.books import Books
from gateway.partners import profiles, testing
from gateway.partners.access.keys import Access
from gateway.tokens import code, issue, serials, store, suspend
from gateway.tokens.issue import Issuer, Order
from gateway.tokens.reprint import Reprinter
from gateway.tokens.retire import Retirer, shown_status
from gateway.tokens.store import Token


class NotFound(GatewayError):
    """The partner has nothing by this name; whether others have is not said."""


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


class PartnerTokens:
    """What a partner does with tokens; every method works in the caller's transaction."""

    def __init__(
        self,
        issuer: Issuer,
        reprinter: Reprinter,
        retirer: Retirer,
        country: Country,
        open_dispute: suspend.OpenDispute,
        books: Books,
    ) -> None:
        self._books = books
        self._issuer = issuer
        self._reprinter = reprinter
        self._retirer = retirer
        self._country = country
        self._open_dispute = open_dispute

    def currency(self, access: Access) -> str:
        """What this key's money is in."""
        return money.TEST_CURRENCY if access.is_test else self._country.currency

    def issue(
        self, connection: Connection, access: Access, wish: Wish, now: datetime
    ) -> Mapping[str, Any]:
        """Issue one token from the partner's float.

        Raises what `Issuer.issue` does, `PartnerSuspended`, `InsufficientFunds`.
        """
        order = self._order(connection, access, wish, now)
        funder = floats.payer(connection, self._books, access, order.amount, order.currency, now)
        issued = self._issuer.issue(connection, order, now, funder)
        return {
            "serial": issued.serial,
            "status": issued.status,
            "amount": money.plain(issued.amount),
            "currency": issued.currency,
            "recipient": _phone(issued.recipient),
            "expires_at": iso(issued.expires_at),
        }

    def find(self, connection: Connection, access: Access, serial: str) -> Token:
        """A token of the partner's own. Raises `NotFound`."""
        spelled = serials.normalise(serial)
        found = None if spelled is None else store.by_serial(connection, spelled)
        if found is None or found.issuer != access.owner:
            raise NotFound("this partner has no token with this serial")
        return found

    def show(
        self, connection: Connection, access: Access, serial: str, now: datetime
    ) -> Mapping[str, Any]:
        """A token as it is now. Raises `NotFound`."""
        return view(self.find(connection, access, serial), now)

    def reprint(
        self, connection: Connection, access: Access, serial: str, reason: str, now: datetime
    ) -> Mapping[str, Any]:
        """Send the token's SMS once more, to its recipient and nobody else (T4).

        Raises `NotFound`, `WrongState`, `NoRecipient`, `ResendLimited`.
        """
        token = self.find(connection, access, serial)
        if access.is_test:
            self._reprinter.reprint(connection, token, access.actor, reason, now)
        else:
            self._reprinter.resend(connection, token, access.actor, now, reason)
        return self.show(connection, access, serial, now)

    def suspend(
        self, connection: Connection, access: Access, serial: str, reason: str, now: datetime
    ) -> Mapping[str, Any]:
        """Stop a token. Raises `NotFound`, `WrongState`."""
        token = self.find(connection, access, serial)
        suspend.suspend(connection, token, access.actor, reason, now)
        return self.show(connection, access, serial, now)

    def resume(
        self, connection: Connection, access: Access, serial: str, reason: str, now: datetime
    ) -> Mapping[str, Any]:
        """Let a suspended token go on. Raises `NotFound`, `WrongState`, `Disputed`."""
        token = self.find(connection, access, serial)
        suspend.resume(connection, token, access.actor, reason, now, self._open_dispute)
        return self.show(connection, access, serial, now)

    def cancel(
        self, connection: Connection, access: Access, serial: str, reason: str, now: datetime
    ) -> Mapping[str, Any]:
        """End a token; its value goes back to the float, once. Raises `NotFound`, `WrongState`."""
        token = self.find(connection, access, serial)
        self._retirer.cancel(connection, token, access.actor, reason, now)
        return self.show(connection, access, serial, now)

    def digits(self, connection: Connection, serial: str) -> str:
        """The digits of a token whose issuer is shown them. Raises `DerivationMismatch`."""
        found = store.by_serial(connection, serial)
        if found is None:
            raise NotFound("this partner has no token with this serial")
        return self._reprinter.digits(found)

    def _order(self, connection: Connection, access: Access, wish: Wish, now: datetime) -> Order:
        partner = profiles.insist_active(connection, access.partner.code)
        language = wish.language
        if language is not None and language not in self._country.languages:
            raise BadInput(f"language is one of {', '.join(self._country.languages)}")
        recipient = self._recipient(access, wish.recipient)
        if recipient is None and wish.deliver:
            raise BadInput("deliver needs a recipient")
        return Order(
            amount=money.parse(wish.amount),
            currency=self.currency(access),
            expires_at=wish.expires_at
            or issue.expiry(issue.DEFAULT_PERIOD, now, self._country.zone),
            digits=wish.digits,
            recipient=recipient,
            issuer=access.owner,
            issue_ref=wish.issue_ref or "",
            binding=_binding(wish.bound, recipient),
            language=language,
            sender_name=wish.sender_name or partner.name[: issue.SENDER_NAME_MAX],
            deliver=wish.deliver and not access.is_test,
            actor=access.actor,
            reveal=not wish.deliver,
        )

    def _recipient(self, access: Access, given: str | None) -> str | None:
        if given is None:
            return None
        phone = msisdn.parse(given, self._country.code)
        return testing.nobody(phone) if access.is_test else phone


def view(token: Token, now: datetime) -> Mapping[str, Any]:
    """A token as its issuer reads it."""
    return {
        "serial": token.serial,
        "status": shown_status(token, now),
        "amount": money.plain(token.amount),
        "currency": token.currency,
        "recipient": _phone(token.recipient),
        "expires_at": iso(token.expires_at),
        "issue_ref": token.issue_ref,
        "digits": token.digits,
        "bound": token.binding != store.UNBOUND,
        "issued_at": iso(token.issued_at),
        "redeemed_at": None if token.redeemed_at is None else iso(token.redeemed_at),
    }


def _phone(recipient: str | None) -> str | None:
    return None if recipient is None else testing.shown(recipient)


def _binding(bound: bool, recipient: str | None) -> str:
    if not bound:
        return store.UNBOUND
    return store.TO_PARTNER if recipient is None else store.TO_RECIPIENT
