"""Confirming a payment: one claim, whoever repeats it, from whatever tab or device."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput, RaceLost
from gateway.ledger import store as ledger_store
from gateway.outlets.payments import store
from gateway.outlets.payments.answers import Stop
from gateway.outlets.payments.show import FRESH, IsPaused
from gateway.outlets.payments.store import Payment, State
from gateway.outlets.rights import NotAllowed
from gateway.outlets.shifts import store as shifts
from gateway.outlets.shifts.closing import locked as locked_shift
from gateway.outlets.shifts.store import Shift
from gateway.switches.board import REDEEM
from gateway.tokens.tills.pay import Answer, TillPayer

# The cashier can confirm again: with the right number, or later.
NOT_DECIDED = (Answer.ANOTHER_PHONE, Answer.LIMITED, Stop.PAUSED)


class Confirmer:
    """Pays what was shown, or leaves it."""

    def __init__(self, payer: TillPayer, is_paused: IsPaused) -> None:
        self._payer = payer
        self._is_paused = is_paused

    def confirm(
        self,
        connection: Connection,
        payment: Payment,
        actor: str,
        customer: str,
        now: datetime,
        channel: str,
        partner: str = "",
    ) -> Payment:
        """What becomes of a payment that is locked; a decided one is answered as it is.

        `partner`: whose keys pay it, at a till of its own outlet, as of `TillPayer.pay_token`.
        Raises `BadInput` when the customer's number is asked for and was not given.
        """
        if payment.state != State.SHOWN:
            return payment
        whose = customer or payment.customer
        if payment.asks_phone and not whose:
            raise BadInput("enter the recipient's phone number")
        shift = locked_shift(connection, payment.shift_id)
        answer = self._stop(connection, payment, shift, now) or self._pay(
            connection, payment, shift, actor, whose, now, channel, partner
        )
        if answer in NOT_DECIDED:
            store.remark(connection, payment, answer)
        else:
            state = State.PAID if answer is Answer.PAID else State.REFUSED
            _decide(connection, payment, state, answer, whose, now)
        return known(connection, payment.reference)

    def decline(
        self, connection: Connection, payment: Payment, actor: str, now: datetime
    ) -> Payment:
        """The cashier does not pay it; a decided one is answered as it is."""
        if payment.state != State.SHOWN:
            return payment
        said = (payment.answer, payment.customer)
        _decide(connection, payment, State.DECLINED, *said, now)
        trail.record(connection, actor, "payment.decline", payment.serial, now)
        return known(connection, payment.reference)

    def _stop(
        self, connection: Connection, payment: Payment, shift: Shift, now: datetime
    ) -> Answer | Stop | None:
        if shift.state != shifts.State.OPEN:
            return Stop.SHIFT_CLOSED
        if self._is_paused(connection, REDEEM):
            return Stop.PAUSED
        if shift.is_stopped:
            return Answer.TILL_STOPPED
        if now - payment.created_at > FRESH:
            return Stop.TOO_OLD
        if shift.total + payment.amount > shift.float_limit:
            return Stop.FLOAT_LIMIT
        return None

    def _pay(
        self,
        connection: Connection,
        payment: Payment,
        shift: Shift,
        actor: str,
        customer: str,
        now: datetime,
        channel: str,
        partner: str,
    ) -> Answer:
        till = ledger_store.by_id(connection, shift.account_id)
        paid = self._payer.pay_token(
            connection, payment.token_id, till, actor, customer, now, channel, partner
        )
        if paid.answer is Answer.PAID and not shifts.pay(
            connection, shift.id, payment.amount, shift.float_limit
        ):
            raise RaceLost("the shift changed while it was paying")
        return paid.answer


def known(connection: Connection, reference: str) -> Payment:
    """The payment with this reference. Raises `NotAllowed`, as for one of somebody else."""
    found = store.by_reference(connection, reference)
    if found is None:
        raise NotAllowed("there is no such payment of yours")
    return found


def locked(connection: Connection, reference: str) -> Payment:
    """The same, kept as it is until this transaction ends. Raises `NotAllowed`."""
    store.lock(connection, reference)
    return known(connection, reference)


def _decide(
    connection: Connection,
    payment: Payment,
    state: State,
    answer: str,
    customer: str,
    now: datetime,
) -> None:
    if not store.decide(connection, payment, state, answer, customer, now):
        raise RaceLost("the payment was decided meanwhile")
