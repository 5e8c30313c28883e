"""A partner with batches: the file, the approval, and the worker, as the tests stage them."""

from decimal import Decimal
from typing import Any

from sqlalchemy import func, select

from gateway.api.batches import store
from gateway.api.batches.batch import Asks
from gateway.tokens.store import tokens
from tests.support.wired import Wired

HEAD = "amount,recipient,issue_ref"


def sheet(count: int, amount: str = "10.00", first: int = 1) -> str:
    """A file of so many rows, each to a phone of its own."""
    rows = [f"{amount},+23480300{n:05},r{n}" for n in range(first, first + count)]
    return "\n".join([HEAD, *rows])


def running(wired: Wired, text: str, code: str = "acme") -> str:
    """A batch that nobody has to approve; its name."""
    now, batches = wired.clock.now(), wired.gateway.partners.batches
    asks = Asks(code, "test", "a test", Decimal("1000000"))
    return wired.run(lambda c: batches.take_in(c, asks, text, now))


def advance(wired: Wired) -> int:
    """Let a worker do all it can; how many rows it decided."""
    return wired.gateway.partners.batch_worker.advance()


def shown(wired: Wired, name: str) -> dict[str, Any]:
    """The batch as it stands."""
    return dict(wired.run(lambda c: wired.gateway.partners.batches.show(c, name, None)))


def counts(wired: Wired, name: str) -> tuple[int, int, int, int]:
    """How many rows wait, are issued, have failed, were cancelled."""
    found = shown(wired, name)
    return found["waiting"], found["issued"], found["failed"], found["cancelled"]


def issued(wired: Wired, code: str = "acme") -> int:
    """How many tokens a partner has."""
    query = select(func.count()).select_from(tokens).where(tokens.c.issuer == code)
    return wired.run(lambda c: int(c.execute(query).scalar_one()))


def serials(wired: Wired, name: str) -> list[str]:
    """The serials of a batch's rows."""

    def read(connection: Any) -> list[str]:
        found = store.by_reference(connection, name)
        assert found is not None
        return [kept.serial for kept in store.every_row(connection, found.id) if kept.serial]

    return wired.run(read)
