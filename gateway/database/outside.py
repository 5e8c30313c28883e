"""What a unit of work needs made outside of it: too slow for a transaction, or kept whatever comes.

A PIN is such a thing: its hash takes too long to hold locks meanwhile, and its try must be counted
even if the work is rolled back. The work raises `NeededFirst`, is rolled back, and runs again once
the thing is made.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from sqlalchemy import Connection

from gateway.database.engine import Database, Deadline
from gateway.errors import CommitUnknown, GatewayError, TryAgain

T = TypeVar("T")
Made = Mapping[bytes, object]  # what was made, by the names it was asked for
ROUNDS_MAX = 3  # how often the world may change between the making and the work


class NeededFirst(GatewayError):
    """A unit of work cannot go on before something is made outside of it.

    `make(cause, deadline)` makes it; `cause` names the request, so that what is made again for the
    same request is counted once. Neither the text nor `name` tells what it is made from.
    """

    def __init__(
        self, text: str, name: bytes, make: Callable[[bytes, Deadline | None], object]
    ) -> None:
        super().__init__(text)
        self.name = name
        self.make = make


def run(
    database: Database,
    work: Callable[[Connection, Made], T],
    cause: Callable[[], bytes],
    *,
    deadline: Deadline | None = None,
    keyed: bool = False,
) -> T:
    """`Database.run` of `work`, with what it needs made in between, all within one deadline.

    Raises what `Database.run` raises, and what the making does.
    """
    made: dict[bytes, object] = {}
    for _ in range(ROUNDS_MAX + 1):
        try:
            return database.run(lambda c: work(c, made), deadline=deadline, keyed=keyed)
        except NeededFirst as needed:
            asked = needed
        try:
            made[asked.name] = asked.make(cause(), deadline)
        except CommitUnknown as error:
            # Of the making alone: the work itself was rolled back for certain.
            raise TryAgain("no answer to a COMMIT outside of the work") from error
    raise TryAgain("what was made outside was out of date each time")
