"""Look-ups and redemptions that a partner makes for somebody: told by name, counted if wrong."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from gateway.api.tokens import PartnerTokens
from gateway.clock import iso
from gateway.errors import BadInput, GatewayError
from gateway.formats import money, msisdn
from gateway.partners import profiles, testing
from gateway.partners.access.keys import Access
from gateway.switches.board import REDEEM
from gateway.tokens import agency, code, redeem
from gateway.tokens.agency import Agency, Seen
from gateway.tokens.retire import shown_status
from gateway.tokens.store import Status, Token

IsPaused = Callable[[Connection, str], bool]
LanguageOf = Callable[[Connection, str], str]


class Paused(GatewayError):
    """Operators have paused this; everything is as it was."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a partner is told: the facts, or the code of a refusal that must be remembered.

    A refusal here has counted a guess, so that its transaction commits.
    """

    facts: Mapping[str, Any]
    code: str = ""
    detail: str = ""
    until: datetime | None = None


# A token's state, or what it is to the partner: the API's code, and what to tell a person.
REFUSALS = {
    agency.MISTYPED: ("invalid_request", "this cannot be a token: check the digits"),
    agency.LIMITED: ("limited", "too many wrong tokens"),
    agency.UNKNOWN: ("not_found", "no token that can be redeemed here has these digits"),
    agency.UNAVAILABLE: ("temporarily_unavailable", "try again later: the token is safe"),
    agency.BOUND: ("forbidden", "the token is bound to somebody else"),
    Status.REDEEMED: ("already_redeemed", "the token is redeemed"),
    Status.SUSPENDED: ("suspended", "the token is suspended"),
    Status.EXPIRED: ("expired", "the token is expired"),
    Status.CANCELLED: ("cancelled", "the token is cancelled"),
    redeem.Answer.WALLET_STOPPED: ("forbidden", "the payee's wallet cannot receive money now"),
    redeem.Answer.WALLET_FULL: ("limit_exceeded", "the payee's wallet would pass its limit"),
}


class Redemptions:
    """Redeems for partners; every method works in the caller's transaction."""

    def __init__(
        self,
        agency_: Agency,
        tokens: PartnerTokens,
        country: str,
        is_paused: IsPaused,
        language_of: LanguageOf,
    ) -> None:
        self._agency = agency_
        self._tokens = tokens
        self._country = country
        self._is_paused = is_paused
        self._language_of = language_of

    def look_up(self, connection: Connection, access: Access, entry: str, now: datetime) -> Told:
        """What was entered. Raises `PartnerSuspended`, `KeyMissing`, `KeyDiffers`."""
        profiles.insist_active(connection, access.partner.code)
        currency = self._tokens.currency(access)
        seen = self._agency.look_up(connection, entry, access.owner, currency, now)
        if seen.answer != agency.FOUND or seen.token is None:
            return _refused(seen.answer, seen)
        return Told(_facts(seen.token, now))

    def redeem(
        self, connection: Connection, access: Access, entry: str, payee: str, now: datetime
    ) -> Told:
        """Redeem into the wallet of the payee, a phone.

        Raises `PartnerSuspended`, `Paused`, `BadInput`, `KeyMissing`, `KeyDiffers`.
        """
        profiles.insist_active(connection, access.partner.code)
        if self._is_paused(connection, REDEEM):
            raise Paused("redeeming is paused: the token is safe")
        phone = self._phone(entry, payee)
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
            return _refused(seen.answer, seen)
        if done.answer is not redeem.Answer.REDEEMED:
            return _refused(done.answer, seen)
        return Told(
            {
                "serial": seen.token.serial,
                "status": Status.REDEEMED.value,
                "amount": money.plain(seen.token.amount),
                "currency": seen.token.currency,
                "redeemed_at": iso(now),
                "payee": phone,
            }
        )

    def _phone(self, entry: str, payee: str) -> str:
        """The payee's number; many tokens of 11 digits read as one, and would be kept as that."""
        if code.compact(payee).lstrip("+") == code.compact(entry):
            raise BadInput("payee: this is the token itself")
        return msisdn.parse(payee, self._country)


def _refused(answer: str, seen: Seen) -> Told:
    word, detail = REFUSALS[answer]
    facts = {} if seen.token is None else {"serial": seen.token.serial}
    return Told(facts, word, detail, seen.until)


def _facts(token: Token, now: datetime) -> Mapping[str, Any]:
    return {
        "serial": token.serial,
        "status": shown_status(token, now),
        "amount": money.plain(token.amount),
        "currency": token.currency,
        "expires_at": iso(token.expires_at),
        "bound": token.binding != "none",
    }
