"""SQL of guarded balances: what must hold of the row stands in the one UPDATE that changes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Date,
    Update,
    and_,
    bindparam,
    case,
    or_,
    update,
)

from gateway.database import prepared
from gateway.database.types import MONEY_MAX, Money
from gateway.ledger.store import ACTIVE, CLOSED, USED_ON, accounts

_C = accounts.c
_ZERO = Decimal("0.00")
_TODAY = bindparam("today", type_=Date)
_IDLE_BEFORE = bindparam("idle_before", type_=Date)


def _money(name: str) -> Any:
    return bindparam(name, type_=Money)


_OF_TODAY = _C.day == _TODAY


def _today_so_far(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return case((_OF_TODAY, column), else_=_money("zero"))


def _within_the_day(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return or_(_C.day.is_(None), ~_OF_TODAY, column <= _money("day_room"))


def _change(where: Sequence[ColumnElement[bool]], *values: tuple[Any, Any]) -> Update:
    # MariaDB reads a column that was set further left as already changed: `day` is set last.
    return update(accounts).where(_C.id == bindparam("account"), *where).ordered_values(*values)


_MAY_SPEND = (_C.balance >= _money("amount"), _C.status == ACTIVE)
_SPENDS = (
    (_C.balance, _C.balance - _money("amount")),
    (_C.held, _C.held + _money("held")),
)
DEBIT = _change(_MAY_SPEND, *_SPENDS)
# Of a wallet: its owner is known, has used it lately, and stays within the day's debits.
DEBIT_BY_OWNER = _change(
    (
        *_MAY_SPEND,
        _within_the_day(_C.day_debits),
        ~_C.unverified,
        USED_ON >= _IDLE_BEFORE,
    ),
    *_SPENDS,
    (_C.day_debits, _today_so_far(_C.day_debits) + _money("amount")),
    (_C.day_credits, _today_so_far(_C.day_credits)),
    (_C.day, _TODAY),
    (_C.active_on, _TODAY),
)
# Of a float: it stays within what its partner may issue in a day.
DEBIT_IN_DAY = _change(
    (*_MAY_SPEND, _within_the_day(_C.day_debits)),
    (_C.balance, _C.balance - _money("amount")),
    (_C.day_debits, _today_so_far(_C.day_debits) + _money("amount")),
    (_C.day_credits, _today_so_far(_C.day_credits)),
    (_C.day, _TODAY),
)
# Money that is only passed on also leaves a frozen account. If the account gives back what it was
# credited on a day, that counts for the day no more; of an earlier day than its totals are nothing
# is left to correct.
_TAKEN_THEN = and_(_C.day == bindparam("undone", type_=Date), _C.day_credits >= _money("amount"))
PASS_ON = _change(
    (_C.balance >= _money("amount"), _C.status != CLOSED),
    (_C.balance, _C.balance - _money("amount")),
    (_C.day_credits, case((_TAKEN_THEN, _C.day_credits - _money("amount")), else_=_C.day_credits)),
)
# Nothing lies on it or is held: nothing will be missed.
CLOSE = _change(
    (_C.balance == _money("zero"), _C.held == _money("zero"), _C.status != CLOSED),
    (_C.status, CLOSED),
)
_MAY_TAKE = (_C.balance <= _money("room"), _C.status == ACTIVE)
_TAKES = ((_C.balance, _C.balance + _money("amount")),)
_COUNTS_AS_CREDIT = (
    (_C.day_debits, _today_so_far(_C.day_debits)),
    (_C.day_credits, _today_so_far(_C.day_credits) + _money("amount")),
    (_C.day, _TODAY),
)
CREDIT = _change(_MAY_TAKE, *_TAKES)
CREDIT_IN_DAY = _change((*_MAY_TAKE, _within_the_day(_C.day_credits)), *_TAKES, *_COUNTS_AS_CREDIT)
# By what its owner did: a sign of life, but of whom, if the wallet had been idle?
CREDIT_BY_OWNER = _change(
    (*_MAY_TAKE, _within_the_day(_C.day_credits)),
    (_C.unverified, or_(_C.unverified, USED_ON < _IDLE_BEFORE)),
    *_TAKES,
    *_COUNTS_AS_CREDIT,
    (_C.active_on, _TODAY),
)
# A value that comes back (expiry, cancellation, rejection) also reaches a frozen or full account:
# it was theirs. What was held of it is let go.
RETURN = _change(
    (_C.balance <= _money("room"), _C.held >= _money("held"), _C.status != CLOSED),
    (_C.balance, _C.balance + _money("amount")),
    (_C.held, _C.held - _money("held")),
)
LET_GO = _change((_C.held >= _money("held"),), (_C.held, _C.held - _money("held")))


@dataclass(frozen=True, slots=True)
class Day:
    """The local day that a movement counts for, and the first day that is not idle."""

    today: date
    idle_before: date
    room: Decimal  # what the day's total may be at most before this movement


def debit(
    connection: Connection,
    account: int,
    amount: Decimal,
    held: Decimal = _ZERO,
    day: Day | None = None,
) -> bool:
    """Take `amount`, of which `held` stays with us; False when the row does not allow it now.

    With a `day` it is its owner's debit, and counts for that day.
    """
    values: dict[str, object] = {"account": account, "amount": amount, "held": held}
    if day is None:
        return prepared.change(connection, DEBIT, values) == 1
    return prepared.change(connection, DEBIT_BY_OWNER, values | _of(day)) == 1


def spend(connection: Connection, account: int, amount: Decimal, day: Day) -> bool:
    """Take `amount` from a float; False when the row, or the day's total, does not allow it now."""
    values: dict[str, object] = {"account": account, "amount": amount}
    values |= _of(day)
    del values["idle_before"]
    return prepared.change(connection, DEBIT_IN_DAY, values) == 1


