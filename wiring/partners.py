"""The parts about partners and about money between us, providers and the bank."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gateway.api.batches import batch
from gateway.api.batches.batch import Batches
from gateway.api.batches.working import LOOK_SECONDS, Worker
from gateway.api.issuing import Country, Issuing
from gateway.api.profile import Profiles
from gateway.audit.approvals import Executor
from gateway.audit.decisions.store import Approval
from gateway.ledger.store import HOUSE
from gateway.partners import funding
from gateway.partners.funding import Funding
from gateway.partners.terms import store as terms
from gateway.reconciliation import settling
from gateway.reconciliation.settling import Settling
from gateway.tokens.messages import OURS, Voice
from wiring.core import Core
from wiring.tokens import Tokens, sms_facts


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
class BatchExecutor:
    """Lets an approved batch run; the subject is its reference."""

    batches: Batches

    def execute(self, connection: Connection, approval: Approval, _: datetime) -> str:
        """A worker issues it, row by row."""
        return self.batches.begin(connection, approval.subject)

    def refused(self, connection: Connection, approval: Approval, now: datetime) -> None:
        """Nothing of it is issued."""
        self.batches.refused(connection, approval.subject, now)


@dataclass(frozen=True, slots=True)
class Partners:
    """What is done with floats and settlements."""

    issuing: Issuing
    profiles: Profiles
    batches: Batches
    batch_worker: Worker
    funding: Funding
    settling: Settling

    def housekeeping(self) -> Sequence[tuple[int, Callable[[], object]]]:
        """What a worker does of it between sweeps, with the seconds between."""
        return [(LOOK_SECONDS, self.batch_worker.advance)]

    def executors(self) -> Mapping[str, Executor]:
        """Who does what a second operator has approved."""
        return {
            batch.APPROVAL: BatchExecutor(self.batches),
            funding.APPROVAL: FundExecutor(self.funding),
            settling.APPROVAL: SettleExecutor(self.settling),
        }


def partner_parts(core: Core, tokens: Tokens) -> Partners:
    """The parts."""
    settings, books, languages = core.settings, core.books, core.languages
    country = Country(settings.country, settings.currency, settings.zone, languages.codes)
    issuing = Issuing(tokens.issuer, books, country)
    facts = sms_facts(settings)
    profiles = Profiles(settings.currency, languages.codes, facts, languages.text)
    batches = Batches(issuing, core.requests)
    worker = Worker(core.database, core.clock, issuing)
    return Partners(issuing, profiles, batches, worker, Funding(books), Settling(books))


def voice(connection: Connection, issuer: str) -> Voice:
    """How the issuer of a token speaks: a partner as agreed, everybody else as we do."""
    if issuer == HOUSE or issuer.startswith("+"):
        return OURS
    found = terms.voice(connection, issuer)
    return Voice(found.sender_id, found.language or "", found.texts)
