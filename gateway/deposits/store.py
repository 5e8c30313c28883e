"""Table and SQL of deposits: every change names the states it starts from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import (
    BindParameter,
    CheckConstraint,
    Column,
    ColumnElement,
    Connection,
    ForeignKey,
    Index,
    Select,
    String,
    bindparam,
    insert,
    literal,
    select,
    union_all,
    update,
)

from gateway.database import prepared
from gateway.database.types import Instant, Money, RowId, money_bounds, row_id, table
from gateway.deposits.states import OPEN, State, before
from gateway.ledger.store import SUSPENSE, accounts

ORDER, PAYMENT = "order", "payment"
REASON_MAX = 200

deposits = table(
    "deposits",
    row_id(),
    Column("reference", String(12), nullable=False, unique=True),  # ours, 1 to 12 of A-Z and 0-9
    Column("origin", String(8), nullable=False),  # we asked for it, or it came by itself
    Column("provider", String(16), nullable=False),
    Column("txn_id", String(64), nullable=True),  # the carrier's id, exactly as it came
    Column(
        "hinted_txn_id", String(64), nullable=True
    ),  # what an unproven callback says: for people
    Column("provider_ref", String(64), nullable=True),  # the provider's id of our request
    Column("known_as", String(64), nullable=True),  # an order's name there; what a payer typed
    Column("msisdn", String(16), nullable=False),  # whose wallet it is for; "": nobody knows
    Column("amount", Money, nullable=False),
    Column("fee", Money, nullable=False),  # ours, out of the amount
    Column("currency", String(3), nullable=False),
    Column("state", String(10), nullable=False),
    Column("account_id", ForeignKey("accounts.id"), nullable=True),  # which it has credited
    Column("joined_to", RowId, nullable=True),  # the order whose payment it was
    Column("parked", String(200), nullable=True),  # why an operator must look before it is booked
    Column("reason", String(200), nullable=True),  # of a failure, or for suspense
    Column("created_at", Instant, nullable=False),
    Column("changed_at", Instant, nullable=False),
    Column("completed_at", Instant, nullable=True),
    Column("occurred_at", Instant, nullable=True),  # when the provider says it was paid
    CheckConstraint("amount > 0", name="amount_positive"),
    CheckConstraint("fee >= 0 AND fee < amount", name="fee_within_amount"),
    CheckConstraint("origin IN ('order', 'payment')", name="origin_known"),
    CheckConstraint(
        "state IN ('pending', 'completed', 'failed', 'reversed', 'joined')", name="state_known"
    ),
    money_bounds("amount"),
    money_bounds("fee"),
    Index("uq_deposits_provider_txn_id", "provider", "txn_id", unique=True),
    Index("uq_deposits_provider_provider_ref", "provider", "provider_ref", unique=True),
    Index("ix_deposits_provider_hinted_txn_id", "provider", "hinted_txn_id"),
    Index("ix_deposits_provider_known_as", "provider", "known_as"),
    Index("ix_deposits_msisdn_id", "msisdn", "id"),
    Index("ix_deposits_state_changed_at", "state", "changed_at"),
    Index("ix_deposits_account_id_state", "account_id", "state"),
    Index("ix_deposits_occurred_at_completed_at", "occurred_at", "completed_at"),
)


@dataclass(frozen=True, slots=True)
class Deposit:
    """One deposit as it was read."""

    id: int
    reference: str
    origin: str
    provider: str
    txn_id: str | None
    hinted_txn_id: str | None
    provider_ref: str | None
    known_as: str | None
    msisdn: str
    amount: Decimal
    fee: Decimal
    currency: str
    state: str
    account_id: int | None
    joined_to: int | None
    parked: str | None
    reason: str | None
    created_at: datetime
    changed_at: datetime
    completed_at: datetime | None
    occurred_at: datetime | None

    @property
    def is_order(self) -> bool:
        """Whether we asked for it."""
        return self.origin == ORDER

    @property
    def is_open(self) -> bool:
        """Whether a success would complete it."""
        return self.state in OPEN


@dataclass(frozen=True, slots=True)
class Keys:
    """What a provider calls a payment by; an empty text matches nothing."""

    provider: str
    txn_id: str = ""
    provider_ref: str = ""
    reference: str = ""  # as it came
    ours: str = ""  # the reference of ours that it holds


@dataclass(frozen=True, slots=True)
class Match:
    """One deposit that a key has found, and which key that was."""

    by: int
    deposit: Deposit


BY_TXN, BY_PROVIDER_REF, BY_OURS, BY_KNOWN_AS = range(4)
_C = deposits.c


def _text(name: str) -> BindParameter[str]:
    return bindparam(name, type_=String())


def _found(by: int, *where: ColumnElement[bool]) -> Select[tuple[int, int]]:
    return select(_C.id, literal(by)).where(*where)


_PROVIDER, _TXN_ID = _C.provider == _text("provider"), _text("txn_id")
# Each key has its own index; one OR over all of them would have none.
_LOOKED_UP = union_all(
    _found(BY_TXN, _PROVIDER, _C.txn_id == _TXN_ID),
    _found(
        BY_PROVIDER_REF, _PROVIDER, _C.provider_ref == bindparam("provider_ref", type_=String())
    ),
    _found(BY_OURS, _C.reference == _text("ours"), _C.origin == ORDER),
    _found(BY_KNOWN_AS, _PROVIDER, _C.known_as == _text("reference"), _C.origin == ORDER),
)
_ALL = tuple(_C)
_BY_ID = select(*_ALL).where(_C.id == bindparam("id"))
LOCKED = _BY_ID.with_for_update()
_INSERT = insert(deposits)
# The claim: of racers one finds the state from which it may be booked.
CLAIM = (
    update(deposits)
    .where(_C.id == bindparam("row"), _C.state.in_([literal(state.value) for state in OPEN]))
    .values(
        state=State.COMPLETED.value,
        txn_id=_text("txn"),
        occurred_at=bindparam("occurred", type_=Instant),
        completed_at=bindparam("now", type_=Instant),
        changed_at=bindparam("now", type_=Instant),
        account_id=bindparam("account"),
        parked=None,
        reason=_text("why"),
    )
)


def add(connection: Connection, **values: object) -> int:
    """A new deposit's row id; `DuplicateKey` when a racer was first with one of its ids."""
    blank = dict.fromkeys(column.name for column in deposits.c if column.nullable)
    del blank["account_id"], blank["joined_to"], blank["completed_at"]
    return prepared.add(connection, _INSERT, {**blank, **values})


