"""3 My tokens: those waiting for this phone, and their SMS once more."""

from collections.abc import Sequence
from functools import partial

from gateway.errors import DerivationMismatch
from gateway.formats import money
from gateway.sms.texts import until
from gateway.tokens import store
from gateway.tokens.reprint import NoRecipient, ResendLimited
from gateway.tokens.retire import WrongState
from gateway.tokens.store import Token
from gateway.ussd.screens import Again, Choice, Go, Next, Option, Screen, Values, Visit
from menus.desk import Desk

LISTED_MAX = 20
NONE = "You have no tokens waiting."
GONE = "This token is no longer waiting for you."
SAMPLE = {"serial": "K7M29QXD", "amount": "NGN 9999999999999999.99", "expiry": "31/12/2026 23:59"}


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The list, one token, and what came of asking for its SMS."""
    return (
        Screen(
            "tokens",
            text="My tokens",
            arrive=_listed,
            choices=partial(_choices, desk),
            choose=_chosen,
            leads_to=("tokens.one",),
            complaints=(NONE,),
            long=True,
            sample_choices=(f"{SAMPLE['amount']} until {SAMPLE['expiry']}",) * LISTED_MAX,
        ),
        Screen(
            "tokens.one",
            text="Token {serial}\n{amount}\nValid until {expiry}",
            arrive=partial(_one, desk),
            options=(Option("1", "Send the SMS again", "tokens.resend"),),
            complaints=(GONE,),
            sample=SAMPLE,
        ),
        Screen(
            "tokens.resend",
            text="Token {serial} will be sent to you by SMS.",
            arrive=partial(_resend, desk),
            ends=True,
            leads_to=("tokens.limited", "tokens.gone"),
            sample=SAMPLE,
        ),
        Screen(
            "tokens.limited",
            text="This token was sent several times already. Please try again in an hour.",
            ends=True,
        ),
        Screen(
            "tokens.gone",
            text=GONE,
            ends=True,
        ),
    )


def _waiting(visit: Visit) -> Sequence[Token]:
    return store.held_by(visit.connection, visit.msisdn, visit.now, LISTED_MAX)


def _listed(visit: Visit) -> Next | Values:
    return {} if _waiting(visit) else Again(NONE)


def _choices(desk: Desk, visit: Visit) -> Sequence[Choice]:
    return [
        Choice(
            f"{_amount(token)} {visit.say('until {expiry}', expiry=_expiry(desk, token))}",
            token.serial,
        )
        for token in _waiting(visit)
    ]


def _chosen(_: Visit, serial: str) -> Next:
    return Go("tokens.one", {"serial": serial})


def _one(desk: Desk, visit: Visit) -> Next | Values:
    token = _own(visit)
    if token is None:
        return Again(GONE)
    return {"amount": _amount(token), "expiry": _expiry(desk, token), "serial": token.serial}


def _resend(desk: Desk, visit: Visit) -> Next | Values:
    token = _own(visit)
    if token is None:
        return Go("tokens.gone")
    try:
        desk.reprinter.resend(visit.connection, token, visit.msisdn, visit.now)
    except ResendLimited:
        return Go("tokens.limited")
    except (WrongState, NoRecipient, DerivationMismatch):
        return Go("tokens.gone")
    return {"serial": token.serial}


def _own(visit: Visit) -> Token | None:
    """The token on the screen, if it is still this phone's."""
    serial = visit.values.get("serial", "")
    return next((token for token in _waiting(visit) if token.serial == serial), None)


def _amount(token: Token) -> str:
    return money.display(token.amount, token.currency)


def _expiry(desk: Desk, token: Token) -> str:
    return until(token.expires_at, desk.zone)
