"""What the dispute tests stage: subjects of every kind, two operators, and short ways to act."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import insert, select

from gateway.audit import store as audit_store
from gateway.audit.approvals import Approvals
from gateway.audit.decisions.store import Approval
from gateway.disputes import store
from gateway.disputes.open import Complaint
from gateway.disputes.resolve import APPROVAL
from gateway.disputes.store import Dispute
from gateway.ledger.store import entries, movements
from gateway.outbox.store import outbox
from gateway.tokens import suspend
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import funded, wallet
from tests.withdrawals.staging import Desk

CHIDI = "+2348030000003"
ASKER, SECOND = "cli:first", "cli:second"
WHY = "she says that it was not her"


@dataclass
class Office:
    """Operators who handle disputes over a wired gateway."""

    wired: Wired
    desk: Desk

    @property
    def resolver(self) -> Any:
        """What ends disputes."""
        return self.wired.gateway.disputes.resolver

    @property
    def approvals(self) -> Approvals:
        """Decides about refunds."""
        return Approvals(self.wired.gateway.disputes.executors())

    def open(self, subject: str, on_behalf: str = ADA, **changes: Any) -> Dispute:
        """Open a dispute."""
        complaint = Complaint(subject, on_behalf, ASKER, WHY, **changes)
        now = self.wired.clock.now()
        return self.wired.run(lambda c: self.wired.gateway.disputes.opener.open(c, complaint, now))

    def ask(self, dispute: Dispute, amount: str | None = None, source: str = "owner") -> int:
        """Ask for a refund; the number of the approval that waits."""
        now, wanted = self.wired.clock.now(), None if amount is None else Decimal(amount)

        def work(connection: Any) -> int:
            found, details = self.resolver.request(
                connection, dispute.reference, wanted, source, now
            )
            return self.approvals.ask(
                connection, APPROVAL, found.reference, details, ASKER, WHY, now
            )

        return self.wired.run(work)

    def approve(self, number: int, actor: str = SECOND) -> Approval:
        """Let the second operator approve it."""
        now = self.wired.clock.now()
        return self.wired.run(lambda c: self.approvals.approve(c, number, actor, now))

    def refund(
        self, dispute: Dispute, amount: str | None = None, source: str = "owner"
    ) -> Approval:
        """Ask and approve."""
        return self.approve(self.ask(dispute, amount, source))

    def end(self, how: str, dispute: Dispute) -> Dispute:
        """Release or reject."""
        do, now = getattr(self.resolver, how), self.wired.clock.now()
        found: Dispute = self.wired.run(lambda c: do(c, dispute.reference, ASKER, "looked", now))
        return found

    def now(self, dispute: Dispute) -> Dispute:
        """The dispute as it stands."""
        found = self.wired.run(lambda c: store.by_reference(c, dispute.reference))
        assert found is not None
        return found

    def told(self, template: str) -> list[str]:
        """Who gets a message of this template."""
        query = select(outbox.c.recipient).where(outbox.c.template == template)
        return list(self.wired.run(lambda c: c.execute(query).scalars().all()))

    def trail(self, dispute: Dispute) -> list[tuple[str, str, str]]:
        """Actor, action and reason of what was done about a dispute itself."""
        lines = self.wired.run(lambda c: audit_store.about(c, dispute.reference))
        return [(line.actor, line.action, line.reason) for line in lines]


def redeemed(wired: Wired, amount: str = "100.00", by: str = BELLO) -> str:
    """The serial of a token that Ada has paid for and another phone has redeemed."""
    wallet(wired, ADA, amount)
    issued = funded(wired, ADA, amount, recipient=BELLO)
    assert wired.redeem(issued.reveal(), by).answer.value == "redeemed"
    return issued.serial


def refund_movements(wired: Wired) -> list[tuple[str, Decimal]]:
    """The key of every refund, and what was moved."""
    query = (
        select(movements.c.operation_key, entries.c.amount)
        .join(entries, entries.c.movement_id == movements.c.id)
        .where(movements.c.kind == "refund", entries.c.amount > Decimal("0.00"))
        .order_by(movements.c.id)
    )
    return [(key, amount) for key, amount in wired.run(lambda c: c.execute(query).all())]


def plant(wired: Wired, dispute: Dispute, reference: str) -> Dispute:
    """A second open dispute about the same redemption, which no opening would make."""
    values = {name: getattr(dispute, name) for name in Dispute.__dataclass_fields__}
    values |= {"id": None, "reference": reference, "open_subject": reference}
    wired.run(lambda c: c.execute(insert(store.disputes).values(values)).rowcount)
    found = wired.run(lambda c: store.by_reference(c, reference))
    assert found is not None
    return found


def suspended_by_somebody(wired: Wired, serial: str) -> None:
    """Suspend a token before any dispute."""
    token = wired.token(serial)
    wired.run(lambda c: suspend.suspend(c, token, "cli:other", "", wired.clock.now()))
