"""Opening a dispute: what can be stopped of its subject is stopped in the same transaction."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.clock import end_of_local_day
from gateway.disputes import messages, store
from gateway.disputes.states import KINDS, RULES, Kind, Opening
from gateway.disputes.store import Dispute
from gateway.errors import BadInput, RaceLost
from gateway.outlets.payments import store as payments
from gateway.tokens import serials, suspend
from gateway.tokens import store as tokens
from gateway.tokens.retire import shown_status
from gateway.tokens.store import Holder, Status
from gateway.withdrawals import store as withdrawals
from gateway.withdrawals.store import Payout, State

DEFAULT_DAYS = 14
DAYS_MAX = 365
UNSENT = (Payout.NONE, Payout.QUEUED)


class NoSubject(BadInput):
    """There is no token and no withdrawal that is called so."""


class NotDisputable(BadInput):
    """The subject has ended in a way that leaves nothing to dispute; `status` says how."""

    def __init__(self, what: str, status: str) -> None:
        super().__init__(f"the {what} is {status}: there is nothing to dispute")
        self.status = status


class AlreadyOpen(BadInput):
    """There is an open dispute about it; `reference` is its own."""

    def __init__(self, reference: str) -> None:
        super().__init__(f"dispute {reference} about it is open")
        self.reference = reference


@dataclass(frozen=True, slots=True)
class Complaint:
    """Who complains about what, and until when we answer."""

    subject: str  # a token's serial or a withdrawal's reference, as it was written
    on_behalf: str  # whose complaint it is (E.164)
    actor: str
    reason: str
    days: int = DEFAULT_DAYS  # local ones, to the end of the last


@dataclass(frozen=True, slots=True)
class _Subject:
    kind: Kind
    name: str
    amount: Decimal
    currency: str
    step: str


class Opener:
    """Opens disputes, each about one thing, along the table in states.py."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone

    def open(self, connection: Connection, complaint: Complaint, now: datetime) -> Dispute:
        """Open a dispute and say so by SMS to whoever complained.

        Raises `NoSubject`, `NotDisputable`, `AlreadyOpen`, `BadInput`.
        """
        if not 1 <= complaint.days <= DAYS_MAX:
            raise BadInput(f"the deadline lies 1 to {DAYS_MAX} days ahead")
        if not complaint.reason.strip():
            raise BadInput("a dispute needs its reason")
        subject = self._stopped(connection, complaint, now)
        reference = serials.new()
        store.add(
            connection,
            {
                "reference": reference,
                "kind": subject.kind.value,
                "subject": subject.name,
                "amount": subject.amount,
                "currency": subject.currency,
                "step": subject.step,
                "on_behalf": complaint.on_behalf,
                "opened_by": complaint.actor,
                "opened_at": now,
                "deadline": end_of_local_day(now, complaint.days, self._zone),
            },
        )
        trail.record(connection, complaint.actor, "dispute.open", reference, now, complaint.reason)
        opened = known(connection, reference)
        messages.tell_opened(connection, opened, now)
        return opened

    def _stopped(self, connection: Connection, complaint: Complaint, now: datetime) -> _Subject:
        serial = serials.normalise(complaint.subject)
        token = tokens.by_serial(connection, serial) if serial else None
        if token is not None:
            return _of_token(connection, token.id, complaint, now)
        reference = "".join(c for c in complaint.subject.upper() if c not in " -.")
        if withdrawals.by_reference(connection, reference) is not None:
            return _of_withdrawal(connection, reference, now)
        raise NoSubject("there is no token and no withdrawal that is called so")


def known(connection: Connection, reference: str) -> Dispute:
    """The dispute that a person means. Raises `BadInput`."""
    written = serials.normalise(reference)
    found = store.by_reference(connection, written) if written else None
    if found is None:
        raise BadInput("there is no dispute with this reference")
    return found


def _of_token(
    connection: Connection, token_id: int, complaint: Complaint, now: datetime
) -> _Subject:
    # Kept as it is to the end: what it is now decides what the dispute is about.
    token = tokens.locked(connection, token_id)
    _refuse_second(connection, token.serial)
    status = Status(shown_status(token, now))
    kind = KINDS.get(status)
    if kind is None:
        raise NotDisputable("token", status.value)
    if kind is Kind.REDEMPTION and payments.is_voided(connection, token.id):
        raise NotDisputable("payment", "voided, and a fresh token was sent")
    if RULES[kind].opening is Opening.SUSPENDS and status is Status.ISSUED:
        who, why = complaint.actor, complaint.reason
        suspend.suspend(connection, token, who, why, now, by=Holder.DISPUTE)
    return _Subject(kind, token.serial, token.amount, token.currency, status.value)


def _of_withdrawal(connection: Connection, reference: str, now: datetime) -> _Subject:
    withdrawals.lock(connection, reference)
    found = withdrawals.by_reference(connection, reference)
    if found is None:
        raise RaceLost("a withdrawal that was just read is not there")
    _refuse_second(connection, reference)
    kind = KINDS.get(State(found.state))
    if kind is None:
        raise NotDisputable("withdrawal", found.state)
    # What a worker is sending, or has sent, cannot be stopped: the dispute's step says so.
    if RULES[kind].opening is Opening.STOPS_PAYOUT and found.payout in UNSENT:
        at_its_step = (Payout(found.payout),)
        if not withdrawals.move(connection, found.id, at_its_step, Payout.MANUAL, now):
            raise RaceLost("the payout moved on while it was being stopped")
    return _Subject(kind, reference, found.total, found.currency, found.payout)


def _refuse_second(connection: Connection, subject: str) -> None:
    other = store.open_about(connection, subject)
    if other is not None:
        raise AlreadyOpen(other.reference)


def is_stopped(dispute: Dispute) -> bool:
    """Whether opening stopped the subject, or somebody had; no: its payout may be under way."""
    if dispute.kind == Kind.HELD:
        return dispute.step in (*UNSENT, Payout.MANUAL)
    return dispute.kind == Kind.LIVE
