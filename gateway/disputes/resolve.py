"""Resolving a dispute, once: refund, release or reject, along the table in states.py."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.audit.approvals import Requests, concerning
from gateway.disputes import messages, store
from gateway.disputes.open import known
from gateway.disputes.refund import Refunder, concerned, lock_subject
from gateway.disputes.states import RULES, Kind, Opening, State
from gateway.disputes.store import Dispute
from gateway.errors import BadInput, RaceLost
from gateway.formats import money
from gateway.formats.facts import Made, Sum, fact
from gateway.ledger.store import HOUSE
from gateway.tokens import store as tokens
from gateway.tokens import suspend
from gateway.tokens.store import Holder, Status
from gateway.withdrawals import store as withdrawals
from gateway.withdrawals.payout import queue_payout
from gateway.withdrawals.store import Payout

APPROVAL = "dispute.refund"  # the kind of approval a refund waits for
# How a payout that was stopped goes on, by the step it was stopped at.
GOES_ON = {
    Payout.NONE.value: Payout.NONE,
    Payout.QUEUED.value: Payout.QUEUED,
    # Its call got through to nobody after all, and the dispute kept it from being made again.
    Payout.SENDING.value: Payout.QUEUED,
}

WORDS = {
    Kind.LIVE: "live token",
    Kind.REDEMPTION: "redemption",
    Kind.HELD: "withdrawal that is held",
    Kind.PAID: "withdrawal that was paid",
}


class NotOpen(BadInput):
    """The dispute was resolved before; `state` says how."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the dispute is {state}")
        self.state = state


class NotAllowed(BadInput):
    """A dispute of this kind cannot end so."""

    def __init__(self, dispute: Dispute, end: State) -> None:
        super().__init__(f"a dispute about a {WORDS[Kind(dispute.kind)]} cannot be {end.value}")


class Resolver:
    """Ends disputes; whoever loses a race for one is told how it ended."""

    def __init__(self, refunder: Refunder, requests: Requests) -> None:
        self._refunder = refunder
        self._requests = requests

    def request(
        self,
        connection: Connection,
        reference: str,
        amount: Decimal | None,
        source: str,
        now: datetime,
    ) -> tuple[Dispute, Mapping[str, str]]:
        """The dispute and the details of its refund, for an approval.

        Without an amount it is what is left of the subject's. Refuses what could not be refunded
        now. Raises what `refund` does.
        """
        dispute = _open(connection, reference, State.REFUNDED)
        if dispute.kind == Kind.PAID:
            source = HOUSE  # the money has left: nobody else has it
        wanted = self._refunder.left(connection, dispute) if amount is None else amount
        self._refunder.insist(connection, dispute, wanted, source, now)
        _open(connection, reference, State.REFUNDED)  # its subject is locked now: it stays open
        details = {"amount": money.plain(wanted), "currency": dispute.currency, "from": source}
        people = concerning(dispute.on_behalf, *concerned(connection, dispute))
        return dispute, {**details, **people, "about": f"{dispute.kind} {dispute.subject}"}

    def ask(
        self,
        connection: Connection,
        reference: str,
        amount: Decimal | None,
        source: str,
        actor: str,
        reason: str,
        now: datetime,
    ) -> int:
        """Ask a second operator for a refund; the number of the approval. Raises as `request`."""
        found, details = self.request(connection, reference, amount, source, now)
        name = found.reference
        return self._requests.ask(connection, APPROVAL, name, details, actor, reason, now)

    def refund(
        self,
        connection: Connection,
        reference: str,
        details: Mapping[str, str],
        actor: str,
        reason: str,
        now: datetime,
    ) -> str:
        """Carry out an approved refund; what was done, for the trail.

        Raises `NotOpen`, `NotAllowed`, and what `Refunder.refund` does.
        """
        dispute = _open(connection, reference, State.REFUNDED)
        amount, source = money.parse(details["amount"]), details["from"]
        # Locks the subject first: refunds of one redemption take their turns.
        self._refunder.insist(connection, dispute, amount, source, now)
        self._end(connection, dispute, State.REFUNDED, actor, reason, now, amount)
        self._refunder.refund(connection, dispute, amount, source, actor, reason, now)
        what, subject = Sum(amount, dispute.currency), Made(dispute.subject)
        return fact("{sum} refunded for {subject}", sum=what, subject=subject)

    def release(
        self, connection: Connection, reference: str, actor: str, reason: str, now: datetime
    ) -> Dispute:
        """Let the subject go on as before. Raises `NotOpen`, `NotAllowed`."""
        return self._let_go(connection, reference, State.RELEASED, actor, reason, now)

    def reject(
        self, connection: Connection, reference: str, actor: str, reason: str, now: datetime
    ) -> Dispute:
        """Turn the complaint down; what was stopped goes on. Raises `NotOpen`, `NotAllowed`."""
        return self._let_go(connection, reference, State.REJECTED, actor, reason, now)

    def _let_go(
        self,
        connection: Connection,
        reference: str,
        end: State,
        actor: str,
        reason: str,
        now: datetime,
    ) -> Dispute:
        dispute = _open(connection, reference, end)
        lock_subject(connection, dispute)
        self._end(connection, dispute, end, actor, reason, now)
        # Nobody can ask for its refund any more: whoever does locks the subject and looks again.
        name = dispute.reference
        self._requests.drop(connection, APPROVAL, name, actor, "the dispute is closed", now)
        opening = RULES[Kind(dispute.kind)].opening
        if opening is Opening.SUSPENDS:
            _resume(connection, dispute, actor, reason, now)
        elif opening is Opening.STOPS_PAYOUT:
            _go_on(connection, dispute, now)
        return known(connection, reference)

    def _end(
        self,
        connection: Connection,
        dispute: Dispute,
        end: State,
        actor: str,
        reason: str,
        now: datetime,
        refunded: Decimal | None = None,
    ) -> None:
        if not store.resolve(connection, dispute.id, end, actor, now, refunded):
            raise RaceLost("the dispute was resolved meanwhile")
        trail.record(connection, actor, f"dispute.{end.value}", dispute.reference, now, reason)
        messages.tell_resolved(connection, dispute, end, now, refunded)


def _open(connection: Connection, reference: str, end: State) -> Dispute:
    dispute = known(connection, reference)
    if dispute.state != State.OPEN:
        raise NotOpen(dispute.state)
    if end not in RULES[Kind(dispute.kind)].ends:
        raise NotAllowed(dispute, end)
    return dispute


def _resume(
    connection: Connection, dispute: Dispute, actor: str, reason: str, now: datetime
) -> None:
    """Undo what opening did, unless somebody has suspended it before or changed it since.

    What a restore has stopped meanwhile may have been spent: no dispute lets it go.
    """
    token = tokens.by_serial(connection, dispute.subject)
    if token is None or dispute.step != Status.ISSUED:
        return
    if token.status == Status.SUSPENDED and token.held_by != Holder.RESTORE:
        suspend.resume(connection, token, actor, reason, now, store.open_reference)


def _go_on(connection: Connection, dispute: Dispute, now: datetime) -> None:
    """The same for a payout, which waits for its approval or its worker again."""
    found = withdrawals.by_reference(connection, dispute.subject)
    step = GOES_ON.get(dispute.step)
    if found is None or step is None or found.handed_over_at is not None:
        return
    stopped = (Payout.MANUAL,)
    if withdrawals.move(connection, found.id, stopped, step, now) and step is Payout.QUEUED:
        queue_payout(connection, found, now)
