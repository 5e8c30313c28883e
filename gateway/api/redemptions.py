"""Look-ups and redemptions that a partner makes for somebody: told by name, counted if wrong."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from gateway.api import till_payments, told
from gateway.api.till_payments import TillPayments
from gateway.api.tokens import PartnerTokens
from gateway.api.told import Paused, Told
from gateway.clock import iso
from gateway.errors import BadInput
from gateway.formats import money
from gateway.partners import testing
from gateway.partners.access.keys import Access
from gateway.switches.board import REDEEM
from gateway.tokens import agency
from gateway.tokens.agency import Agency
from gateway.tokens.retire import shown_status
from gateway.tokens.store import UNBOUND, Token

IsPaused = Callable[[Connection, str], bool]
LanguageOf = Callable[[Connection, str], str]


class Redemptions:
    """Redeems for partners; every method works in the caller's transaction."""

    def __init__(
        self,
        agency_: Agency,
        tokens: PartnerTokens,
        country: str,
        is_paused: IsPaused,
        language_of: LanguageOf,
        at_tills: TillPayments,
    ) -> None:
        self._agency = agency_
        self._tokens = tokens
        self._country = country
        self._is_paused = is_paused
        self._language_of = language_of
        self._at_tills = at_tills

    def look_up(self, connection: Connection, access: Access, entry: str, now: datetime) -> Told:
        """What was entered.

        Raises `Limited`, `Paused`, `KeyMissing`, `KeyDiffers`.
        """
        currency = self._tokens.currency(access)
        seen = self._agency.look_up(connection, entry, access.owner, currency, now)
        if seen.answer != agency.FOUND or seen.token is None:
            return told.refused(seen)
        return Told(_facts(seen.token, now))

    def redeem(
        self,
        connection: Connection,
        access: Access,
        entry: str,
        payee: str,
        customer: str | None,
        now: datetime,
    ) -> Told:
        """Redeem into the wallet of the payee, a phone; or out of the drawer of a till.

        `customer` is whose hand gets the cash. Raises what `look_up` does, `BadInput`,
        `Forbidden`, `TooMuch`.
        """
        if self._is_paused(connection, REDEEM):
            raise Paused("redeeming is paused: the token is safe")
        if till_payments.is_till(payee):
            return self._at_tills.pay(connection, access, entry, payee, customer, now)
        if customer is not None:
            raise BadInput("customer: only where a till pays; a wallet's owner is its payee")
        return self._into_wallet(connection, access, entry, payee, now)

    def _into_wallet(
        self, connection: Connection, access: Access, entry: str, payee: str, now: datetime
    ) -> Told:
        phone = told.phone_in(payee, "payee", entry, self._country)
        seen, done = self._agency.redeem(
            connection,
            entry,
            access.owner,
            self._tokens.currency(access),
            testing.nobody(phone) if access.is_test else phone,
            self._language_of(connection, phone),
            now,
            tells=not access.is_test,
        )
        if seen.token is None or done is None:
            return told.refused(seen)
        told.insist_room(done.answer)
        return told.redeemed(seen.token, phone, now)


def _facts(token: Token, now: datetime) -> Mapping[str, Any]:
    return {
        "serial": token.serial,
        "status": shown_status(token, now),
        "amount": money.plain(token.amount),
        "currency": token.currency,
        "expires_at": iso(token.expires_at),
        "bound": token.binding != UNBOUND,
    }
