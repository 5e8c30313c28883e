"""Looking a token up at a till: a counted guess, and the payment that a confirmation names."""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import Connection

from gateway.errors import RaceLost
from gateway.ledger import store as ledger_store
from gateway.outlets.payments import store
from gateway.outlets.payments.answers import Shown, Stop
from gateway.outlets.payments.store import Payment, State
from gateway.outlets.shifts import store as shifts
from gateway.outlets.shifts.store import Shift
from gateway.switches.board import REDEEM
from gateway.tokens import code
from gateway.tokens.tills.pay import Answer, Paid, TillPayer

FRESH = timedelta(minutes=10)  # how long what was shown can be confirmed
IsPaused = Callable[[Connection, str], bool]


def new_reference() -> str:
    """The name of a payment, which its page has in its address."""
    return secrets.token_hex(8)


class Looker:
    """Looks tokens up."""

    def __init__(self, payer: TillPayer, is_paused: IsPaused) -> None:
        self._payer = payer
        self._is_paused = is_paused

    def show(
        self,
        connection: Connection,
        shift: Shift,
        entry: str,
        actor: str,
        channel: str,
        now: datetime,
        customer: str,
    ) -> Shown:
        """What a shift that is locked is told of an entry. Raises `KeyMissing`, `KeyDiffers`."""
        if shift.state != shifts.State.OPEN:
            return Shown(Stop.SHIFT_CLOSED)
        if self._is_paused(connection, REDEEM):
            return Shown(Stop.PAUSED)
        if shift.is_stopped:
            return Shown(Answer.TILL_STOPPED)
        till = ledger_store.by_id(connection, shift.account_id)
        found = self._payer.look_up(connection, entry, till, actor, now, customer)
        if found.token_id is None:
            # Whatever the token is: who asks learns nothing about it.
            asks = found.answer is Answer.UNAVAILABLE and len(code.compact(entry)) == code.SHORT
            return Shown(found.answer, wrong=found.wrong, until=found.until, asks_phone=asks)
        known = self._known(connection, shift, found.token_id, found.answer, now)
        if known is not None:
            return Shown(found.answer, known)
        return Shown(found.answer, made(connection, shift, found, channel, now, customer))

    def _known(
        self, connection: Connection, shift: Shift, token_id: int, answer: Answer, now: datetime
    ) -> Payment | None:
        """The payment that this shift has of the token already: two tabs confirm the same one."""
        if answer is Answer.REDEEMED:
            return store.paid(connection, shift.id, token_id)
        if answer is Answer.PAYABLE:
            return store.waiting(connection, shift.id, token_id, now - FRESH)
        return None


def made(
    connection: Connection, shift: Shift, found: Paid, channel: str, now: datetime, customer: str
) -> Payment:
    """A payment of its own for a token that was looked up, at a shift that is locked."""
    payable = found.answer is Answer.PAYABLE
    reference = new_reference()
    values = {
        "reference": reference,
        "shift_id": shift.id,
        "token_id": found.token_id,
        "serial": found.serial,
        "amount": found.amount,
        "currency": found.currency,
        "asks_phone": found.asks_phone,
        "customer": customer,
        "state": (State.SHOWN if payable else State.REFUSED).value,
        "answer": found.answer.value,
        "channel": channel,
        "created_at": now,
        "decided_at": None if payable else now,
    }
    store.add(connection, values)
    written = store.by_reference(connection, reference)
    if written is None:
        raise RaceLost("a payment that was just written is not there")
    return written
