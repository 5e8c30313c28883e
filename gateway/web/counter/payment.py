"""The page of one payment: what was found, its confirmation, and the receipt that it becomes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from http import HTTPStatus

from flask import Blueprint, Response, g, request

from gateway.errors import BadInput
from gateway.outbox.store import Message
from gateway.outlets.payments import sent
from gateway.outlets.payments.left import Left, left
from gateway.outlets.payments.show import FRESH
from gateway.outlets.payments.store import DONE, Payment, State
from gateway.outlets.rights import NotAllowed
from gateway.outlets.shifts import store as shifts
from gateway.tokens import store as tokens
from gateway.tokens.retire import shown_status
from gateway.tokens.store import TO_COUNTER, TO_RECIPIENT, Status, Token
from gateway.tokens.tills.pay import Answer
from gateway.web.counter import typed
from gateway.web.counter.parts import CounterParts
from gateway.web.counter.show import UNPROCESSABLE, reader, shown
from gateway.web.counter.words import AGAIN_AT, AGAIN_NOW, DECLINED, MOST, ROOM_NOW, WORDS, Said
from gateway.web.pages.answers import sent_on, sentence
from gateway.web.pages.door import AT_COUNTER, allowed, deadline
from gateway.web.pages.refused import Refusal, heard


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a payment's page holds; its token is the fresh one once it was voided."""

    payment: Payment
    token: Token
    status: str  # of the token
    message: Message | None  # the token's latest SMS
    is_own: bool
    is_stale: bool  # shown too long ago
    is_just_paid: bool  # by whoever looks: the cash may still be in the drawer
    shift_is_open: bool
    left: str  # how long, or how much, in words

    @property
    def said(self) -> Said | None:
        """Why it was not paid, or not yet."""
        if self.payment.state == State.DECLINED:
            return DECLINED
        said = WORDS.get(self.payment.answer)
        return replace(said, advice=f"{said.advice} {self.left}") if said and self.left else said

    @property
    def can_resend(self) -> bool:
        """Whether its recipient can still use what an SMS would carry, and is not being paid."""
        if self.payment.state == State.SHOWN:
            return False
        return self.status == Status.ISSUED and self.token.recipient is not None

    @property
    def names_recipient(self) -> bool:
        """Whether its recipient's number may be shown: not where it proves whose the token is."""
        return self.token.binding not in (TO_RECIPIENT, TO_COUNTER)

    @property
    def takes_next(self) -> bool:
        """Whether it is over and the cashier goes on to another token."""
        return self.is_own and self.shift_is_open and not self.waits

    @property
    def waits(self) -> bool:
        """Whether it can still be paid."""
        return self.payment.state == State.SHOWN and not self.is_stale

    @property
    def can_void(self) -> bool:
        """Whether it can be taken back."""
        return self.payment.state == State.PAID and self.shift_is_open


def routes(pages: Blueprint, parts: CounterParts) -> None:
    """`/counter/payments/<reference>` and its two buttons."""

    @pages.get("/payments/<reference>")
    @allowed(*AT_COUNTER)
    def payment(reference: str) -> Response:
        """What became of it so far, and why it was not taken back."""
        return sheet(parts, reference, told=heard(parts.door))

    @pages.post("/payments/<reference>/confirm")
    @allowed(*AT_COUNTER)
    def confirm(reference: str) -> Response:
        """Pay it, once: its page says what became of it, however often this is sent."""
        member, now = g.member, parts.clock.now()
        try:
            customer = typed.phone(request.form.get("customer", ""), parts.country)
            paid = parts.database.run(
                lambda c: parts.counter.confirm(c, reference, member, customer, now),
                deadline=deadline(),
                keyed=True,
            )
        except NotAllowed:
            raise
        except BadInput as error:
            return sheet(parts, reference, {"customer": sentence(str(error))})
        return sent_on(f"/counter/payments/{reference}{_hint(paid, now)}")

    @pages.post("/payments/<reference>/decline")
    @allowed(*AT_COUNTER)
    def decline(reference: str) -> Response:
        """Leave it to the customer."""
        member, now = g.member, parts.clock.now()
        parts.database.run(
            lambda c: parts.counter.decline(c, reference, member, now),
            deadline=deadline(),
            keyed=True,
        )
        return sent_on(f"/counter/payments/{reference}")


def _hint(payment: Payment, now: datetime) -> str:
    """Whether this very request has paid, or another one before it, from whatever tab or phone."""
    if payment.state not in DONE:
        return ""
    return "?paid" if payment.decided_at == now else "?again"


def sheet(
    parts: CounterParts,
    reference: str,
    problems: Mapping[str, str] | None = None,
    told: Refusal | None = None,
) -> Response:
    """The page; with problems as the answer to a form that was not taken. Raises `NotAllowed`."""
    found = _read(parts, reference)
    status = UNPROCESSABLE if problems else HTTPStatus.OK
    if told is not None and found.payment.state != State.VOIDED:  # then it is out of date
        problems, status = {told.form: told.said}, told.status
    return shown(
        *(parts, "counter/payment.html", status),
        sheet=found,
        payment=found.payment,
        problems=problems or {},
        paid="paid" in request.args,
        again="again" in request.args,
        resent="resent" in request.args,
        typed=told.typed if told else request.form,
    )


def _read(parts: CounterParts, reference: str) -> Sheet:
    member, now = g.member, parts.clock.now()
    with parts.database.snapshot() as connection:
        payment = parts.counter.payment(connection, reference, member)
        shift = parts.counter.shift(connection, payment.shift_id, member)
        serial = payment.fresh_serial or payment.serial
        token = tokens.by_serial(connection, serial)
        message = sent.last(connection, serial)
        if token is None:
            raise LookupError(f"no token {serial}")
        room = left(connection, parts.counter.room, payment, shift, token, now)
    is_own, is_open = payment.cashier_id == member.id, shift.state == shifts.State.OPEN
    return Sheet(
        payment=payment,
        token=token,
        status=shown_status(token, now),
        message=message,
        is_own=is_own,
        is_stale=payment.state == State.SHOWN and now - payment.created_at > FRESH,
        is_just_paid=is_own and is_open and now - (payment.decided_at or now) <= FRESH,
        shift_is_open=is_open,
        left=_left(parts, payment, room) if is_open else "",
    )


def _left(parts: CounterParts, payment: Payment, room: Left) -> str:
    """How long it takes, or how much can be paid, until it can be; as it is now."""
    read = reader(parts)
    if payment.state == State.SHOWN:
        if payment.answer != Answer.LIMITED:
            return ""
        return AGAIN_AT.format(at=read.when(room.until)) if room.until else AGAIN_NOW
    if payment.answer not in MOST:
        return ""
    if room.most is None or room.most >= payment.amount:
        return ROOM_NOW
    return MOST[payment.answer].format(most=read.money(room.most, payment.currency))
