"""The states of a deposit, and what may follow what: the one table of it."""

from collections.abc import Mapping, Sequence
from enum import StrEnum


class State(StrEnum):
    """Where a deposit stands."""

    PENDING = "pending"  # asked for; nobody knows yet whether it was paid
    COMPLETED = "completed"  # booked, on a wallet or in suspense
    FAILED = "failed"  # the provider says so; a later success still counts
    REVERSED = "reversed"  # taken back by two operators
    JOINED = "joined"  # a payment in suspense that was an order's own: the order has the credit


# What may follow; a deposit that is completed never fails.
FOLLOWS: Mapping[State, Sequence[State]] = {
    State.PENDING: (State.COMPLETED, State.FAILED),
    State.FAILED: (State.COMPLETED,),
    State.COMPLETED: (State.REVERSED, State.JOINED),
    State.REVERSED: (),
    State.JOINED: (),
}
OPEN = (State.PENDING, State.FAILED)  # not booked: a success would complete it


def before(state: State) -> Sequence[State]:
    """The states that may become this one.

    >>> [state.value for state in before(State.COMPLETED)]
    ['pending', 'failed']
    >>> before(State.PENDING)
    []
    """
    return [known for known, following in FOLLOWS.items() if state in following]
