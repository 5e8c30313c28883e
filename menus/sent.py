"""3 My tokens, those sent: once more to their recipient, taken back, or to another number."""

from collections.abc import Sequence
from functools import partial

from gateway.errors import DerivationMismatch
from gateway.formats import money, msisdn
from gateway.ledger.limits import NotVerified, Stopped
from gateway.sms.texts import until
from gateway.switches.restores.returns import UnderRestore
from gateway.tokens.reprint import NoRecipient, ResendLimited
from gateway.tokens.retire import FunderClosed, WrongState
from gateway.tokens.send import MOVES_A_DAY, MovedOften, PaidAtCounters, new_intent
from gateway.tokens.senders import store
from gateway.tokens.store import TO_COUNTER, Token
from gateway.ussd.screens import Again, Go, Next, Option, Screen, Values, Visit
from menus import pin
from menus.desk import Desk
from menus.send import (
    LARGEST,
    NO_NUMBER,
    NUMBER,
    OWN_NUMBER,
    PAUSED,
    STOPPED,
    UNVERIFIED,
    find_wallet,
    may_send,
    recipient_of,
    refused,
)

LISTED_MAX = 20
LIMITED = "tokens.limited"
ENDED = "This token is no longer valid."
SAME_NUMBER = "The token is for this number already."
SAMPLE = {"serial": "K7M29QXD", "amount": LARGEST, "expiry": "31/12/2026 23:59"}
SENT = {**SAMPLE, **NUMBER}

_ENDINGS = (
    Screen("sent.ended", text=ENDED, ends=True),
    Screen(
        "sent.moved",
        text="Token {old} is cancelled. {amount} went to {recipient} by SMS.\nRef {serial}",
        ends=True,
        sample={**SENT, "old": SAMPLE["serial"]},
    ),
    Screen(
        "sent.often",
        text="You have sent {most} tokens to another number today. Please try again tomorrow.",
        ends=True,
        sample={"most": "10"},
    ),
)


def screens(desk: Desk) -> tuple[Screen, ...]:
    """One sent token, and what its sender can do with it."""
    return (*_sent_screens(desk), *_readdress_screens(desk), *_ENDINGS)


def _sent_screens(desk: Desk) -> tuple[Screen, ...]:
    return (
        Screen(
            "sent",
            text="Token {serial}, {recipient}\n{amount} until {expiry}",
            arrive=partial(_one_sent, desk),
            options=(
                Option("1", "Send the SMS again", "sent.again"),
                Option("2", "Cancel it", "sent.cancel"),
                Option("3", "Send to another number", "sent.number", shown=partial(_may_go, desk)),
            ),
            complaints=(ENDED,),
            long=True,
            sample=SENT,
        ),
        Screen(
            "sent.again",
            text="Token {serial} will be sent to {recipient} by SMS.",
            arrive=partial(_resend_sent, desk),
            ends=True,
            leads_to=(LIMITED, "sent.ended"),
            sample=SENT,
        ),
        Screen(
            "sent.cancel",
            text="Cancel token {serial} to {recipient}? {amount} comes back to your wallet.",
            arrive=partial(_one_sent, desk),
            options=(Option("1", "Confirm", "sent.cancelled"),),
            complaints=(ENDED,),
            private=True,
            sample=SENT,
        ),
        Screen(
            "sent.cancelled",
            text="Token {serial} is cancelled. {amount} is back in your wallet.",
            arrive=partial(_cancelled, desk),
            ends=True,
            leads_to=("sent.ended", PAUSED),
            sample=SENT,
        ),
    )


def _readdress_screens(desk: Desk) -> tuple[Screen, ...]:
    return (
        Screen(
            "sent.number",
            text="Send to which number?",
            arrive=partial(may_send, desk),
            answer=partial(_number, desk),
            complaints=(NO_NUMBER, OWN_NUMBER, SAME_NUMBER),
            leads_to=("sent.sure", "sent.ended", PAUSED, STOPPED, UNVERIFIED, pin.NONE),
        ),
        Screen(
            "sent.sure",
            text="Send {amount} to {recipient}? Token {serial} will be cancelled.",
            arrive=_intended,
            options=(Option("1", "Confirm", "sent.pin"),),
            private=True,
            sample=SENT,
        ),
        pin.ask(
            desk,
            "sent.pin",
            partial(_readdress, desk),
            leads_to=("sent.moved", "sent.ended", "sent.often", PAUSED, STOPPED, UNVERIFIED),
        ),
    )


