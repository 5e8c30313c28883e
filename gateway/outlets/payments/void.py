"""Taking a payment back before the till is closed: the drawer was empty, the value stays owed."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput, RaceLost
from gateway.formats.facts import Made, Phone, fact
from gateway.ledger import store as ledger_store
from gateway.outlets.payments import sent, store
from gateway.outlets.payments.confirm import known, locked
from gateway.outlets.payments.store import Payment, State
from gateway.outlets.shifts import store as shifts
from gateway.outlets.shifts.closing import locked as locked_shift
from gateway.outlets.shifts.store import Shift
from gateway.people.staff import store as staff
from gateway.people.staff.store import Status
from gateway.tokens import store as tokens
from gateway.tokens.code import LONG
from gateway.tokens.issue import (
    DEFAULT_PERIOD,
    BindingRequired,
    Issued,
    Issuer,
    Order,
    expiry,
)
from gateway.tokens.reprint import Reprinter
from gateway.tokens.store import Token
from gateway.tokens.suspend import OpenDispute
from gateway.tokens.tills.pay import TillPayer


class Voider:
    """Voids payments, and sends their tokens again."""

    def __init__(
        self,
        issuer: Issuer,
        reprinter: Reprinter,
        payer: TillPayer,
        disputed: OpenDispute,
        zone: ZoneInfo,
    ) -> None:
        self._issuer = issuer
        self._reprinter = reprinter
        self._payer = payer
        self._disputed = disputed
        self._zone = zone

    def void(
        self,
        connection: Connection,
        payment: Payment,
        actor: str,
        recipient: str,
        reason: str,
        now: datetime,
    ) -> Payment:
        """Replace the token of a payment that is locked; a voided one is answered as it is.

        The till pays for the fresh token, also a frozen one; it expires to whoever paid for the old
        one. What was voided counts no more for the till's day, if that is still the day it was paid
        on, nor for the customer's. Raises `BadInput`, also for a `recipient` who is of the staff,
        and `InsufficientFunds` where a dispute has taken what the till got.
        """
        why = trail.worded(reason)
        if payment.state == State.VOIDED:
            return payment
        if payment.state != State.PAID:
            raise BadInput(f"only what was paid can be voided, this was {payment.state}")
        shift = locked_shift(connection, payment.shift_id)
        if shift.state != shifts.State.OPEN:
            raise BadInput("the shift is counted already: nothing of it can be voided")
        old = tokens.locked(connection, payment.token_id)
        disputed = self._disputed(connection, old.serial)
        if disputed is not None:
            raise BadInput(f"dispute {disputed} about it is open, or has given the money back")
        to = old.recipient or _entered(connection, recipient)
        order = self._order(payment, old, to, actor, now)
        fresh = self._issued(connection, order, shift, now)
        if not shifts.void(connection, shift.id, payment.amount):
            raise RaceLost("the shift changed while a payment was being voided")
        if not store.void(connection, payment, actor, fresh.serial, now):
            raise RaceLost("the payment changed while it was being voided")
        self._payer.take_back(
            connection, old, shift.account_id, payment.customer, _paid_at(payment, now)
        )
        new, by = Made(fresh.serial), Phone(to)
        what = fact("replaced by {serial} to {phone}", serial=new, phone=by)
        trail.record(connection, actor, "payment.void", old.serial, now, why, what)
        what = fact("instead of {serial}", serial=Made(old.serial))
        trail.record(connection, actor, "payment.renew", fresh.serial, now, fact=what)
        return known(connection, payment.reference)

    def resend(
        self, connection: Connection, reference: str, seen: int, actor: str, now: datetime
    ) -> None:
        """Send the token once more; of a voided payment the one that replaced it.

        `seen` is the latest SMS that whoever asks has seen (0: none): after a later one it is sent
        already. Raises `BadInput` while it waits to be paid, `WrongState`, `NoRecipient`,
        `ResendLimited`, `DerivationMismatch`.
        """
        payment = locked(connection, reference)
        if payment.state == State.SHOWN:
            raise BadInput("it waits to be paid: decline it first")
        serial = payment.fresh_serial or payment.serial
        latest = sent.last(connection, serial)
        if latest is not None and latest.id > seen:
            return
        token = tokens.by_serial(connection, serial)
        if token is None:
            raise LookupError(f"no token {serial}")
        self._reprinter.resend(connection, token, actor, now)

    def _order(
        self, payment: Payment, old: Token, recipient: str, actor: str, now: datetime
    ) -> Order:
        return Order(
            amount=old.amount,
            currency=old.currency,
            expires_at=max(old.expires_at, expiry(DEFAULT_PERIOD, now, self._zone)),
            digits=old.digits,
            recipient=recipient,
            issuer=old.issuer,
            issue_ref=f"void:{payment.reference}",
            binding=old.binding,
            language=old.language,
            sender_name=old.sender_name,
            actor=actor,
            returns_to=old.funder_id,
            undoes=_paid_at(payment, now).astimezone(self._zone).date(),
        )

    def _issued(self, connection: Connection, order: Order, shift: Shift, now: datetime) -> Issued:
        till = ledger_store.by_id(connection, shift.account_id)
        try:
            return self._issuer.issue(connection, order, now, till)
        except BindingRequired:
            # Too many short ones are live: a long one is as good, and nothing was written yet.
            long = replace(order, digits=LONG)
            return self._issuer.issue(connection, long, now, till)


def _entered(connection: Connection, recipient: str) -> str:
    """Where a fresh token goes that no recipient is known of: to nobody who works here."""
    if not recipient:
        raise BadInput("enter the phone number that the fresh token goes to")
    member = staff.by_msisdn(connection, recipient)
    if member is not None and member.status != Status.DISABLED:
        raise BadInput("this is the phone of one of the staff: enter the customer's")
    return recipient


def _paid_at(payment: Payment, now: datetime) -> datetime:
    return payment.decided_at or now