def credit(
    connection: Connection,
    account: int,
    amount: Decimal,
    balance_max: Decimal = MONEY_MAX,
    day: Day | None = None,
    *,
    by_owner: bool = False,
) -> bool:
    """Add `amount`; False when the row has no room for it, is not active, or is full for its day.

    Without a `day` it counts for none.
    """
    values: dict[str, object] = {
        "account": account,
        "amount": amount,
        "room": balance_max - amount,
    }
    if day is None:
        return prepared.change(connection, CREDIT, values) == 1
    if by_owner:
        return prepared.change(connection, CREDIT_BY_OWNER, values | _of(day)) == 1
    values |= _of(day)
    del values["idle_before"]
    return prepared.change(connection, CREDIT_IN_DAY, values) == 1


def give_back(connection: Connection, account: int, amount: Decimal, held: Decimal = _ZERO) -> bool:
    """Return `amount`, of which `held` was held; False when the account is closed."""
    values = {"account": account, "amount": amount, "held": held, "room": MONEY_MAX - amount}
    return prepared.change(connection, RETURN, values) == 1


def pass_on(
    connection: Connection, account: int, amount: Decimal, undone: date | None = None
) -> bool:
    """Take `amount` from an active or frozen account; False when the row does not allow it.

    It counts no more for the credits of the day `undone`, if those are still kept.
    """
    values = {"account": account, "amount": amount, "undone": undone}
    return prepared.change(connection, PASS_ON, values) == 1


def close(connection: Connection, account: int) -> bool:
    """Close an empty account for good; False when it is not empty, or was closed before."""
    return prepared.change(connection, CLOSE, {"account": account, "zero": _ZERO}) == 1


def let_go(connection: Connection, account: int, held: Decimal) -> bool:
    """Hold so much less: it is on its way out."""
    return prepared.change(connection, LET_GO, {"account": account, "held": held}) == 1


def _of(day: Day) -> dict[str, object]:
    return {
        "today": day.today,
        "idle_before": day.idle_before,
        "day_room": day.room,
        "zero": _ZERO,
    }
