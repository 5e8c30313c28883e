"""What a partner is told of a token that was entered: the facts, or why not, in the API's codes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from gateway.clock import iso
from gateway.errors import BadInput, GatewayError, Limited
from gateway.formats import money, msisdn
from gateway.partners.access.keys import Forbidden
from gateway.tokens import agency, code, redeem
from gateway.tokens.agency import Seen
from gateway.tokens.store import Status, Token


class Paused(GatewayError):
    """This is paused or withheld for now; everything is as it was."""


class TooMuch(GatewayError):
    """A cap of the payee's stands against it; everything is as it was."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a partner is told: the facts, or the code of a refusal that is remembered.

    A refusal here was recorded or has counted a guess, so that its transaction commits.
    """

    facts: Mapping[str, Any]
    code: str = ""
    detail: str = ""


# A token's state, or what it is to the partner: the API's code, and what to tell a person.
REFUSALS: Final = {
    agency.MISTYPED: ("invalid_request", "this cannot be a token: check the digits"),
    agency.UNKNOWN: ("not_found", "no token that can be redeemed here has these digits"),
    agency.BOUND: ("forbidden", "the token is bound to somebody else"),
    Status.REDEEMED: ("already_redeemed", "the token is redeemed"),
    Status.SUSPENDED: ("suspended", "the token is suspended"),
    Status.EXPIRED: ("expired", "the token is expired"),
    Status.CANCELLED: ("cancelled", "the token is cancelled"),
}


def refused(seen: Seen) -> Told:
    """Why a token is not redeemed. Raises `Limited` and `Paused`, of which nothing is kept."""
    if seen.answer == agency.LIMITED and seen.until is not None:
        raise Limited(seen.until)
    if seen.answer == agency.UNAVAILABLE:
        raise Paused("try again later: the token is safe")
    word, detail = REFUSALS[seen.answer]
    return Told({} if seen.token is None else {"serial": seen.token.serial}, word, detail)


def insist_room(answer: redeem.Answer) -> None:
    """Raise unless the payee's wallet has taken the money: `Forbidden`, `TooMuch`."""
    if answer is redeem.Answer.WALLET_FULL:
        raise TooMuch("the payee's wallet would pass its limit")
    if answer is not redeem.Answer.REDEEMED:
        raise Forbidden("the payee's wallet cannot receive money now")


def redeemed(token: Token, payee: str, now: datetime) -> Told:
    """That it is done."""
    return Told(
        {
            "serial": token.serial,
            "status": Status.REDEEMED.value,
            "amount": money.plain(token.amount),
            "currency": token.currency,
            "redeemed_at": iso(now),
            "payee": payee,
        }
    )


def phone_in(written: str, name: str, entry: str, country: str) -> str:
    """A number (E.164) that came with a token. Raises `BadInput`.

    Many tokens of 11 digits read as a phone number, and would be kept as one.
    """
    if code.compact(written).lstrip("+") == code.compact(entry):
        raise BadInput(f"{name}: this is the token itself")
    return msisdn.parse(written, country)
