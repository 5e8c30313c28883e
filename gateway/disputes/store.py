"""Table and SQL of disputes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import CheckConstraint, Column, Connection, Index, String, insert, select, update

from gateway.database.types import Instant, Money, money_bounds, row_id, table
from gateway.disputes.states import State
from gateway.ledger.store import Account, accounts, by_id, entries, movements

disputes = table(
    "disputes",
    row_id(),
    Column("reference", String(12), nullable=False, unique=True),  # what people call it
    Column("kind", String(12), nullable=False),
    Column("subject", String(12), nullable=False),  # a token's serial, a withdrawal's reference
    Column("open_subject", String(12), nullable=True, unique=True),  # the same while it is open
    Column("state", String(10), nullable=False),
    Column("amount", Money, nullable=False),  # of the subject: no more can be refunded
    Column("currency", String(3), nullable=False),
    Column("step", String(12), nullable=False),  # the subject's step when it was opened
    Column("refunded", Money, nullable=True),
    Column("on_behalf", String(16), nullable=False),  # whose complaint it is (E.164)
    Column("opened_by", String(64), nullable=False),
    Column("opened_at", Instant, nullable=False),
    Column("deadline", Instant, nullable=False),
    Column("resolved_by", String(64), nullable=True),
    Column("resolved_at", Instant, nullable=True),
    CheckConstraint("kind IN ('live', 'redemption', 'held', 'paid')", name="kind_known"),
    CheckConstraint("state IN ('open', 'refunded', 'released', 'rejected')", name="state_known"),
    CheckConstraint("(state = 'open') = (open_subject IS NOT NULL)", name="open_has_its_subject"),
    CheckConstraint("(state = 'refunded') = (refunded IS NOT NULL)", name="refunded_says_how_much"),
    CheckConstraint("(state = 'open') = (resolved_at IS NULL)", name="resolved_says_when"),
    CheckConstraint("refunded > 0 AND refunded <= amount", name="refunded_within_amount"),
    money_bounds("amount"),
    money_bounds("refunded"),
    Index("ix_disputes_subject", "subject"),
    Index("ix_disputes_state_deadline", "state", "deadline"),
)
_C = disputes.c


@dataclass(frozen=True, slots=True)
class Dispute:
    """One dispute as it was read."""

    id: int
    reference: str
    kind: str
    subject: str
    open_subject: str | None
    state: str
    amount: Decimal
    currency: str
    step: str
    refunded: Decimal | None
    on_behalf: str
    opened_by: str
    opened_at: datetime
    deadline: datetime
    resolved_by: str | None
    resolved_at: datetime | None


_ALL = select(*_C)


def add(connection: Connection, values: Mapping[str, object]) -> None:
    """A new, open dispute; a race to open one about the same thing ends in `DuplicateKey`."""
    opened = {**values, "open_subject": values["subject"], "state": State.OPEN.value}
    connection.execute(insert(disputes), opened)


def by_reference(connection: Connection, reference: str) -> Dispute | None:
    """The dispute that people call so."""
    row = connection.execute(_ALL.where(_C.reference == reference)).one_or_none()
    return None if row is None else Dispute(*row)


def open_about(connection: Connection, subject: str) -> Dispute | None:
    """The one open dispute about this token or withdrawal."""
    row = connection.execute(_ALL.where(_C.open_subject == subject)).one_or_none()
    return None if row is None else Dispute(*row)


def open_reference(connection: Connection, subject: str) -> str | None:
    """The name of that dispute, for whoever must not go on while there is one."""
    query = select(_C.reference).where(_C.open_subject == subject)
    found: str | None = connection.execute(query).scalar_one_or_none()
    return found


def open_or_refunded(connection: Connection, subject: str) -> str | None:
    """The name of a dispute that is open, or has given the money back already."""
    refunded = (_C.subject == subject) & (_C.state == State.REFUNDED.value)
    query = select(_C.reference).where((_C.open_subject == subject) | refunded)
    found: str | None = connection.execute(query.order_by(_C.id.desc()).limit(1)).scalar()
    return found


def resolve(
    connection: Connection,
    dispute_id: int,
    after: State,
    actor: str,
    now: datetime,
    refunded: Decimal | None = None,
) -> bool:
    """Open to its end, once; False when somebody else has resolved it."""
    done = connection.execute(
        update(disputes)
        .where(_C.id == dispute_id, _C.state == State.OPEN.value)
        .values(
            state=after.value,
            open_subject=None,
            refunded=refunded,
            resolved_by=actor,
            resolved_at=now,
        )
    )
    return done.rowcount == 1


def refunds(connection: Connection, kind: str, subject: str) -> Sequence[Decimal]:
    """What was refunded of one redemption or withdrawal, over all its disputes."""
    found = connection.execute(
        select(_C.refunded).where(
            _C.subject == subject, _C.kind == kind, _C.state == State.REFUNDED.value
        )
    )
    return list(found.scalars())


def listed(
    connection: Connection,
    state: str | None = None,
    overdue_at: datetime | None = None,
    rows_max: int = 100,
) -> list[Dispute]:
    """Disputes in a state, or open beyond their deadline, the soonest due first."""
    statement = _ALL.order_by(_C.deadline, _C.id).limit(rows_max)
    if state is not None:
        statement = statement.where(_C.state == state)
    if overdue_at is not None:
        statement = statement.where(_C.state == State.OPEN.value, _C.deadline <= overdue_at)
    return [Dispute(*row) for row in connection.execute(statement)]


def credited_by(connection: Connection, operation_key: str) -> Account:
    """The guarded account that a movement has put money into.

    A wallet may have been given to another number since: it is the account that counts.
    """
    account = connection.execute(
        select(entries.c.account_id)
        .join(movements, movements.c.id == entries.c.movement_id)
        .join(accounts, accounts.c.id == entries.c.account_id)
        .where(
            movements.c.operation_key == operation_key,
            entries.c.amount > Decimal("0.00"),
            accounts.c.balance.is_not(None),
        )
    ).scalar_one()
    return by_id(connection, int(account))
