"""What operators do about withdrawals: pay one by hand, reject it, ask for a settlement."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import structlog
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.audit.approvals import Requests, concerning
from gateway.errors import BadInput, Disputed, RaceLost
from gateway.ledger.limits import Limits
from gateway.outbox import tasks as outbox_tasks
from gateway.outbox.leases.store import is_awaited
from gateway.providers.base.messages import ID_CHARACTERS_MAX, Outcome
from gateway.tokens.suspend import OpenDispute
from gateway.withdrawals import outcomes, store
from gateway.withdrawals.events import store as events
from gateway.withdrawals.events.store import Event, Verdict
from gateway.withdrawals.request import start
from gateway.withdrawals.settle import Settler
from gateway.withdrawals.store import SETTLEMENT, Payout, State, Withdrawal

log = structlog.get_logger()

BANK = "bank"  # who paid what no provider did
# Kinds of approval.
PAYOUT, PAY_BY_HAND, REJECT = "payout", "payout.pay", "payout.reject"
# Whether a clean reconciliation lets what was asked for at an instant go to tills and partners.
IsReleased = Callable[[Connection, datetime], bool]
FORCED = "forced"  # the detail of an approval: it may have been paid all the same
NOT_HANDED_OVER = (Payout.NONE, Payout.QUEUED, Payout.MANUAL)
HANDED_OVER = (Payout.UNKNOWN, Payout.MANUAL)


class StillOpen(BadInput):
    """The provider may have paid it, or may yet do so: only `--force` and a second operator."""


class NotHeld(BadInput):
    """The withdrawal has ended; `state` says how."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the withdrawal is {state}")
        self.state = state


class NotReleased(BadInput):
    """The day's books have not been reconciled cleanly yet."""


@dataclass(frozen=True, slots=True)
class Deed:
    """Who does something, why, and whether knowing that the payout may still come through."""

    actor: str
    reason: str
    forced: bool = False


