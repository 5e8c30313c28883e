"""What a second operator's approval does about a withdrawal."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gateway.audit.approvals import Executor
from gateway.audit.decisions.store import Approval
from gateway.withdrawals.operate import (
    FORCED,
    PAY_BY_HAND,
    PAYOUT,
    REJECT,
    Deed,
    Operators,
    held,
)


@dataclass(frozen=True, slots=True)
class SendsIt:
    """Gives a large withdrawal to the worker."""

    operators: Operators

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Raises `NotHeld`, `Disputed`, `BadInput`."""
        found = self.operators.undisputed(connection, approval.subject)
        self.operators.start(connection, found, _deed(approval), now)
        return "queued"

    def refused(self, connection: Connection, approval: Approval, now: datetime) -> None:
        """It waits for an operator from now on, on the list of those that do."""
        self.operators.put_aside(connection, approval.subject, f"approval {approval.state}", now)


@dataclass(frozen=True, slots=True)
class PaysIt:
    """Records a payment by hand; everything is judged anew on the facts as they are now."""

    operators: Operators

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Raises what `Operators.pay` does."""
        found, deed = self.operators.undisputed(connection, approval.subject), _deed(approval)
        txn_id, through = approval.details["txn_id"], approval.details["through"]
        self.operators.refuse_payment(connection, found, txn_id, through, deed)
        self.operators.carry_out(connection, found, txn_id, through, deed, now)
        return f"paid through {through}"


@dataclass(frozen=True, slots=True)
class RejectsIt:
    """Gives the money of a payout back of which nobody knows whether it went out."""

    operators: Operators

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Raises `NotHeld`, `StillOpen`, `OwnerClosed`."""
        found = held(connection, approval.subject)
        self.operators.give_back(connection, found, _deed(approval), now)
        return "rejected"


def executors(operators: Operators) -> Mapping[str, Executor]:
    """Who does what was approved, by its kind."""
    return {
        PAYOUT: SendsIt(operators),
        PAY_BY_HAND: PaysIt(operators),
        REJECT: RejectsIt(operators),
    }


def _deed(approval: Approval) -> Deed:
    by = approval.decided_by or approval.asked_by
    return Deed(by, approval.reason, forced=FORCED in approval.details)
