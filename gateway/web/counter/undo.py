"""After a payment: taking it back before a manager's eyes, and sending its token once more."""

from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.database.engine import Deadline
from gateway.errors import BadInput, DerivationMismatch
from gateway.outlets.payments.store import Payment
from gateway.outlets.rights import ONCE, NotAllowed
from gateway.people.pins.hashing import Busy
from gateway.people.staff.entrance import Locked, PinOnce, Wrong
from gateway.people.staff.hands import setter
from gateway.people.staff.proofs import store as proofs
from gateway.people.staff.store import Member
from gateway.web.counter import typed
from gateway.web.counter.parts import CounterParts
from gateway.web.counter.payment import sheet
from gateway.web.counter.show import UNPROCESSABLE
from gateway.web.pages.answers import problem, sent_on, sentence
from gateway.web.pages.door import AT_COUNTER, allowed, deadline, place
from gateway.web.pages.login import BUSY, NOT_A_PHONE, refusal
from gateway.web.pages.refused import carries_pin

ANOTHER_MANAGER = "It takes another manager of this outlet: nobody takes back what they paid."
UNSENDABLE = "This token cannot be sent again. Tell an operator its serial."


def routes(pages: Blueprint, parts: CounterParts) -> None:
    """`void` and `resend` of a payment."""

    @pages.post("/payments/<reference>/void")
    @allowed(*AT_COUNTER)
    @carries_pin("void", "/counter/payments/{reference}".format, "recipient", "reason", "manager")
    def void(reference: str) -> Response:
        """Take it back: the manager stands by and enters their PIN."""
        payment = _seen(parts, reference)
        form, now, limit = request.form, parts.clock.now(), deadline()
        try:
            reason = trail.worded(form.get("reason", ""))
            recipient = typed.phone(form.get("recipient", ""), parts.country)
            manager = _manager(parts, payment, limit)

            def work(connection: Connection) -> None:
                proofs.insist_unchanged(connection, manager)
                parts.counter.void(connection, reference, manager, recipient, reason, now)

            parts.database.run(work, deadline=limit, keyed=True)
        except NotAllowed:
            return problem(UNPROCESSABLE, ANOTHER_MANAGER)
        except BadInput as error:
            return problem(UNPROCESSABLE, sentence(str(error)))
        return sent_on(f"/counter/payments/{reference}")

    @pages.post("/payments/<reference>/resend")
    @allowed(*AT_COUNTER)
    def resend(reference: str) -> Response:
        """Its SMS once more, to nobody but its recipient."""
        _seen(parts, reference)
        member, now = g.member, parts.clock.now()
        seen = typed.number(request.form.get("seen", "")) or 0
        try:
            parts.database.run(
                lambda c: parts.counter.resend(c, reference, member, seen, now),
                deadline=deadline(),
                keyed=True,
            )
        except BadInput as error:
            return sheet(parts, reference, {"resend": sentence(str(error))})
        except DerivationMismatch:
            return sheet(parts, reference, {"resend": UNSENDABLE})
        return sent_on(f"/counter/payments/{reference}?resent")


def _seen(parts: CounterParts, reference: str) -> Payment:
    """The payment, for whoever may see it. Raises `NotAllowed`."""
    with parts.database.snapshot() as connection:
        return parts.counter.payment(connection, reference, g.member)


def _manager(parts: CounterParts, payment: Payment, limit: Deadline) -> Member:
    """Who has entered their PIN. Raises `BadInput`."""
    phone = typed.phone(request.form.get("manager", ""), parts.country)
    if not phone:
        raise BadInput(NOT_A_PHONE)
    try:
        manager = parts.door.roster.entrance.entered_before(
            *(g.member, phone, request.form.get("pin", "")),
            *(f"to take back {payment.serial}", limit, place()),
        )
    except PinOnce:
        raise BadInput(ONCE) from None
    except Busy:
        raise BadInput(BUSY) from None
    except (Locked, Wrong) as error:
        raise BadInput(refusal(error, parts.zone)) from None
    if setter(manager) is not None:  # who set it may be standing there in their stead
        raise BadInput(ONCE)
    return manager
