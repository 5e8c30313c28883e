"""An installation that takes and pays money: its menus over HTTP, and looks into its books."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from typing import Any, TypeVar

from sqlalchemy import Connection, func, select, update

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.deposits import store as deposit_store
from gateway.deposits.callbacks.store import callbacks
from gateway.deposits.store import Deposit, deposits
from gateway.ledger import wallets
from gateway.ledger.books import Books, Leg
from gateway.ledger.store import HOUSE, accounts, movements
from gateway.outbox.store import outbox
from gateway.withdrawals import store as withdrawal_store
from gateway.withdrawals.store import Withdrawal, withdrawals
from tests.emulators.dialer import Session
from tests.support.serving import Installed, Web

T = TypeVar("T")

PIN = "4907"
WAIT_SECONDS_MAX = 30.0
REFERENCE = re.compile(r"Ref ([A-Z0-9]{9,12})\b")


class Market:
    """One installation; `web` is its gunicorn while `open` lasts."""

    web: Web

    def __init__(self, installed: Installed) -> None:
        self.installed = installed
        self.database = Database(installed.env["GATEWAY_DATABASE_URL"])
        self._books = Books()

    @property
    def currency(self) -> str:
        """What wallets hold."""
        return self.installed.env["GATEWAY_CURRENCY"]

    @contextmanager
    def open(
        self, *settings: Mapping[str, str], name: str = "web", processes: int = 1
    ) -> Iterator[Web]:
        """gunicorn with these settings, which every command has too from now on."""
        for given in settings:
            self.installed.env.update(given)
        with self.installed.web(name, processes=processes) as web:
            self.web = web
            yield web

    # --- what callers do -----------------------------------------------------------------------

    def dialled(self, phone: str, path: str, *entries: str) -> Session:
        """Dial a path of the menu directly, then enter these; the last answer is in it."""
        call = self.web.dialer.dial(phone, text=path)
        for entry in entries:
            call.send(entry)
        return call

    def set_pin(self, phone: str, pin: str = PIN) -> None:
        """Choose the first PIN."""
        assert self.dialled(phone, "5*2", pin, pin).answer.text.startswith("END Your PIN is set.")

    def top_up(self, phone: str, amount: str = "15000", brand: str = "") -> str:
        """Ask for a top-up by 4 → 3, from this brand where there are several; its reference."""
        call = self.dialled(phone, "4*3", amount)
        if "From where?" in call.answer.text:
            call.send(_number_of(brand, call.answer.text))
        assert "Fee" in call.answer.text, call.answer.text
        return _reference(call.send("1").text)

    def withdraw(self, phone: str, amount: str = "60000", pin: str = PIN) -> str:
        """Ask for mobile money by 4 → 4 → 1; the reference, or "" when it was refused."""
        call = self.dialled(phone, "4*4", "1", amount, "1")
        found = REFERENCE.search(call.send(pin).text)
        return found[1] if found else ""

    # --- what happened before, and how time passes -----------------------------------------------

    def fund(self, phone: str, amount: str) -> None:
        """A wallet with money of the house."""
        now, worth = Clock().now(), Decimal(amount)

        def work(connection: Connection) -> None:
            wallet = wallets.ensure(connection, phone, self.currency, now)
            house = self._books.system(connection, HOUSE, self.currency, now)
            legs = (Leg(house, -worth), Leg(wallet, worth))
            self._books.post(connection, f"test:fund:{phone}", "test", "", legs, now)

        self.run(work)

    def order(self, provider: str, phone: str, amount: str, currency: str, **names: str) -> None:
        """An order that was pushed a moment ago, under the names that its provider gave it."""
        now = Clock().now()

        def work(connection: Connection) -> None:
            wallets.ensure(connection, phone, currency, now)
            deposit_store.add(
                connection,
                origin=deposit_store.ORDER,
                provider=provider,
                msisdn=phone,
                amount=Decimal(amount),
                fee=Decimal("0.00"),
                currency=currency,
                state="pending",
                created_at=now,
                changed_at=now,
                **names,
            )

        self.run(work)

    def pass_time(self, **by: float) -> None:
        """Let so much time have passed for all that waits: real time is not waited for."""
        past = timedelta(**by)

        def work(connection: Connection) -> None:
            for column, *waits in (
                (deposits.c.created_at,),
                (withdrawals.c.handed_over_at,),
                (outbox.c.due_at, outbox.c.state == "queued"),
                (outbox.c.run_at, outbox.c.state == "queued"),
            ):
                known, row = column.is_not(None), column.table.c.id
                for number, at in connection.execute(
                    select(row, column).where(known, *waits)
                ).all():
                    moved = {column.name: at - past}
                    connection.execute(update(column.table).where(row == number).values(moved))

        self.run(work)

    # --- looks -----------------------------------------------------------------------------------

    def run(self, work: Callable[[Connection], T]) -> T:
        """One unit of work."""
        return self.database.run(work)

    def wallet(self, phone: str, currency: str = "") -> tuple[str, str]:
        """What a phone can spend, and what is held of it."""
        found = self.run(lambda c: wallets.find(c, phone, currency or self.currency))
        return (str(found.balance), str(found.held)) if found else ("", "")

    def wallets(self) -> dict[str, Decimal]:
        """Every wallet's balance."""
        query = select(accounts.c.owner, accounts.c.balance).where(accounts.c.kind == "wallet")
        return {row.owner: row.balance for row in self.run(lambda c: c.execute(query).all())}

    def deposit(self, reference: str) -> Deposit:
        """An order as it is now."""
        found = self.run(lambda c: deposit_store.by_reference(c, reference))
        assert found is not None
        return found

    def withdrawal(self, reference: str) -> Withdrawal:
        """A withdrawal as it is now."""
        found = self.run(lambda c: withdrawal_store.by_reference(c, reference))
        assert found is not None
        return found

    def became(self) -> list[str]:
        """What became of each callback that was kept."""
        query = select(callbacks.c.became).order_by(callbacks.c.id)
        return self.run(lambda c: list(c.execute(query).scalars()))

    def booked(self, kind: str) -> int:
        """How many movements of a kind there are."""
        query = select(func.count()).select_from(movements).where(movements.c.kind == kind)
        return self.run(lambda c: c.execute(query).scalar_one())

    def until(self, is_so: Callable[[], Any], *, passing_seconds: float = 0) -> None:
        """Wait for the processes to bring something about; each look lets time pass."""
        end = time.monotonic() + WAIT_SECONDS_MAX
        while not is_so():
            assert time.monotonic() < end, self.installed.logs()[-3_000:]
            if passing_seconds:
                self.pass_time(seconds=passing_seconds)
            time.sleep(0.2)

    def close(self) -> None:
        """Give the connections back."""
        self.database.dispose()


def _number_of(choice: str, screen: str) -> str:
    """The number in front of a choice."""
    found = re.search(rf"^(\d+) {re.escape(choice)}$", screen, re.MULTILINE)
    assert found, screen
    return found[1]


def _reference(text: str) -> str:
    found = REFERENCE.search(text)
    assert found, text
    return found[1]
