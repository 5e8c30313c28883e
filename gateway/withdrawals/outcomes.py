"""What a provider says of a payout, whenever and however: applied once, or kept and alarmed."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import structlog
from sqlalchemy import Connection

from gateway.errors import RaceLost
from gateway.providers.base.messages import Outcome, Status
from gateway.withdrawals import store
from gateway.withdrawals.events import store as events
from gateway.withdrawals.events.store import Event, Verdict
from gateway.withdrawals.settle import ANY_STEP, Settler
from gateway.withdrawals.store import Payout, State, Withdrawal

log = structlog.get_logger()

# Who said it.
CALL, STATUS, CALLBACK, OPERATOR = "call", "status", "callback", "operator"


@dataclass(frozen=True, slots=True)
class Heard:
    """A proven word about a payout; texts are empty where nothing was said."""

    source: str
    outcome: Outcome
    txn_id: str = ""
    provider_ref: str = ""
    amount: Decimal | None = None
    reason: str = ""

    @classmethod
    def of(cls, source: str, status: Status) -> "Heard":
        """What an answer of the provider says."""
        return cls(
            source,
            status.outcome,
            status.txn_id,
            status.provider_ref,
            status.amount,
            status.reason,
        )


class Outcomes:
    """Applies what is said of payouts along the table in docs/withdrawals.md."""

    def __init__(self, settler: Settler) -> None:
        self._settler = settler

    def learn(
        self, connection: Connection, withdrawal: Withdrawal, heard: Heard, now: datetime
    ) -> None:
        """Apply a proven word to the withdrawal as it was read; a repeat of it changes nothing.

        Raises `RaceLost` when the withdrawal has changed since.
        """
        if heard.provider_ref and withdrawal.provider_ref is None:
            store.name(connection, withdrawal.id, heard.provider_ref)
        if heard.outcome == Outcome.SUCCEEDED:
            self._succeeded(connection, withdrawal, heard, now)
        elif heard.outcome == Outcome.FAILED:
            self._failed(connection, withdrawal, heard, now)
        elif heard.outcome == Outcome.REVERSED:
            self._reversed(connection, withdrawal, heard, now)

    def _succeeded(
        self, connection: Connection, withdrawal: Withdrawal, heard: Heard, now: datetime
    ) -> None:
        if withdrawal.state == State.REJECTED:
            self._alarm(connection, withdrawal, heard, "paid after it was rejected", now)
            return
        if withdrawal.state == State.PAID:
            if not _is_repeat(withdrawal, heard):
                self._alarm(connection, withdrawal, heard, "paid a second time", now)
            return
        if heard.amount is not None and heard.amount != withdrawal.amount:
            self._alarm(connection, withdrawal, heard, "another amount was paid", now)
            return
        named = heard.txn_id or heard.provider_ref or withdrawal.provider_ref
        txn_id, through = named or withdrawal.reference, withdrawal.provider
        if store.by_txn(connection, through, txn_id) is not None:
            self._alarm(connection, withdrawal, heard, "the transaction paid another", now)
            return
        if not self._settler.pay(connection, withdrawal, through, txn_id, now):
            raise RaceLost("the withdrawal changed while it was being paid")
        events.add(connection, _event(withdrawal, heard, Verdict.APPLIED, heard.reason, now))

    def _failed(
        self, connection: Connection, withdrawal: Withdrawal, heard: Heard, now: datetime
    ) -> None:
        if withdrawal.state == State.HELD:
            reason = heard.reason or "the provider says that it failed"
            if not self._settler.reject(connection, withdrawal, reason, now):
                raise RaceLost("the withdrawal changed while it was being rejected")
            events.add(connection, _event(withdrawal, heard, Verdict.APPLIED, heard.reason, now))
        elif withdrawal.state == State.PAID:
            event = _event(withdrawal, heard, Verdict.IGNORED_LATE, heard.reason, now)
            if _keep(connection, event):
                log.error("payout_failed_after_paid", reference=withdrawal.reference)

    def _reversed(
        self, connection: Connection, withdrawal: Withdrawal, heard: Heard, now: datetime
    ) -> None:
        if withdrawal.state != State.REJECTED:
            self._alarm(connection, withdrawal, heard, "paid and taken back", now)

    def _alarm(
        self,
        connection: Connection,
        withdrawal: Withdrawal,
        heard: Heard,
        what: str,
        now: datetime,
    ) -> None:
        """Book nothing: keep what was said and put the withdrawal before an operator, once."""
        reason = f"{what}; {heard.reason}" if heard.reason else what
        if not _keep(connection, _event(withdrawal, heard, Verdict.CONTRADICTION, reason, now)):
            return
        if withdrawal.state == State.HELD:
            if not store.move(connection, withdrawal.id, ANY_STEP, Payout.MANUAL, now):
                raise RaceLost("the withdrawal changed while it was being judged")
        else:
            store.flag(connection, withdrawal.id, Payout.NONE, Payout.MANUAL)
        log.error(
            "payout_contradiction",
            reference=withdrawal.reference,
            provider=withdrawal.provider,
            state=withdrawal.state,
            said=heard.outcome.value,
            txn_id=heard.txn_id,
            what=what,
        )


def _is_repeat(withdrawal: Withdrawal, heard: Heard) -> bool:
    """Whether a success is the one that is booked.

    Providers may name one payment by their own id first and by the carrier's receipt later.
    """
    if withdrawal.paid_through != withdrawal.provider:
        return False
    loose = (withdrawal.provider_ref, withdrawal.reference)
    return (
        heard.txn_id in ("", withdrawal.provider_txn_id, *loose)
        or withdrawal.provider_txn_id in loose
    )


def _event(
    withdrawal: Withdrawal, heard: Heard, verdict: Verdict, reason: str, now: datetime
) -> Event:
    return Event(
        withdrawal.reference,
        now,
        heard.source,
        heard.outcome.value,
        verdict.value,
        heard.txn_id,
        heard.amount,
        reason,
    )


def _keep(connection: Connection, event: Event) -> bool:
    """Whether this was not said before; asking for days must not fill the table, nor alarm anew."""
    if events.is_known(connection, event):
        return False
    events.add(connection, event)
    return True
