"""The parts about partners and about money between us, providers and the bank."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gateway.audit.approvals import Executor
from gateway.audit.decisions.store import Approval
from gateway.ledger.books import Books
from gateway.partners import funding
from gateway.partners.funding import Funding
from gateway.reconciliation import settling
from gateway.reconciliation.settling import Settling


@dataclass(frozen=True, slots=True)
class FundExecutor:
    """Books an approved funding."""

    funding: Funding

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """The subject is the bank's reference."""
        return self.funding.fund(connection, approval.subject, approval.details, now)


@dataclass(frozen=True, slots=True)
class SettleExecutor:
    """Books an approved settlement of a provider."""

    settling: Settling

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """The subject is the bank's reference."""
        return self.settling.settle(connection, approval.subject, approval.details, now)


@dataclass(frozen=True, slots=True)
class Partners:
    """What is done with floats and settlements."""

    funding: Funding
    settling: Settling

    def executors(self) -> Mapping[str, Executor]:
        """Who does what a second operator has approved."""
        return {
            funding.APPROVAL: FundExecutor(self.funding),
            settling.APPROVAL: SettleExecutor(self.settling),
        }


def partner_parts(books: Books) -> Partners:
    """The parts."""
    return Partners(Funding(books), Settling(books))
