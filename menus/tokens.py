"""3 My tokens: those waiting for this phone, and those it has sent that wait for others."""

from collections.abc import Sequence
from functools import partial

from gateway.tokens import store
from gateway.tokens.store import Token
from gateway.ussd.screens import Again, Choice, Go, Next, Option, Screen, Values, Visit
from menus import sent
from menus.desk import Desk
from menus.send import NUMBER
from menus.sent import LIMITED, LISTED_MAX, SAMPLE, amount, expiry, facts, named, sent_again

NONE = "You have no tokens waiting."
GONE = "This token is no longer waiting for you."
SENT = "sent:"  # begins the value of a token that was sent; what follows is its serial

_ENDINGS = (
    Screen(
        LIMITED,
        text="This token was sent several times already. Please try again in an hour.",
        ends=True,
    ),
    Screen("tokens.gone", text=GONE, ends=True),
)


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The list, one token of either kind, and what can be done with it."""
    return (
        Screen(
            "tokens",
            text="My tokens",
            arrive=partial(_listed, desk),
            choices=partial(_choices, desk),
            choose=_chosen,
            leads_to=("tokens.one", "sent"),
            complaints=(NONE,),
            long=True,
            sample_choices=(
                *[f"{SAMPLE['amount']} until {SAMPLE['expiry']}"] * LISTED_MAX,
                *[f"{SAMPLE['amount']} to {NUMBER['recipient']}"] * LISTED_MAX,
            ),
        ),
        *_waiting_screens(desk),
        *_ENDINGS,
    )


def _waiting_screens(desk: Desk) -> tuple[Screen, ...]:
    return (
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
            leads_to=(LIMITED, "tokens.gone"),
            sample=SAMPLE,
        ),
    )


def _waiting(visit: Visit) -> Sequence[Token]:
    return store.held_by(visit.connection, visit.msisdn, visit.now, LISTED_MAX)


def _listed(desk: Desk, visit: Visit) -> Next | Values:
    return {} if _waiting(visit) or sent.waiting(desk, visit) else Again(NONE)


def _choices(desk: Desk, visit: Visit) -> Sequence[Choice]:
    # Those that wait for the caller come first: what is sent does not change their numbers.
    say = visit.say
    own = [
        Choice(f"{amount(one)} {say('until {expiry}', expiry=expiry(desk, one))}", one.serial)
        for one in _waiting(visit)
    ]
    others = [
        Choice(
            f"{amount(one)} {say('to {recipient}', recipient=sent.recipient(one))}",
            f"{SENT}{one.serial}",
        )
        for one in sent.waiting(desk, visit)
    ]
    return [*own, *others]


def _chosen(_: Visit, value: str) -> Next:
    serial = value.removeprefix(SENT)
    return Go("tokens.one" if serial == value else "sent", {"serial": serial})


def _one(desk: Desk, visit: Visit) -> Next | Values:
    token = named(visit, _waiting(visit))
    return Again(GONE) if token is None else facts(desk, token)


def _resend(desk: Desk, visit: Visit) -> Next | Values:
    return sent_again(desk, visit, named(visit, _waiting(visit)), "tokens.gone")
