"""SQL of the lists of deposits and callbacks, page by page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, select

from gateway.deposits.callbacks import masking
from gateway.deposits.callbacks.open.store import OPEN as OPEN_CALLBACKS
from gateway.deposits.callbacks.store import Became, callbacks
from gateway.deposits.states import OPEN, State
from gateway.deposits.store import Deposit, deposits
from gateway.ledger.store import SUSPENSE, accounts

COUNTED_MAX = 1_000  # more than this reads as "many" to anybody
BODY_MAX = 8_000  # characters of a body that a page shows
_D, _C = deposits.c, callbacks.c


class Shown(StrEnum):
    """Which deposits a list shows."""

    PENDING = "pending"
    FAILED = "failed"
    PARKED = "parked"  # an operator must look before it is booked
    SUSPENSE = "suspense"  # booked, and waits for its owner
    ALL = "all"


_WHERE: Mapping[Shown, tuple[ColumnElement[bool], ...]] = {
    Shown.PENDING: (_D.state == State.PENDING.value,),
    Shown.FAILED: (_D.state == State.FAILED.value,),
    Shown.PARKED: (
        _D.parked.is_not(None),
        _D.state.in_([state.value for state in OPEN]),
    ),
    Shown.SUSPENSE: (
        _D.state == State.COMPLETED.value,
        _D.account_id.in_(select(accounts.c.id).where(accounts.c.kind == SUSPENSE)),
    ),
    Shown.ALL: (),
}
# Those that wait for somebody, and of which it matters how many there are.
COUNTED = (Shown.PARKED, Shown.SUSPENSE)


@dataclass(frozen=True, slots=True)
class Heard:
    """A callback as it came, fit to be shown: what could be a token in it is hidden (T3)."""

    id: int
    received_at: datetime
    dialect: str
    part: str
    provider: str
    address: str
    became: str
    reason: str | None
    txn_id: str | None
    provider_ref: str | None
    reference: str | None
    deposit: str | None  # our reference of it
    body: str
    is_whole: bool


_HEARD = select(
    *(_C.id, _C.received_at, _C.dialect, _C.part, _C.provider, _C.address, _C.became, _C.reason),
    *(_C.txn_id, _C.provider_ref, _C.reference, _D.reference.label("deposit"), _C.body),
).outerjoin(deposits, _D.id == _C.deposit_id)


def page(connection: Connection, shown: Shown, before: int | None, rows_max: int) -> list[Deposit]:
    """The deposits of a list, the newest first; those with ids below one."""
    query = select(*_D).where(*_WHERE[shown])
    if before is not None:
        query = query.where(_D.id < before)
    rows = connection.execute(query.order_by(_D.id.desc()).limit(rows_max))
    return [Deposit(*row) for row in rows]


def told(
    connection: Connection, before: int | None, rows_max: int, became: Sequence[Became] = ()
) -> list[Heard]:
    """The callbacks of which this became (else: what is in no books), the newest first."""
    wanted = [one.value for one in became or OPEN_CALLBACKS]
    query = _HEARD.where(_C.became.in_(wanted))
    if before is not None:
        query = query.where(_C.id < before)
    return _heard(connection, query.order_by(_C.id.desc()).limit(rows_max))


def callback(connection: Connection, number: int) -> Heard | None:
    """One callback."""
    return next(iter(_heard(connection, _HEARD.where(_C.id == number))), None)


def callbacks_of(connection: Connection, deposit_id: int, rows_max: int) -> list[Heard]:
    """The callbacks about a deposit, the latest first."""
    query = _HEARD.where(_C.deposit_id == deposit_id)
    return _heard(connection, query.order_by(_C.id.desc()).limit(rows_max))


def found(connection: Connection, name: str, rows_max: int) -> list[Deposit]:
    """The deposits that a name may mean: a carrier's id, proven or hinted, or a provider's."""
    by = (_D.txn_id, _D.hinted_txn_id, _D.provider_ref, _D.known_as)
    ids: set[int] = set()
    for column in by:
        query = select(_D.id).where(column == name).order_by(_D.id.desc()).limit(rows_max)
        ids.update(connection.execute(query).scalars())
    rows = connection.execute(select(*_D).where(_D.id.in_(ids)).order_by(_D.id.desc()))
    return [Deposit(*row) for row in rows][:rows_max]


def counts(connection: Connection) -> Mapping[str, int]:
    """How many are in each list that is `COUNTED`, and how many callbacks are in no books."""
    some: dict[str, int] = {
        shown.value: _count(connection, select(_D.id).where(and_(*_WHERE[shown])))
        for shown in COUNTED
    }
    wanted = [one.value for one in OPEN_CALLBACKS]
    return some | {"callbacks": _count(connection, select(_C.id).where(_C.became.in_(wanted)))}


def _count(connection: Connection, query: Select[tuple[int]]) -> int:
    some = query.limit(COUNTED_MAX).subquery()
    return int(connection.execute(select(func.count()).select_from(some)).scalar_one())


def _heard(connection: Connection, query: Select[Any]) -> list[Heard]:
    return [_shown(row) for row in connection.execute(query)]


def _shown(row: Row[Any]) -> Heard:
    values = dict(row._mapping)
    spared = [values[name] for name in ("txn_id", "provider_ref") if values[name]]
    text = values["body"].decode(errors="replace")
    values["body"] = masking.masked(text, spared)[:BODY_MAX]
    return Heard(**values, is_whole=len(text) <= BODY_MAX)
