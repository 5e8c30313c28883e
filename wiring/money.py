"""Everything that moves value, over one set of books."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit.approvals import Approvals
from gateway.chores import Chore
from gateway.deposits.book import Stated
from gateway.deposits.confirm import Claimed
from gateway.disputes.store import open_reference
from gateway.ledger.floats import House
from gateway.ledger.invariants.check import INVARIANTS as LEDGER_INVARIANTS
from gateway.ledger.invariants.check import Invariant
from gateway.outbox.running import TaskRunner
from gateway.outbox.sending import Renderer
from gateway.outbox.tasks import LINES, Task
from gateway.reconciliation.statements import store as statements
from gateway.tokens.changes import Hear
from gateway.tokens.invariants.check import INVARIANTS as TOKEN_INVARIANTS
from gateway.withdrawals.operate import IsReleased
from wiring.approvals import executors, known
from wiring.core import Core
from wiring.deposits import Deposits, deposit_parts
from wiring.disputes import Disputes, dispute_parts
from wiring.events import Events, event_parts
from wiring.outlets import Outlets, outlet_parts
from wiring.partners import Partners, partner_parts, voice
from wiring.providers import Providers, providers
from wiring.tasks import RUNNERS, tasks
from wiring.tokens import Tokens, token_parts
from wiring.wallets import wallet_executors, wallet_renderers
from wiring.withdrawals import Withdrawals, withdrawal_parts


@dataclass(frozen=True, slots=True)
class Money:
    """The rooms that move value."""

    core: Core
    providers: Providers
    tokens: Tokens
    withdrawals: Withdrawals
    deposits: Deposits
    disputes: Disputes
    partners: Partners
    approvals: Approvals
    outlets: Outlets
    events: Events

    @property
    def invariants(self) -> Sequence[Invariant]:
        """What must always hold of the books, and between them and each room."""
        return (
            *LEDGER_INVARIANTS,
            *TOKEN_INVARIANTS,
            *self.withdrawals.invariants,
            *self.deposits.invariants,
            *self.disputes.invariants,
            *self.outlets.invariants,
        )

    def renderers(self) -> Mapping[str, Renderer]:
        """Who makes the text of each outbox template about money."""
        return {
            **self.tokens.renderers(),
            **self.withdrawals.renderers(),
            **self.disputes.renderers(),
            **self.deposits.renderers(),
            **wallet_renderers(self.core),
        }

    def tasks(self) -> Mapping[str, Task]:
        """Who does each template of the outbox that is no SMS."""
        return tasks(self.withdrawals.tasks(), self.deposits.tasks(), self.events.tasks())

    def runner(self, worker: str, lines: Sequence[str] = LINES) -> TaskRunner:
        """What runs the outbox's tasks; one for each thread."""
        database, clock = self.core.database, self.core.clock
        is_paused = self.core.board.is_paused
        return TaskRunner(database, clock, self.tasks(), lines, worker, is_paused=is_paused)

    def runners(self, process: str) -> list[TaskRunner]:
        """Those of a worker process, each for a thread of its own."""
        return [self.runner(f"{process}:r{n}", lines) for n, lines in enumerate(RUNNERS)]

    def chores(self) -> dict[str, Chore]:
        """Their part of `gateway sweep`."""
        database, clock = self.core.database, self.core.clock
        return {
            **self.tokens.chores(database, clock),
            **self.withdrawals.chores(database, clock),
            **self.disputes.chores(database, clock),
            **self.deposits.chores(self.core.settings, database, clock),
            **self.events.chores(database, clock),
        }


def money(core: Core, is_released: IsReleased) -> Money:
    """The rooms; `is_released` says whether a day's settlements may be paid."""
    of_providers = providers(core.settings, core.clock)
    events = event_parts(core.settings, core.rings)
    tokens = _tokens(core, events.listener.heard)
    withdrawals = withdrawal_parts(
        core.settings,
        core.rings,
        core.books,
        core.fees,
        tokens.issuer,
        core.subscribers,
        core.languages,
        providers=of_providers.pays,
        requests=core.requests,
        is_released=is_released,
        open_dispute=open_reference,
        count=core.meters.redemption,
        hear=events.listener.heard,
    )
    deposits = _deposits(core, of_providers, withdrawals)
    disputes = _disputes(core, tokens, withdrawals)
    partners = partner_parts(core, tokens)
    approvals = Approvals(
        executors(
            wallet_executors(core.people.pins, core.settings.currency),
            deposits.executors(),
            withdrawals.executors(),
            disputes.executors(),
            partners.executors(),
        ),
        known,
    )
    rooms = (tokens, withdrawals, deposits, disputes, partners, approvals)
    outlets = outlet_parts(core, tokens, withdrawals)
    return Money(core, of_providers, *rooms, outlets, events)


def _tokens(core: Core, hear: Hear) -> Tokens:
    def advance_max(connection: Connection) -> Decimal | None:
        """Before there are operators nobody could approve a funding; the demo never has to."""
        bound = not core.settings.demo and core.roster.has_operators(connection)
        return core.settings.money.house_advance if bound else None

    return token_parts(
        core.settings,
        core.rings,
        core.books,
        core.subscribers,
        core.languages,
        core.clock,
        House(core.books, advance_max),
        core.meters.redemption,
        voice,
        hear,
    )


def _importers(connection: Connection, claimed: Claimed) -> Sequence[str]:
    return statements.importers(
        connection,
        claimed.provider,
        claimed.txn_id,
        claimed.amount,
        claimed.currency,
        claimed.names,
    )


def _lines(connection: Connection, provider: str, txn_id: str) -> Sequence[Stated]:
    return [
        Stated(line.amount, line.currency, line.reference, line.at)
        for line in statements.money_in(connection, provider, txn_id)
    ]


def _deposits(core: Core, of_providers: Providers, withdrawals: Withdrawals) -> Deposits:
    return deposit_parts(
        core.settings,
        of_providers,
        core.books,
        core.subscribers,
        core.languages,
        core.requests,
        payouts=withdrawals.callbacks.settle,
        importers=_importers,
        lines=_lines,
    )


def _disputes(core: Core, tokens: Tokens, withdrawals: Withdrawals) -> Disputes:
    return dispute_parts(
        core.settings,
        core.books,
        tokens.retirer,
        withdrawals.operators,
        core.subscribers,
        core.languages,
        core.requests,
    )
