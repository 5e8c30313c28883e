"""RESEND: a token's SMS once more, only ever to the number it was sent to (T4)."""

from gateway.errors import DerivationMismatch, Limited
from gateway.formats import money
from gateway.outbox import store as outbox
from gateway.outbox.store import State
from gateway.sms import texts
from gateway.tokens import store as tokens
from gateway.tokens.guesses import limits
from gateway.tokens.guesses.limits import Allowance
from gateway.tokens.issue import DELIVERY
from gateway.tokens.redeem import Answer
from gateway.tokens.reprint import NoRecipient, ResendLimited
from gateway.tokens.retire import WrongState, shown_status
from gateway.tokens.store import Status, Token
from menus.desk import Desk
from menus.keywords.asking import Asking, Reply
from menus.keywords.reading import serial_in

# By one phone, of all tokens together; one token has a limit of its own.
ASKED = Allowance(6, 20)
LIMITED, NONE_WAITING, ON_ITS_WAY = "resend_limited", "none_waiting", "on_its_way"


def resend(desk: Desk, asking: Asking, rest: str) -> Reply:
    """The token that the serial names, or the latest one that waits for who asks."""
    serial = serial_in(rest)
    if serial is None:
        return Reply("no_serial", "no_serial")
    try:
        limits.begin(asking.connection, f"resend:{asking.msisdn}", ASKED, asking.now)
    except Limited as error:
        cause = f"resend_limited:{asking.msisdn}:{texts.minute(error.until, desk.zone)}"
        return Reply(LIMITED, LIMITED, once=cause)
    if not serial:
        return _latest(desk, asking)
    token = tokens.by_serial(asking.connection, serial)
    if token is not None and token.redeemed_by == asking.msisdn:
        return _yours(desk, token)
    if token is not None and token.recipient == asking.msisdn:
        if shown_status(token, asking.now) == Status.ISSUED:
            return _again(desk, asking, token)
    elif token is not None:
        _again(desk, asking, token)
    # One answer for whatever is not theirs to ask about (T9): also that there is no such token.
    return Reply("resent_elsewhere", "resent_elsewhere", {"serial": serial})


def _latest(desk: Desk, asking: Asking) -> Reply:
    waiting = tokens.latest(asking.connection, asking.now, 1, to=asking.msisdn, state=Status.ISSUED)
    if not waiting:
        return Reply(NONE_WAITING, NONE_WAITING)
    return _again(desk, asking, waiting[0])


def _again(desk: Desk, asking: Asking, token: Token) -> Reply:
    """Queue it; the SMS itself is the reply. One that still waits to be sent is not doubled."""
    connection, now = asking.connection, asking.now
    fresh = tokens.locked(connection, token.id)  # two that ask at once see each other's
    if any(
        message.template == DELIVERY and message.state in (State.QUEUED, State.SENDING)
        for message in outbox.about(connection, fresh.serial)
    ):
        return Reply(ON_ITS_WAY)
    try:
        desk.reprinter.resend(connection, fresh, asking.msisdn, now, "by SMS")
    except ResendLimited:
        return Reply(LIMITED, LIMITED)
    except (WrongState, NoRecipient, DerivationMismatch):
        return Reply(NONE_WAITING, NONE_WAITING)
    return Reply("resent")


def _yours(desk: Desk, token: Token) -> Reply:
    answer = Answer.ALREADY_YOURS.value
    details = {
        "serial": token.serial,
        "amount": money.display(token.amount, token.currency),
        "at": texts.minute(token.redeemed_at, desk.zone) if token.redeemed_at else "",
    }
    return Reply(answer, answer, details, token.serial)
