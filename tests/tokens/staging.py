"""What the token tests stage: planted rows, another phone, a look at the SQL, a hook before it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Table, event, func, insert, select

from gateway.audit import store as audit_store
from gateway.database.engine import Database
from gateway.ledger import store as ledger_store
from gateway.ledger import wallets
from gateway.ledger.books import Books, Leg
from gateway.ledger.store import HOUSE, WALLET, Account, accounts, entries, movements
from gateway.outbox.store import outbox
from gateway.tokens import suspend
from gateway.tokens.issue import Issued, Issuer, Order, expiry
from gateway.tokens.redeem import Answer
from gateway.tokens.store import Token, tokens
from tests.support.wired import Wired

BOOKED = (tokens, movements, entries, outbox)


def phone(number: int) -> str:
    """One of many phones."""
    return f"+23480400{number:05d}"


def order(wired: Wired, amount: str = "100.00", **changes: Any) -> Order:
    """An order that the house funds for 30 days, without an SMS; `changes` win."""
    expires_at = expiry("30d", wired.clock.now(), wired.gateway.settings.zone)
    return replace(Order(Decimal(amount), "NGN", expires_at, deliver=False), **changes)


def issuer_with(wired: Wired, txn_ids: Iterator[str]) -> Issuer:
    """An issuer that takes its transaction ids from a list."""
    return Issuer(wired.gateway.rings, Books(), lambda: next(txn_ids))


def count(wired: Wired, table: Table, *where: Any) -> int:
    """How many rows a table has."""
    query = select(func.count()).select_from(table).where(*where)
    return wired.run(lambda c: int(c.execute(query).scalar_one()))


def rows_of(wired: Wired) -> tuple[int, ...]:
    """How many rows the tables of tokens, books and messages have."""
    return tuple(count(wired, table) for table in BOOKED)


def system_accounts(wired: Wired) -> None:
    """Make the accounts and write keys that a first issue makes, so that later counts compare."""
    wired.issue("1.00")


def plant(wired: Wired, digits: str, **changes: Any) -> Token:
    """A row for chosen digits, a copy of a token that was issued for the purpose."""
    issued = wired.token(wired.issue(digits=len(digits)).serial)
    lookup_kid = changes.get("lookup_kid", issued.lookup_kid)
    values = {"lookup": wired.gateway.rings.lookup_digest(lookup_kid, digits), **changes}
    change(wired, issued.serial, **values)
    return wired.token(issued.serial)


def change(wired: Wired, serial: str, **values: Any) -> None:
    """Tamper with a token's row."""
    statement = tokens.update().where(tokens.c.serial == serial).values(**values)
    wired.run(lambda c: c.execute(statement).rowcount)


def wallet(wired: Wired, owner: str, amount: str = "0.00", **changes: Any) -> Account:
    """A wallet with money from the house, as a deposit will bring it; `changes` win at last."""
    now = wired.clock.now()

    def made(connection: Connection) -> Account:
        found = wallets.ensure(connection, owner, "NGN", now)
        if Decimal(amount):
            house = wired.gateway.books.system(connection, HOUSE, "NGN", now)
            legs = (Leg(house, -Decimal(amount)), Leg(found, Decimal(amount)))
            wired.gateway.books.post(connection, f"test:{owner}:{amount}", "test", "", legs, now)
        if changes:
            row = accounts.c.id == found.id
            connection.execute(accounts.update().where(row).values(**changes))
        return ledger_store.by_id(connection, found.id)

    return wired.run(made)


def bare_account(wired: Wired, **values: Any) -> int:
    """An account written directly; its id."""
    facts = {"kind": WALLET, "currency": "NGN", "balance": Decimal("0.00"), "status": "active"}
    facts |= {"held": Decimal("0.00"), "created_at": wired.clock.now(), **values}
    made = wired.run(lambda c: c.execute(insert(accounts).values(**facts)).inserted_primary_key)
    assert made is not None
    return int(made[0])


def audit(wired: Wired, serial: str) -> list[tuple[str, str, str]]:
    """What was done to a token since it was issued, as the trail has it."""
    return [line for line in trail_of(wired, serial) if line[1] != "token.issue"]


def trail_of(wired: Wired, serial: str) -> list[tuple[str, str, str]]:
    """Actor, action and reason of every line of the trail about a token."""
    lines = wired.run(lambda c: audit_store.about(c, serial))
    return [(line.actor, line.action, line.reason) for line in lines]


def funded(wired: Wired, owner: str, amount: str, **changes: Any) -> Issued:
    """A token that a wallet pays for, read and charged in one unit of work."""
    wanted, now = order(wired, amount, **changes), wired.clock.now()

    def work(connection: Connection) -> Issued:
        payer = wallets.find(connection, owner, "NGN")
        return wired.gateway.issuer.issue(connection, wanted, now, payer)

    return wired.run(work)


def brought_to(wired: Wired, state: str, **changes: Any) -> Issued:
    """A token in a state; `overdue` is issued and `late` suspended, both past their time."""
    issued = wired.issue(**changes)
    token, now = wired.token(issued.serial), wired.clock.now()
    if state in ("suspended", "late"):
        wired.run(lambda c: suspend.suspend(c, token, "test", "", now))
    if state in ("overdue", "expired", "late"):
        change(wired, issued.serial, expires_at=now)
    if state == "expired":
        assert wired.run(lambda c: wired.gateway.retirer.expire(c, token.id, now))
    if state == "cancelled":
        wired.run(lambda c: wired.gateway.retirer.cancel(c, token, "test", "", now))
    if state == "redeemed":
        assert wired.redeem(issued.reveal(), phone(0)).answer is Answer.REDEEMED
    return issued


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """The SQL that is sent meanwhile."""
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        sent.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


@contextmanager
def once_before(database: Database, beginning: str, act: Callable[[], object]) -> Iterator[None]:
    """Run `act` once, just before the first statement that begins so is sent.

    MariaDB only: on SQLite a second writer would wait for the first to end.
    """
    done: list[str] = []

    def hook(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith(beginning) and not done:
            done.append(statement)
            act()

    event.listen(database.engine, "before_cursor_execute", hook)
    try:
        yield
    finally:
        event.remove(database.engine, "before_cursor_execute", hook)
    assert done, f"no statement began with {beginning}"


def all_of(wired: Wired) -> list[Token]:
    """Every token there is."""
    rows = wired.run(lambda c: c.execute(select(*tokens.c).order_by(tokens.c.id)).all())
    return [Token(*row) for row in rows]
