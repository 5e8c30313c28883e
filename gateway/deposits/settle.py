"""What an authenticated callback does to the books, by what it proves: one decision, once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

import structlog
from sqlalchemy import Connection

from gateway.deposits import asks, hints, store
from gateway.deposits.callbacks import masking
from gateway.deposits.callbacks import store as callbacks
from gateway.deposits.callbacks.store import Arrival, Became, Kept
from gateway.deposits.credit import Crediting, Payment
from gateway.deposits.finding import Found, find
from gateway.deposits.ordered import store as ordered
from gateway.deposits.states import State
from gateway.deposits.store import Deposit
from gateway.deposits.verdicts import Verdict, conflict
from gateway.formats import msisdn
from gateway.ledger import wallets
from gateway.ledger.store import Account
from gateway.providers.base.messages import Kind, Notice, Outcome, Trust

log = structlog.get_logger()

LOOKS_LIKE_AN_ORDER = timedelta(days=1)  # how long an order may wait for the id of its payment


@dataclass(frozen=True, slots=True)
class Policy:
    """What this deployment takes."""

    country: str  # whose numbers a provider writes without a country code
    currency: str
    unsolicited_max: Decimal  # of one line-trusted payment that nobody ordered


# What is done with a notice about money out: (connection, notice, trust, now, provider).
TakePayout = Callable[[Connection, Notice, Trust, datetime, str], None]


class Settler:
    """Settles notices; every method runs in the caller's transaction."""

    def __init__(self, crediting: Crediting, policy: Policy, payouts: TakePayout) -> None:
        self._crediting = crediting
        self._policy = policy
        self._payouts = payouts

    def take(
        self, connection: Connection, arrival: Arrival, trust: Trust, notice: Notice, now: datetime
    ) -> Became:
        """Decide about a callback and store it with what became of it."""
        notice = _without_token(notice)
        verdict = self._judge(connection, arrival.provider, trust, notice, now)
        callbacks.add(
            connection,
            arrival,
            verdict.became,
            notice,
            deposit_id=verdict.deposit,
            reason=verdict.reason or notice.reason,
        )
        return verdict.became

    def again(
        self, connection: Connection, kept: Kept, trust: Trust, notice: Notice, now: datetime
    ) -> Became:
        """Decide about a callback that waits, and record it where it is stored."""
        notice = _without_token(notice)
        verdict = self._judge(connection, kept.arrival.provider, trust, notice, now)
        if verdict.became.value != kept.became:
            found = (notice, verdict.deposit)
            callbacks.move(connection, kept.id, kept.became, verdict.became, *found)
        return verdict.became

    def _judge(
        self, connection: Connection, provider: str, trust: Trust, notice: Notice, now: datetime
    ) -> Verdict:
        if notice.kind is not Kind.PAYMENT:
            self._payouts(connection, notice, trust, now, provider)
            return Verdict(Became.HANDED_ON)
        found = find(connection, provider, notice)
        if notice.outcome is Outcome.SUCCEEDED:
            if trust is Trust.QUERIED:
                return hints.heard(connection, found, notice, now)
            return self._paid(connection, provider, trust, found, notice, now)
        order = found.order or found.by_txn
        if order is None:
            return Verdict(Became.UNMATCHED)
        if notice.outcome is Outcome.FAILED:
            return self._failed(connection, order, trust, notice, now)
        if notice.outcome is Outcome.REVERSED:
            return conflict(order, "the provider says that it was reversed")
        if order.is_open:
            asks.now(connection, order, now)
            return Verdict(Became.ASKED, order.id)
        return Verdict(Became.NOTED, order.id)

    def _paid(
        self,
        connection: Connection,
        provider: str,
        trust: Trust,
        found: Found,
        notice: Notice,
        now: datetime,
    ) -> Verdict:
        """A success whose sender may say so: the amount counts."""
        order, amount = found.order, notice.amount
        if amount is None and order is not None and trust is Trust.LINE:
            amount = order.amount  # what we stored (M6)
        if amount is None:
            return hints.heard(connection, found, notice, now)
        currency = notice.currency or (order.currency if order else self._policy.currency)
        if found.by_txn is not None:
            return self._repeated(connection, found.by_txn, order, amount, currency, now)
        payment = Payment(
            provider, notice.txn_id, notice.reference, amount, currency, notice.occurred_at
        )
        if order is None:
            return self._unsolicited(connection, payment, notice, trust, found, now)
        right = (amount, currency) == (order.amount, order.currency)
        if order.is_open and right and order.parked is None:
            became = self._crediting.order(
                connection, order, notice.txn_id, notice.occurred_at, now, found.wallet
            )
            return Verdict(became, order.id)
        if right and order.txn_id is None and order.state == State.COMPLETED:
            self._learn(connection, order, notice.txn_id, now)
            return Verdict(Became.DUPLICATE, order.id)
        if not notice.txn_id:
            return conflict(order, f"{amount} {currency} came for it without a transaction's id")
        if order.is_open:
            return self._wrong(connection, order, payment, now)
        why = f"the order {order.reference} is paid"
        return self._suspend(connection, payment, why, now, order.msisdn)

    def _repeated(
        self,
        connection: Connection,
        known: Deposit,
        order: Deposit | None,
        amount: Decimal,
        currency: str,
        now: datetime,
    ) -> Verdict:
        """A carrier's id that is booked already."""
        if (amount, currency) != (known.amount, known.currency):
            return conflict(known, f"its transaction came again over {amount} {currency}")
        if order is None or known.is_order or not order.is_open or order.parked is not None:
            return Verdict(Became.DUPLICATE, known.id)
        return self._own_payment(connection, order, known, now)

    def _own_payment(
        self, connection: Connection, order: Deposit, known: Deposit, now: datetime
    ) -> Verdict:
        """An open order turns out to be paid by what was booked as a payment of its own."""
        same = (known.amount, known.currency) == (order.amount, order.currency)
        if not same or not self._crediting.in_suspense(connection, known, now):
            store.note(connection, order.id, now, parked=f"its payment is {known.reference}")
            return conflict(order, f"its payment was booked as {known.reference}")
        became = self._crediting.order(connection, order, "", known.occurred_at, now)
        self._crediting.join(connection, known, order, now)
        return Verdict(became, order.id)

    def _wrong(
        self, connection: Connection, order: Deposit, payment: Payment, now: datetime
    ) -> Verdict:
        """Money for an order, but not what was ordered: it waits in suspense for an operator."""
        why = order.parked or f"{payment.amount} {payment.currency} came for it"
        store.note(connection, order.id, now, parked=why)
        _, row = self._crediting.payment(
            connection, payment, order.msisdn, f"not the amount of the order {order.reference}", now
        )
        return replace(conflict(order, why), deposit=row)

    def _suspend(
        self, connection: Connection, payment: Payment, why: str, now: datetime, payer: str = ""
    ) -> Verdict:
        became, row = self._crediting.payment(connection, payment, payer, why, now)
        return Verdict(became, row)

    def _unsolicited(
        self,
        connection: Connection,
        payment: Payment,
        notice: Notice,
        trust: Trust,
        found: Found,
        now: datetime,
    ) -> Verdict:
        """A payment that nobody ordered from this provider: its payer's, as far as it is sure."""
        if not payment.txn_id:
            log.error("deposit_without_transaction", provider=payment.provider)
            return Verdict(Became.UNMATCHED)  # a repeat could not be told from a second payment
        if found.names_foreign:
            return self._suspend(connection, payment, "an order of another provider", now)
        wallet = self._payers_wallet(connection, payment, notice)
        if wallet is None:
            return self._suspend(connection, payment, _unknown(connection, payment), now)
        if notice.provider_ref:
            return self._suspend(connection, payment, "somebody else's order", now)
        if trust is Trust.LINE and payment.amount > self._policy.unsolicited_max:
            why = "above what is taken unordered"
            return self._suspend(connection, payment, why, now, wallet.owner)
        like = ordered.unpaid_like(
            connection, payment.provider, wallet.owner, payment.amount, now - LOOKS_LIKE_AN_ORDER
        )
        if like is not None:
            return self._suspend(connection, payment, f"perhaps the payment of {like}", now)
        became, row = self._crediting.payment(connection, payment, wallet.owner, "", now)
        return Verdict(became, row)

    def _payers_wallet(
        self, connection: Connection, payment: Payment, notice: Notice
    ) -> Account | None:
        try:
            owner = msisdn.parse(notice.payer, self._policy.country)
        except msisdn.InvalidMsisdn:
            return None
        return wallets.find(connection, owner, payment.currency)

    def _learn(self, connection: Connection, order: Deposit, txn_id: str, now: datetime) -> None:
        """The carrier's id of an order that was credited without one."""
        if txn_id:
            store.note(connection, order.id, now, txn_id=txn_id)

    def _failed(
        self,
        connection: Connection,
        order: Deposit,
        trust: Trust,
        notice: Notice,
        now: datetime,
    ) -> Verdict:
        if not order.is_open:
            log.warning("deposit_failure_after_success", deposit=order.reference)
            return Verdict(Became.IGNORED_LATE, order.id)
        if order.state == State.FAILED:
            return Verdict(Became.DUPLICATE, order.id)
        if trust is Trust.QUERIED:
            asks.now(connection, order, now)
            return Verdict(Became.ASKED, order.id)
        reason = notice.reason or "the provider says so"
        store.change_state(connection, order.id, State.FAILED, now, reason=reason)
        return Verdict(Became.FAILED, order.id)


def _without_token(notice: Notice) -> Notice:
    """A notice whose payer typed a token where a reference belongs, without it (T3)."""
    return replace(notice, reference=masking.masked(notice.reference))


def _unknown(connection: Connection, payment: Payment) -> str:
    """Why a payment of nobody we know waits; a hint may tell operators whose it could be."""
    like = ordered.hinted(connection, payment.provider, payment.txn_id, payment.amount)
    whose = f", perhaps the payment of {like}" if like else ""
    return f"no wallet is known for its payer{whose}"
