"""SQL of stuck withdrawals: held at a step, without the request or task that would move them on."""

from sqlalchemy import ColumnElement, Connection, and_, exists, or_, select

from gateway.audit.decisions.store import approvals
from gateway.outbox.store import State as MessageState
from gateway.outbox.store import outbox
from gateway.outbox.tasks import PAYOUT, QUERY
from gateway.withdrawals.store import Payout, State, Withdrawal, withdrawals

_W = withdrawals.c
_LIVE = (MessageState.QUEUED.value, MessageState.SENDING.value)


def unattended(connection: Connection, kind: str, rows_max: int) -> list[Withdrawal]:
    """The oldest of them; `kind` is of the approval that one without a step waits for."""
    query = select(*_W).where(is_unattended(kind)).order_by(_W.id).limit(rows_max)
    return [Withdrawal(*row) for row in connection.execute(query)]


def is_unattended(kind: str) -> ColumnElement[bool]:
    """Whether a withdrawal is stuck."""
    asked = exists().where(
        approvals.c.kind == kind, approvals.c.subject == _W.reference, approvals.c.waits == 1
    )
    return and_(
        _W.state == State.HELD.value,
        or_(
            and_(_W.payout == Payout.NONE.value, ~asked),
            and_(_W.payout == Payout.QUEUED.value, ~_awaited(PAYOUT)),
            and_(_W.payout == Payout.SENDING.value, ~_awaited(PAYOUT)),
            and_(_W.payout == Payout.UNKNOWN.value, ~_awaited(QUERY)),
        ),
    )


def _awaited(line: str) -> ColumnElement[bool]:
    return exists().where(
        outbox.c.subject == _W.reference,
        outbox.c.line == line,
        outbox.c.state.in_(_LIVE),
        outbox.c.run_at.is_not(None),
    )
