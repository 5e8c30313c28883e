"""Rows of every kind that the front page tells of, planted as the product leaves them."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Table, insert, select, update

from gateway.deposits.callbacks.store import callbacks
from gateway.deposits.store import deposits
from gateway.ledger.store import SUSPENSE
from gateway.outbox.store import outbox
from gateway.reconciliation.runs import store as runs
from gateway.reconciliation.runs.store import Finding, Run, reconciliation_runs
from gateway.tokens.guesses import store as guesses
from gateway.tokens.keys.store import key_holders
from gateway.withdrawals.store import withdrawals
from tests.support.wired import ADA, Wired
from tests.tokens.staging import wallet

ZERO = Decimal("0.00")


def plant(wired: Wired, table: Table, **values: Any) -> None:
    """One row."""
    wired.run(lambda c: c.execute(insert(table).values(**values)))


def withdrawal(wired: Wired, reference: str, payout: str) -> None:
    """A withdrawal that is held at a step of paying."""
    now, account = wired.clock.now(), wallet(wired, ADA)
    plant(
        wired,
        withdrawals,
        reference=reference,
        intent=reference,
        account_id=account.id,
        method="mobile",
        provider="snippe",
        msisdn=ADA,
        destination=ADA,
        amount=Decimal("5.00"),
        fee=ZERO,
        currency="NGN",
        state="held",
        payout=payout,
        requested_by=ADA,
        requested_at=now,
        changed_at=now,
    )


def deposit(wired: Wired, reference: str, *, parked: bool) -> None:
    """A parked order, or a payment in suspense."""
    now, books = wired.clock.now(), wired.gateway.books
    held = wired.run(lambda c: books.system(c, SUSPENSE, "NGN", now, "snippe"))
    state = {"state": "pending", "parked": "amounts differ"} if parked else {"state": "completed"}
    plant(
        wired,
        deposits,
        reference=reference,
        origin="order" if parked else "payment",
        provider="snippe",
        msisdn="",
        amount=Decimal("5.00"),
        fee=ZERO,
        currency="NGN",
        account_id=None if parked else held.id,
        created_at=now,
        changed_at=now,
        **state,
    )


def callback(wired: Wired, became: str) -> None:
    """A callback of which this became."""
    plant(
        wired,
        callbacks,
        dialect="snippe",
        part="",
        provider="snippe",
        address="127.0.0.1",
        headers="[]",
        body=b"{}",
        received_at=wired.clock.now(),
        became=became,
    )


def guessed(wired: Wired, source: str, an_hour: int, hour_max: int | None = None) -> None:
    """Wrong entries of a source, or of all together, counted now."""
    plant(
        wired,
        guesses.guess_counters,
        source=source,
        hour_from=wired.clock.now(),
        hour_count=an_hour,
        day_from=wired.clock.now(),
        day_count=an_hour,
        hour_max=hour_max,
        day_max=None if hour_max is None else hour_max * 10,
    )


def run_over_yesterday(wired: Wired, *findings: str, cut_off: bool = False) -> Run:
    """A run over everything, with findings of these kinds."""
    reconciler, now = wired.gateway.reconciler, wired.clock.now()

    def work(connection: Connection) -> int:
        number = runs.begin(connection, reconciler.yesterday(), runs.EVERYTHING, "cli:test", now)
        runs.add_findings(connection, number, [Finding(kind, "snippe") for kind in findings])
        if not cut_off:
            runs.finish(connection, number, 0, 0, len(findings), now)
        return number

    number = wired.run(work)
    if cut_off:
        broken = update(reconciliation_runs).values(state=runs.BROKEN)
        wired.run(lambda c: c.execute(broken))
    return wired.run(lambda c: runs.by_id(c, number))


def failed_sms(wired: Wired) -> None:
    """An SMS that failed for good."""
    wired.issue(deliver=True)
    last = select(outbox.c.id).order_by(outbox.c.id.desc()).limit(1)
    number = wired.run(lambda c: c.execute(last).scalar_one())
    failed = update(outbox).where(outbox.c.id == number).values(state="failed", reason="no such")
    wired.run(lambda c: c.execute(failed))


def worker_was_heard(wired: Wired, at: datetime) -> None:
    """A worker that said then that it lives."""
    wired.gateway.report_keys("worker")
    wired.run(lambda c: c.execute(update(key_holders).values(seen_at=at)))