class Operators:
    """Acts for operators; returns whether it was done at once or waits for a second one."""

    def __init__(
        self,
        settler: Settler,
        requests: Requests,
        is_released: IsReleased,
        limits: Limits,
        alone_max: Decimal | None,
        open_dispute: OpenDispute,
    ) -> None:
        self._settler = settler
        self._requests = requests
        self._is_released = is_released
        self._limits = limits
        self._alone_max = alone_max
        self._open_dispute = open_dispute

    def pay(
        self,
        connection: Connection,
        reference: str,
        txn_id: str,
        through: str,
        deed: Deed,
        now: datetime,
    ) -> bool:
        """Record that it was paid `through` a provider or the bank; False: a second one is asked.

        What a provider was given is paid by hand only under that provider's own transaction id,
        which confirms what it did. Raises `NotHeld`, `Disputed`, `StillOpen`, `NotReleased`,
        `BadInput`.
        """
        found = self.undisputed(connection, reference)
        through = through or found.provider or BANK
        self.refuse_payment(connection, found, txn_id, through, deed)
        if self._is_large(found) or deed.forced:
            details = {"txn_id": txn_id, "through": through} | _force(deed)
            self._ask(connection, PAY_BY_HAND, found, details, deed, now)
            return False
        self.carry_out(connection, found, txn_id, through, deed, now)
        return True

    def reject(self, connection: Connection, reference: str, deed: Deed, now: datetime) -> bool:
        """Give the money back; False: a second one is asked, as it may have left all the same.

        Raises `NotHeld`, `StillOpen`, `OwnerClosed`.
        """
        found = held(connection, reference)
        if deed.forced:
            _steps(found)
            self._ask(connection, REJECT, found, _force(deed), deed, now)
            return False
        if found.handed_over_at is not None and not _was_taken_back(connection, found):
            raise StillOpen("the provider may have paid it, or may yet do so")
        self.give_back(connection, found, deed, now)
        return True

    def undisputed(self, connection: Connection, reference: str) -> Withdrawal:
        """A held withdrawal, locked: whoever opens a dispute about it waits, or has opened it.

        Raises `NotHeld`, `Disputed`.
        """
        store.lock(connection, reference)
        found = held(connection, reference)
        disputed = self._open_dispute(connection, reference)
        if disputed is not None:
            raise Disputed(disputed)
        return found

    def acknowledge(
        self, connection: Connection, reference: str, deed: Deed, now: datetime
    ) -> None:
        """Take an ended withdrawal off the operators' list: somebody has seen to it."""
        found = known(connection, reference)
        if not store.flag(connection, found.id, Payout.MANUAL, Payout.NONE):
            raise BadInput("the withdrawal is not on the list of what needs an operator")
        trail.record(connection, deed.actor, "withdrawal.acknowledge", reference, now, deed.reason)

    def ask_for_payout(self, connection: Connection, withdrawal: Withdrawal, now: datetime) -> None:
        """Put a withdrawal that is too large to go out by itself before an operator."""
        deed = Deed(withdrawal.requested_by, "above the amount that goes out by itself")
        self._ask(connection, PAYOUT, withdrawal, {}, deed, now)

    def resend(self, connection: Connection, reference: str, deed: Deed, now: datetime) -> bool:
        """Give one that no provider has got to the worker again; False: a second one is asked.

        Raises `NotHeld`, `Disputed`, `StillOpen`, `BadInput`.
        """
        found = self.undisputed(connection, reference)
        if found.handed_over_at is not None:
            raise StillOpen("the provider may have paid it, or may yet do so")
        if not found.provider:
            raise BadInput("no provider serves this phone")
        if found.payout == Payout.QUEUED and is_awaited(connection, reference, outbox_tasks.PAYOUT):
            raise BadInput("it is queued")
        if self._is_large(found):
            self._ask(connection, PAYOUT, found, {}, deed, now)
            return False
        self.start(connection, found, deed, now)
        return True

    def put_aside(self, connection: Connection, reference: str, why: str, now: datetime) -> None:
        """Nobody lets a held withdrawal go out: an operator must reject it, or ask again.

        Its owner is told when the money comes back or goes out, not before: neither is decided.
        """
        found = known(connection, reference)
        if store.move(connection, found.id, (Payout.NONE,), Payout.MANUAL, now):
            log.error("payout_not_approved", reference=reference, why=why)

    def start(self, connection: Connection, found: Withdrawal, deed: Deed, now: datetime) -> None:
        """Let the worker pay a held withdrawal that waits. Raises `BadInput`."""
        if found.handed_over_at is not None or not start(connection, found, now):
            raise BadInput("the withdrawal does not wait to be paid any more")
        reference = found.reference
        trail.record(connection, deed.actor, "withdrawal.send", reference, now, deed.reason)

    def refuse_payment(
        self,
        connection: Connection,
        found: Withdrawal,
        txn_id: str,
        through: str,
        deed: Deed,
    ) -> None:
        """Raise what stands against recording this payment now, as `pay` does."""
        if not (0 < len(txn_id) <= ID_CHARACTERS_MAX and txn_id.isprintable()) or " " in txn_id:
            raise BadInput(f"a transaction id has 1 to {ID_CHARACTERS_MAX} characters, no spaces")
        other = store.by_txn(connection, through, txn_id)
        if other is not None:
            raise BadInput(f"this transaction has paid withdrawal {other.reference}")
        _steps(found)
        elsewhere = found.handed_over_at is not None and through != found.provider
        if elsewhere and not deed.forced:
            raise StillOpen(f"{found.provider} may have paid it, or may yet do so")
        waits = found.method == SETTLEMENT
        if waits and not self._is_released(connection, found.requested_at):
            raise NotReleased("the day it was asked for has no clean reconciliation yet")

    def carry_out(
        self,
        connection: Connection,
        found: Withdrawal,
        txn_id: str,
        through: str,
        deed: Deed,
        now: datetime,
    ) -> None:
        """Record a payment that nothing stands against."""
        if not self._settler.pay(connection, found, through, txn_id, now, _steps(found)):
            raise RaceLost("the withdrawal changed meanwhile")
        self._record(connection, found, Outcome.SUCCEEDED, txn_id, deed, now)

    def give_back(
        self, connection: Connection, found: Withdrawal, deed: Deed, now: datetime
    ) -> None:
        """Reject a held withdrawal that nothing stands against. Raises `StillOpen`."""
        if not self._settler.reject(connection, found, deed.reason, now, _steps(found)):
            raise RaceLost("the withdrawal changed meanwhile")
        self._record(connection, found, Outcome.FAILED, "", deed, now)

    def _is_large(self, found: Withdrawal) -> bool:
        return self._alone_max is not None and found.amount > self._alone_max

    def _record(
        self,
        connection: Connection,
        found: Withdrawal,
        outcome: Outcome,
        txn_id: str,
        deed: Deed,
        now: datetime,
    ) -> None:
        said = (outcomes.OPERATOR, outcome.value, Verdict.APPLIED.value)
        events.add(
            connection, Event(found.reference, now, *said, txn_id=txn_id, reason=deed.reason)
        )
        action = "withdrawal.pay" if outcome == Outcome.SUCCEEDED else "withdrawal.reject"
        trail.record(connection, deed.actor, action, found.reference, now, deed.reason)

    def _ask(
        self,
        connection: Connection,
        kind: str,
        found: Withdrawal,
        details: Mapping[str, str],
        deed: Deed,
        now: datetime,
    ) -> None:
        people = concerning(found.msisdn, found.destination, found.requested_by)
        shown = {"amount": str(found.amount), "currency": found.currency, **people, **details}
        self._requests.ask(connection, kind, found.reference, shown, deed.actor, deed.reason, now)


def known(connection: Connection, reference: str) -> Withdrawal:
    """The withdrawal with our reference. Raises `BadInput`."""
    found = store.by_reference(connection, reference)
    if found is None:
        raise BadInput("there is no withdrawal with this reference")
    return found


def held(connection: Connection, reference: str) -> Withdrawal:
    """The same, if it is held. Raises `NotHeld`."""
    found = known(connection, reference)
    if found.state != State.HELD:
        raise NotHeld(found.state)
    return found


def _steps(found: Withdrawal) -> Sequence[Payout]:
    """Where it must still stand when an operator ends it; never in the middle of a call."""
    if found.payout == Payout.SENDING:
        raise StillOpen("a worker is paying it at this moment")
    return NOT_HANDED_OVER if found.handed_over_at is None else HANDED_OVER


def _was_taken_back(connection: Connection, found: Withdrawal) -> bool:
    """Whether the provider has said for certain that it took a payment back."""
    said = events.about(connection, found.reference)
    return any(event.said == Outcome.REVERSED for event in said)


def _force(deed: Deed) -> dict[str, str]:
    return {FORCED: "yes"} if deed.forced else {}
