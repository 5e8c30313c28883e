"""The parts about disputes: opening, resolving, the SMS about them, and what alarms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from gateway.audit.approvals import Executor, Requests
from gateway.audit.decisions.store import Approval
from gateway.chores import Chore
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.disputes import overdue
from gateway.disputes.invariants.check import INVARIANTS
from gateway.disputes.messages import DisputeMessages
from gateway.disputes.open import Opener
from gateway.disputes.refund import Refunder
from gateway.disputes.resolve import APPROVAL, Resolver
from gateway.languages import Languages
from gateway.ledger.books import Books
from gateway.ledger.invariants.check import Invariant
from gateway.outbox.sending import Renderer
from gateway.people.subscribers import Subscribers
from gateway.settings import Settings
from gateway.tokens.retire import Retirer
from gateway.withdrawals.operate import Operators


@dataclass(frozen=True, slots=True)
class RefundExecutor:
    """Carries out an approved refund."""

    resolver: Resolver

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Refund what was asked for, in the name of whoever asked."""
        return self.resolver.refund(
            connection,
            approval.subject,
            approval.details,
            approval.asked_by,
            approval.reason,
            now,
        )


@dataclass(frozen=True, slots=True)
class Disputes:
    """What is done with disputes, all over the same books."""

    opener: Opener
    resolver: Resolver
    messages: DisputeMessages

    @property
    def invariants(self) -> Sequence[Invariant]:
        """What must hold between disputes and the books."""
        return INVARIANTS

    def renderers(self) -> Mapping[str, Renderer]:
        """Who makes the text of each outbox template about disputes."""
        return self.messages.renderers()

    def executors(self) -> Mapping[str, Executor]:
        """Who does what a second operator has approved."""
        return {APPROVAL: RefundExecutor(self.resolver)}

    def chores(self, database: Database, clock: Clock) -> dict[str, Chore]:
        """Their part of `gateway sweep`."""
        return {"disputes_overdue": partial(overdue.alarm_overdue, database, clock)}


def dispute_parts(
    settings: Settings,
    books: Books,
    retirer: Retirer,
    operators: Operators,
    subscribers: Subscribers,
    languages: Languages,
    requests: Requests,
) -> Disputes:
    """The parts; `operators` are the withdrawals', who give held money back."""
    return Disputes(
        opener=Opener(settings.zone),
        resolver=Resolver(Refunder(books, retirer, operators), requests),
        messages=DisputeMessages(subscribers, languages, settings.zone),
    )
