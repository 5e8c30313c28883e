"""Redemptions in cash: a partner's program pays at a till of its own outlets, in the open shift."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from gateway.api import told
from gateway.api.told import Paused, Told, TooMuch
from gateway.errors import BadInput, RaceLost
from gateway.outlets import manage
from gateway.outlets.payments import show
from gateway.outlets.payments.answers import Stop
from gateway.outlets.payments.confirm import Confirmer
from gateway.outlets.payments.show import IsPaused
from gateway.outlets.shifts import closing
from gateway.outlets.shifts import store as shifts
from gateway.outlets.shifts.store import Shift, State
from gateway.partners.access.keys import Access, Forbidden
from gateway.partners.places import store as places
from gateway.tokens import agency
from gateway.tokens.agency import Agency
from gateway.tokens.tills.answers import Answer
from gateway.tokens.tills.pay import TillPayer

CHANNEL: Final = "api"
_TILL = re.compile(r"[A-Za-z0-9-]{2,16}/[0-9]{1,4}", re.ASCII)
# Why a till does not pay a token that is good: the token stays as it was, and nothing is kept.
TOO_MUCH: Final[Mapping[str, str]] = {
    Stop.FLOAT_LIMIT: "the shift would pay out more than it may",
    Answer.TILL_FULL: "the till would pass its cap of the day",
    Answer.CUSTOMER_FULL: "the till would pass its cap of this customer's day",
}
STOPPED: Final[Mapping[str, str]] = {
    Answer.TILL_STOPPED: "the till, or its outlet, is stopped",
    Answer.OTHER_CURRENCY: "the till pays another currency",
}


def is_till(payee: str) -> bool:
    """Whether a payee is a till by its name; else it is a phone.

    >>> is_till("IKEJA/1"), is_till("+2348030000001"), is_till("IKEJA/1/2")
    (True, False, False)
    """
    return _TILL.fullmatch(payee) is not None


class TillPayments:
    """Pays at tills; within the caller's transaction, as at the counter."""

    def __init__(
        self, agency_: Agency, payer: TillPayer, is_paused: IsPaused, currency: str, country: str
    ) -> None:
        self._agency = agency_
        self._payer = payer
        self._confirmer = Confirmer(payer, is_paused)
        self._currency = currency
        self._country = country

    def pay(
        self,
        connection: Connection,
        access: Access,
        entry: str,
        payee: str,
        customer: str | None,
        now: datetime,
    ) -> Told:
        """Pay what was entered out of a till's drawer; `customer` is the phone of who is paid.

        The shift is locked before the token, as everywhere. A cashier who was shown the token
        keeps a payment of their own, which then finds it redeemed.
        Raises `BadInput`, `Forbidden`, `TooMuch`, `Limited`, `Paused`.
        """
        shift = self._shift(connection, access, payee)
        whose = None
        if customer is not None:
            whose = told.phone_in(customer, "customer", entry, self._country)
        owner = access.owner
        seen = self._agency.at_till(connection, entry, owner, self._currency, whose, now)
        if seen.answer != agency.FOUND or seen.token is None:
            return told.refused(seen)
        found = self._payer.payable(seen.token)
        if found.asks_phone and whose is None:
            raise BadInput("customer: this needs the phone number of whoever is paid")
        payment = show.made(connection, shift, found, CHANNEL, now, whose or "")
        done = self._confirmer.confirm(
            connection, payment, access.actor, whose or "", now, CHANNEL, owner
        )
        _insist_paid(done.answer)
        return told.redeemed(seen.token, shift.till, now)

    def _shift(self, connection: Connection, access: Access, payee: str) -> Shift:
        """The open shift of a till where this partner pays, kept as it is."""
        if access.is_test:
            raise BadInput("payee: tills pay no test money, redeem it for a phone")
        outlet = payee.partition("/")[0].upper()
        if not places.has(connection, access.partner.id, outlet):
            raise Forbidden("this is not a till of yours")
        till = manage.known_till(connection, payee)
        open_ = shifts.at_till(connection, till.id)
        shift = None if open_ is None else closing.locked(connection, open_.id)
        if shift is None or shift.state != State.OPEN:
            raise BadInput(f"payee: no shift is open at {till.name}")
        return shift


def _insist_paid(answer: str) -> None:
    if answer in TOO_MUCH:
        raise TooMuch(TOO_MUCH[answer])
    if answer in STOPPED:
        raise Forbidden(STOPPED[answer])
    if answer == Stop.PAUSED:
        raise Paused("redeeming is paused: the token is safe")
    if answer != Answer.PAID:
        raise RaceLost(f"a token that was locked was found {answer}")
