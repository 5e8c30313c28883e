"""The parts about money on its way out: requests, payouts, operators, and the SMS about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection

from gateway.audit.approvals import Executor, Requests
from gateway.chores import Chore
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.languages import Languages
from gateway.ledger.books import Books
from gateway.ledger.fees import Fees
from gateway.ledger.invariants.check import Invariant
from gateway.metrics.redeeming import Count, CountedPayer
from gateway.outbox.sending import Renderer
from gateway.outbox.tasks import Task
from gateway.outlets import store as outlets
from gateway.people.subscribers import Subscribers
from gateway.providers.base.messages import Pays
from gateway.settings import Settings
from gateway.tokens.changes import Hear, unheard
from gateway.tokens.issue import Issuer
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.suspend import OpenDispute
from gateway.tokens.tills.pay import TillPayer
from gateway.withdrawals import approved, payout, settle
from gateway.withdrawals.callbacks import PayoutCallbacks
from gateway.withdrawals.cash import CashCodes
from gateway.withdrawals.invariants.check import INVARIANTS
from gateway.withdrawals.messages import WithdrawalMessages
from gateway.withdrawals.operate import IsReleased, Operators
from gateway.withdrawals.outcomes import Outcomes
from gateway.withdrawals.payers import Payers
from gateway.withdrawals.request import Requester
from gateway.withdrawals.settle import Settler
from gateway.withdrawals.settlements import Settlements
from gateway.withdrawals.stuck.alarm import alarm_stuck


@dataclass(frozen=True, slots=True)
class Withdrawals:
    """What is done with withdrawals, all over the same books and providers."""

    requester: Requester
    settlements: Settlements
    cash: CashCodes
    tills: TillPayer
    operators: Operators
    outcomes: Outcomes
    open_dispute: OpenDispute
    callbacks: PayoutCallbacks
    messages: WithdrawalMessages
    payers: Payers

    @property
    def invariants(self) -> Sequence[Invariant]:
        """What must hold between withdrawals and the books."""
        return INVARIANTS

    def tasks(self) -> Mapping[str, Task]:
        """Who does each task of the outbox about payouts."""
        return {
            payout.PAY: payout.PayoutTask(self.payers, self.outcomes, self.open_dispute),
            payout.ASK: payout.AskTask(self.payers, self.outcomes),
        }

    def executors(self) -> Mapping[str, Executor]:
        """Who does what a second operator approved."""
        return approved.executors(self.operators)

    def chores(self, database: Database, clock: Clock) -> dict[str, Chore]:
        """Their part of `gateway sweep`."""
        return {"payouts_stuck": partial(alarm_stuck, database, clock)}

    def renderers(self) -> Mapping[str, Renderer]:
        """Who makes the text of each outbox template about withdrawals."""
        return {settle.PAID: self.messages.paid, settle.REJECTED: self.messages.rejected}


def withdrawal_parts(
    settings: Settings,
    rings: KeyRings,
    books: Books,
    fees: Fees,
    issuer: Issuer,
    subscribers: Subscribers,
    languages: Languages,
    providers: Sequence[Pays],
    requests: Requests,
    is_released: IsReleased,
    open_dispute: OpenDispute,
    count: Count,
    hear: Hear = unheard,
) -> Withdrawals:
    """The parts; `is_released` says when money may go to tills and partners (M7).

    `open_dispute` names the dispute that stands against paying.
    """
    payers, settler = Payers(providers), Settler(books)
    outcomes = Outcomes(settler)
    alone_max = settings.money.payout_alone_max
    operators = Operators(settler, requests, is_released, books.limits, alone_max, open_dispute)
    requester = Requester(books, fees, payers, operators.ask_for_payout, alone_max)
    return Withdrawals(
        requester=requester,
        settlements=Settlements(requester, settings.currency, _is_of_outlet),
        cash=CashCodes(issuer, fees),
        tills=CountedPayer(rings, books, settings.money.agent.get("per_customer"), count, hear),
        operators=operators,
        outcomes=outcomes,
        open_dispute=open_dispute,
        callbacks=PayoutCallbacks(outcomes),
        messages=WithdrawalMessages(subscribers, languages),
        payers=payers,
    )


def _is_of_outlet(connection: Connection, account_id: int) -> bool:
    return outlets.till_of_account(connection, account_id) is not None
