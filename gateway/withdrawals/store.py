"""Table and SQL of withdrawals: every change names the state it starts from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Index,
    String,
    bindparam,
    insert,
    select,
    update,
)

from gateway.database.types import Instant, Money, money_bounds, row_id, table
from gateway.formats.digits import hidden

REASON_MAX = 200
MOBILE, SETTLEMENT = "mobile", "settlement"


class State(StrEnum):
    """Whose the money is; it changes once."""

    HELD = "held"  # the owner's, out of reach
    PAID = "paid"
    REJECTED = "rejected"  # the owner's again


class Payout(StrEnum):
    """How far paying has come, as long as the money is held."""

    NONE = "none"  # nothing is under way: it waits for an approval, or all is done
    QUEUED = "queued"
    SENDING = "sending"  # a worker is calling the provider, or died while it did
    UNKNOWN = "unknown"  # handed over: the provider is asked what became of it
    MANUAL = "manual"  # an operator has to act


withdrawals = table(
    "withdrawals",
    row_id(),
    Column("reference", String(12), nullable=False, unique=True),  # the provider knows it by this
    Column("intent", String(64), nullable=False, unique=True),  # minted where it was confirmed
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("method", String(12), nullable=False),
    Column("provider", String(16), nullable=False),  # who is to pay; "": an operator, by hand
    Column("msisdn", String(16), nullable=False),  # whose wallet it was; "": no wallet
    Column("destination", String(64), nullable=False),  # a phone, or a bank account
    Column("amount", Money, nullable=False),
    Column("fee", Money, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("state", String(8), nullable=False),
    Column("payout", String(8), nullable=False),
    Column("handed_over_at", Instant, nullable=True),  # None: no provider can have paid it
    Column("provider_ref", String(64), nullable=True),
    Column("paid_through", String(16), nullable=True),  # a provider, or the bank
    Column("provider_txn_id", String(64), nullable=True),
    Column("reason", String(200), nullable=True),
    Column("requested_by", String(64), nullable=False),
    Column("requested_at", Instant, nullable=False),
    Column("changed_at", Instant, nullable=False),
    CheckConstraint("amount > 0", name="amount_positive"),
    CheckConstraint("fee >= 0", name="fee_not_negative"),
    CheckConstraint("method IN ('mobile', 'settlement')", name="method_known"),
    CheckConstraint("state IN ('held', 'paid', 'rejected')", name="state_known"),
    CheckConstraint(
        "payout IN ('none', 'queued', 'sending', 'unknown', 'manual')", name="payout_known"
    ),
    CheckConstraint(
        "(state = 'paid') = (provider_txn_id IS NOT NULL AND paid_through IS NOT NULL)",
        name="paid_says_how",
    ),
    money_bounds("amount"),
    money_bounds("fee"),
    Index(
        "uq_withdrawals_paid_through_provider_txn_id",
        "paid_through",
        "provider_txn_id",
        unique=True,
    ),
    Index("ix_withdrawals_state_payout", "state", "payout"),
    Index("ix_withdrawals_payout_changed_at", "payout", "changed_at"),
    Index("ix_withdrawals_account_id_state", "account_id", "state"),
    Index("ix_withdrawals_provider_ref", "provider_ref"),
)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """One withdrawal as it was read."""

    id: int
    reference: str
    intent: str
    account_id: int
    method: str
    provider: str
    msisdn: str
    destination: str
    amount: Decimal
    fee: Decimal
    currency: str
    state: str
    payout: str
    handed_over_at: datetime | None
    provider_ref: str | None
    paid_through: str | None
    provider_txn_id: str | None
    reason: str | None
    requested_by: str
    requested_at: datetime
    changed_at: datetime

    @property
    def total(self) -> Decimal:
        """What is held: the amount and its fee."""
        return self.amount + self.fee


_ALL = select(*withdrawals.c)
_BY_REFERENCE = _ALL.where(withdrawals.c.reference == bindparam("reference"))
_BY_INTENT = _ALL.where(withdrawals.c.intent == bindparam("intent"))
_BY_TXN = _ALL.where(
    withdrawals.c.paid_through == bindparam("through"),
    withdrawals.c.provider_txn_id == bindparam("txn_id"),
)


def by_reference(connection: Connection, reference: str) -> Withdrawal | None:
    """The withdrawal with our reference."""
    row = connection.execute(_BY_REFERENCE, {"reference": reference}).one_or_none()
    return None if row is None else Withdrawal(*row)


def lock(connection: Connection, reference: str) -> None:
    """Keep a withdrawal as it is until this transaction ends."""
    query = select(withdrawals.c.id).where(withdrawals.c.reference == reference)
    connection.execute(query.with_for_update()).one_or_none()


def by_intent(connection: Connection, intent: str) -> Withdrawal | None:
    """The withdrawal that a confirmed intent has become."""
    row = connection.execute(_BY_INTENT, {"intent": intent}).one_or_none()
    return None if row is None else Withdrawal(*row)


def by_txn(connection: Connection, through: str, txn_id: str) -> Withdrawal | None:
    """The withdrawal that a provider's transaction paid."""
    row = connection.execute(_BY_TXN, {"through": through, "txn_id": txn_id}).one_or_none()
    return None if row is None else Withdrawal(*row)