def matches(connection: Connection, keys: Keys) -> list[Match]:
    """The deposits that these keys find, locked in the order of their ids."""
    asked = {
        "provider": keys.provider,
        "txn_id": keys.txn_id,
        "provider_ref": keys.provider_ref,
        "ours": keys.ours,
        "reference": keys.reference,
    }
    found = prepared.rows(connection, _LOOKED_UP, asked)
    rows = {number: locked(connection, number) for number in sorted({row[0] for row in found})}
    return [Match(by, rows[number]) for number, by in sorted(found, key=lambda row: row[1])]


def locked(connection: Connection, row: int) -> Deposit:
    """The deposit as it is now, kept so until the end of the transaction."""
    found = prepared.row(connection, LOCKED, {"id": row})
    if found is None:
        raise LookupError("a deposit is never deleted")
    return Deposit(*found)


def by_reference(
    connection: Connection, reference: str, *, for_update: bool = False
) -> Deposit | None:
    """The deposit with our reference."""
    query = select(*_ALL).where(_C.reference == reference)
    row = connection.execute(query.with_for_update() if for_update else query).one_or_none()
    return None if row is None else Deposit(*row)


def claim(
    connection: Connection,
    row: int,
    txn_id: str,
    occurred_at: datetime | None,
    account: int,
    why: str,
    now: datetime,
) -> bool:
    """Complete an open deposit; False when it is not open any more.

    The caller holds the lock of a wallet that is to be credited (a foreign key would share it
    first); `why` is the reason for suspense.
    """
    values = {
        "row": row,
        "txn": txn_id or None,
        "occurred": occurred_at,
        "account": account,
        "why": why[:REASON_MAX] or None,
        "now": now,
    }
    return prepared.change(connection, CLAIM, values) == 1


def change_state(
    connection: Connection, row: int, after: State, now: datetime, **values: object
) -> bool:
    """One step of the table of states; False when it does not start here."""
    done = connection.execute(
        update(deposits)
        .where(_C.id == row, _C.state.in_([state.value for state in before(after)]))
        .values(state=after.value, changed_at=now, **values)
    )
    return done.rowcount == 1


def note(connection: Connection, row: int, now: datetime, **values: object) -> None:
    """Record what is learnt of a deposit besides its state."""
    connection.execute(update(deposits).where(_C.id == row).values(changed_at=now, **values))


def release(connection: Connection, row: int, suspense: int, wallet: int, now: datetime) -> bool:
    """Let a wallet have what lies in suspense; False when it does not lie there any more."""
    waits = (_C.id == row, _C.state == State.COMPLETED.value, _C.account_id == suspense)
    found = {"account_id": wallet, "fee": Decimal("0.00"), "changed_at": now}
    return connection.execute(update(deposits).where(*waits).values(**found)).rowcount == 1


def listed(
    connection: Connection, rows_max: int, state: State | None = None, *, in_suspense: bool = False
) -> Sequence[Deposit]:
    """The latest deposits, newest first: of one state, or those that wait in suspense."""
    query = select(*_ALL).order_by(_C.id.desc()).limit(rows_max)
    if state is not None:
        query = query.where(_C.state == state.value)
    if in_suspense:
        query = query.join(accounts, accounts.c.id == _C.account_id).where(
            accounts.c.kind == SUSPENSE, _C.state == State.COMPLETED.value
        )
    return [Deposit(*row) for row in connection.execute(query)]