def waiting(desk: Desk, visit: Visit) -> Sequence[Token]:
    """What the caller's wallet has paid for, as far as it was sent to somebody."""
    wallet = find_wallet(desk, visit)
    if wallet is None:
        return ()
    sent = store.waiting_elsewhere(visit.connection, wallet.id, visit.now, LISTED_MAX)
    return [token for token in sent if token.recipient not in (None, visit.msisdn)]


def _one_sent(desk: Desk, visit: Visit) -> Next | Values:
    token = named(visit, waiting(desk, visit))
    return Again(ENDED) if token is None else facts(desk, token)


def _may_go(desk: Desk, visit: Visit) -> bool:
    """Whether another number could redeem it: a cash code is paid to its owner."""
    token = named(visit, waiting(desk, visit))
    return token is not None and token.binding != TO_COUNTER


def _resend_sent(desk: Desk, visit: Visit) -> Next | Values:
    return sent_again(desk, visit, named(visit, waiting(desk, visit)), "sent.ended")


def sent_again(desk: Desk, visit: Visit, token: Token | None, gone: str) -> Next | Values:
    """Queue a token's SMS once more; a token that cannot be sent leads to `gone`."""
    if token is None:
        return Go(gone)
    try:
        desk.reprinter.resend(visit.connection, token, visit.msisdn, visit.now)
    except ResendLimited:
        return Go(LIMITED)
    except (WrongState, NoRecipient, DerivationMismatch):
        return Go(gone)
    return {"serial": token.serial, "recipient": recipient(token)}


def _cancelled(desk: Desk, visit: Visit) -> Next | Values:
    token = named(visit, waiting(desk, visit))
    if token is None:
        return Go("sent.ended")
    try:
        desk.retirer.take_back(visit.connection, token, visit.msisdn, visit.now)
    except UnderRestore:
        return Go(PAUSED)
    except (WrongState, FunderClosed):
        return Go("sent.ended")
    return facts(desk, token)


def _number(desk: Desk, visit: Visit, entry: str) -> Next:
    token = named(visit, waiting(desk, visit))
    if token is None:
        return Go("sent.ended")
    found = recipient_of(desk, visit, entry)
    if isinstance(found, Again):
        return found
    if found["phone"] == token.recipient:
        return Again(SAME_NUMBER)
    return Go("sent.sure", {**facts(desk, token), **found})


def _intended(_: Visit) -> Values:
    return {"intent": new_intent()}


def _readdress(desk: Desk, visit: Visit) -> Next:
    if desk.is_paused(visit.connection, "sends"):
        return Go(PAUSED)
    given, wallet = visit.values, find_wallet(desk, visit)
    token = named(visit, waiting(desk, visit))
    if token is None or wallet is None:
        return Go("sent.ended")
    try:
        issued = desk.sends.readdress(
            visit.connection, token, wallet, given["phone"], given["intent"], visit.now
        )
    except UnderRestore:
        return Go(PAUSED)
    except (WrongState, PaidAtCounters):
        return Go("sent.ended")
    except MovedOften:
        return Go("sent.often", {"most": str(MOVES_A_DAY)})
    except (Stopped, NotVerified) as error:
        return refused(desk, visit, error)
    values = {"old": token.serial, "serial": issued.serial, "amount": given["amount"]}
    return Go("sent.moved", {**values, "recipient": given["recipient"]}, forget=True)


def named(visit: Visit, tokens: Sequence[Token]) -> Token | None:
    """The token on the screen, if it is still one of these."""
    serial = visit.values.get("serial", "")
    return next((token for token in tokens if token.serial == serial), None)


def facts(desk: Desk, token: Token) -> dict[str, str]:
    """What the screens say of a token."""
    return {
        "serial": token.serial,
        "amount": amount(token),
        "expiry": expiry(desk, token),
        "recipient": recipient(token),
    }


def amount(token: Token) -> str:
    """Its value, with the currency."""
    return money.display(token.amount, token.currency)


def recipient(token: Token) -> str:
    """The number it was sent to, grouped."""
    return msisdn.display(token.recipient) if token.recipient else ""


def expiry(desk: Desk, token: Token) -> str:
    """The last day that counts, or the minute."""
    return until(token.expires_at, desk.zone)