def by_provider_ref(connection: Connection, provider_ref: str) -> Withdrawal | None:
    """The one withdrawal a provider knows by this id of its own; None when several could be."""
    rows = connection.execute(_ALL.where(withdrawals.c.provider_ref == provider_ref).limit(2))
    found = [Withdrawal(*row) for row in rows]
    return found[0] if len(found) == 1 else None


def held_from(connection: Connection, account_id: int) -> list[str]:
    """The references of what an account's money is held for, oldest first."""
    query = select(withdrawals.c.reference).where(
        withdrawals.c.account_id == account_id, withdrawals.c.state == State.HELD.value
    )
    return list(connection.execute(query.order_by(withdrawals.c.id)).scalars())


def add(connection: Connection, values: dict[str, object]) -> None:
    """A new withdrawal's row; a racing repeat of its intent ends in `DuplicateKey`."""
    connection.execute(insert(withdrawals), values)


def pay(
    connection: Connection,
    withdrawal_id: int,
    before: Sequence[Payout],
    through: str,
    txn_id: str,
    now: datetime,
) -> bool:
    """Held to paid, once; False when it is not held any more, or paying has moved on."""
    return _change(
        connection,
        withdrawal_id,
        before,
        state=State.PAID.value,
        payout=Payout.NONE.value,
        paid_through=through,
        provider_txn_id=txn_id,
        changed_at=now,
    )


def reject(
    connection: Connection,
    withdrawal_id: int,
    before: Sequence[Payout],
    reason: str,
    now: datetime,
) -> bool:
    """Held to rejected, once; False when it is not held any more, or paying has moved on."""
    return _change(
        connection,
        withdrawal_id,
        before,
        state=State.REJECTED.value,
        payout=Payout.NONE.value,
        reason=hidden(reason)[:REASON_MAX],
        changed_at=now,
    )


def move(
    connection: Connection,
    withdrawal_id: int,
    before: Sequence[Payout],
    after: Payout,
    now: datetime,
    **values: object,
) -> bool:
    """One step of paying a held withdrawal; False when it does not stand in `before`."""
    return _change(connection, withdrawal_id, before, payout=after.value, changed_at=now, **values)


def _change(
    connection: Connection, withdrawal_id: int, before: Sequence[Payout], **values: object
) -> bool:
    done = connection.execute(
        update(withdrawals)
        .where(
            withdrawals.c.id == withdrawal_id,
            withdrawals.c.state == State.HELD.value,
            withdrawals.c.payout.in_([payout.value for payout in before]),
        )
        .values(**values)
    )
    return done.rowcount == 1


def flag(connection: Connection, withdrawal_id: int, before: Payout, after: Payout) -> bool:
    """Put a withdrawal that is paid or rejected before the operators, or take it from them."""
    done = connection.execute(
        update(withdrawals)
        .where(
            withdrawals.c.id == withdrawal_id,
            withdrawals.c.state != State.HELD.value,
            withdrawals.c.payout == before.value,
        )
        .values(payout=after.value)
    )
    return done.rowcount == 1


def name(connection: Connection, withdrawal_id: int, provider_ref: str) -> None:
    """Keep the provider's own id; the first one stays."""
    connection.execute(
        update(withdrawals)
        .where(withdrawals.c.id == withdrawal_id, withdrawals.c.provider_ref.is_(None))
        .values(provider_ref=provider_ref)
    )


def listed(
    connection: Connection,
    state: str | None = None,
    payout: str | None = None,
    rows_max: int = 100,
) -> list[Withdrawal]:
    """The oldest withdrawals in a state, or at a step of paying."""
    statement = _ALL.order_by(withdrawals.c.id).limit(rows_max)
    if state is not None:
        statement = statement.where(withdrawals.c.state == state)
    if payout is not None:
        statement = statement.where(withdrawals.c.payout == payout)
    return [Withdrawal(*row) for row in connection.execute(statement)]
