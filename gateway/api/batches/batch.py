"""Batches up to their approval, and after: taken in whole or not at all, shown, retried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection

from gateway.api.batches import checking, store, views
from gateway.api.batches.checking import Checked
from gateway.api.batches.row import Fault
from gateway.api.batches.store import Batch, RowStatus, Status, Tally
from gateway.api.issuing import Issuing
from gateway.api.tokens import NotFound
from gateway.audit import trail
from gateway.audit.approvals import Requests
from gateway.database.types import MONEY_MAX
from gateway.errors import BadInput
from gateway.formats import money
from gateway.formats.facts import Fact, Made, Sum, fact
from gateway.ledger import floats
from gateway.ledger.books import ZERO
from gateway.partners import profiles, testing
from gateway.partners.terms import store as terms
from gateway.tokens import serials
from gateway.tokens.issued import store as issued

APPROVAL = "batch.issue"  # the kind of approval a batch waits for
TOLD_MAX = 100  # faults, or failed rows, of one answer
REFS_AT_ONCE = 500
CHECKED = "checked"  # of a dry run, which keeps nothing


class BadBatch(BadInput):
    """Something is wrong with the file, and nothing of it was taken; `faults` say what."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        first = faults[0]
        where = f"row {first.row}, {first.column}: " if first.column else ""
        super().__init__(f"the file has {len(faults)} faults; the first: {where}{first.detail}")
        self.faults = faults


class BatchState(BadInput):
    """The batch stands where this cannot be done."""


@dataclass(frozen=True, slots=True)
class Asks:
    """Who hands a batch in."""

    owner: str  # a partner's code, or <code>:test
    actor: str
    reason: str
    alone_max: Decimal | None = None  # up to this total nobody approves; None: somebody always does


@dataclass(frozen=True, slots=True)
class Batches:
    """What is done with batches; every method works in the caller's transaction."""

    issuing: Issuing
    requests: Requests

    def check(self, connection: Connection, owner: str, text: str) -> Checked:
        """Look through a file. Raises `UnknownPartner`, `PartnerSuspended`."""
        code, is_test = testing.code_of(owner)
        profiles.insist_active(connection, code)
        token_max = terms.of(connection, code).token_max
        found = checking.check(text, self.issuing.country, token_max, is_test=is_test)
        for first in range(0, len(found.rows), REFS_AT_ONCE):
            some = found.rows[first : first + REFS_AT_ONCE]
            known = issued.serials_of(connection, owner, [row.issue_ref for row in some])
            found.faults += checking.used_before(some, known)
        if found.total > MONEY_MAX:
            found.faults.append(Fault(0, "amount", "the total is more than any float holds"))
        found.faults.sort(key=lambda fault: fault.row)
        return found

    def report(self, connection: Connection, owner: str, text: str) -> Mapping[str, Any]:
        """A dry run: what the file would come to, and all that is wrong with it."""
        found, currency = self.check(connection, owner, text), self.issuing.currency(owner)
        tally = {RowStatus.WAITING.value: Tally(len(found.rows), found.total)}
        rows = len(
            ({fault.row for fault in found.faults} | {row.number for row in found.rows}) - {0}
        )
        return {
            "batch": None,
            "status": CHECKED,
            "rows": rows,
            "total": money.plain(min(found.total, MONEY_MAX)),
            "currency": currency,
            **views.counts(tally),
            **self._funds(connection, owner, found.total),
            "created_at": None,
            "ended_at": None,
            "errors": [views.fault(fault) for fault in found.faults[:TOLD_MAX]],
            "errors_count": len(found.faults),
        }

    def take_in(self, connection: Connection, asks: Asks, text: str, now: datetime) -> str:
        """Keep a file's rows, and ask for an approval; what the batch is called.

        Raises `BadBatch` when anything is wrong with it, and what `check` does.
        """
        found = self.check(connection, asks.owner, text)
        if found.faults:
            raise BadBatch(found.faults)
        code, is_test = testing.code_of(asks.owner)
        alone = is_test or (asks.alone_max is not None and found.total <= asks.alone_max)
        status = Status.RUNNING if alone else Status.WAITING
        reference, currency = f"B{serials.new()}", self.issuing.currency(asks.owner)
        values = {
            "reference": reference,
            "owner": asks.owner,
            "status": status.value,
            "total": found.total,
            "currency": currency,
            "asked_by": asks.actor,
            "created_at": now,
        }
        store.add(connection, values, found.rows)
        rows, total = len(found.rows), found.total
        said = fact(
            "{rows} tokens, {sum}, for {owner}", rows=rows, sum=Sum(total, currency), owner=code
        )
        trail.record(connection, asks.actor, "batch.import", reference, now, asks.reason, said)
        if not alone:
            details = {"owner": code, "rows": str(rows), "amount": money.plain(total)}
            details |= {"currency": currency}
            self.requests.ask(
                connection, APPROVAL, reference, details, asks.actor, asks.reason, now
            )
        return reference

    def begin(self, connection: Connection, reference: str) -> Fact:
        """Let an approved batch run; what was done. Raises `BatchState`."""
        batch = _locked(connection, reference, None)
        if not store.move(connection, batch.id, Status.WAITING, Status.RUNNING, None):
            raise BatchState(f"the batch is {batch.status}")
        total = Sum(batch.total, batch.currency)
        return fact(
            "batch {batch} of {owner} runs: {rows} tokens, {sum}",
            batch=Made(batch.reference),
            owner=batch.owner,
            rows=batch.row_count,
            sum=total,
        )

    def refused(self, connection: Connection, reference: str, now: datetime) -> None:
        """Nobody approved it: nothing of it is issued."""
        batch = _locked(connection, reference, None)
        if store.move(connection, batch.id, Status.WAITING, Status.REFUSED, now):
            store.turn(connection, batch.id, RowStatus.WAITING, RowStatus.CANCELLED, now)

    def cancel(
        self,
        connection: Connection,
        reference: str,
        owner: str | None,
        actor: str,
        reason: str,
        now: datetime,
    ) -> int:
        """Issue nothing more of it; how many rows waited. Raises `NotFound`, `BatchState`."""
        batch = _locked(connection, reference, owner)
        before = Status(batch.status)
        if before not in (Status.WAITING, Status.RUNNING):
            raise BatchState(f"the batch is {batch.status}")
        store.move(connection, batch.id, before, Status.CANCELLED, now)
        # A row that is being issued is waited for, and stays issued.
        left = store.turn(connection, batch.id, RowStatus.WAITING, RowStatus.CANCELLED, now)
        self.requests.drop(connection, APPROVAL, reference, actor, "cancelled", now)
        said = fact("{left} rows", left=left)
        trail.record(connection, actor, "batch.cancel", batch.reference, now, reason, said)
        return left

    def retry(
        self,
        connection: Connection,
        reference: str,
        owner: str | None,
        actor: str,
        reason: str,
        now: datetime,
    ) -> int:
        """Let every row that failed wait again; how many. Raises `NotFound`, `BatchState`."""
        batch = _locked(connection, reference, owner)
        before = Status(batch.status)
        if before not in (Status.DONE, Status.RUNNING):
            raise BatchState(f"the batch is {batch.status}")
        again = store.turn(connection, batch.id, RowStatus.FAILED, RowStatus.WAITING, None)
        if not again:
            raise BatchState("no row of it has failed")
        store.move(connection, batch.id, before, Status.RUNNING, None)
        said = fact("{again} rows", again=again)
        trail.record(connection, actor, "batch.retry", batch.reference, now, reason, said)
        return again

    def show(self, connection: Connection, reference: str, owner: str | None) -> Mapping[str, Any]:
        """A batch and how far it is. Raises `NotFound`; without an owner anybody's is found."""
        batch = find(connection, reference, owner)
        tallies = store.tallies(connection, batch.id)
        failed = store.rows_of(connection, batch.id, TOLD_MAX, status=RowStatus.FAILED)
        needs = tallies.get(RowStatus.WAITING, Tally()).amount
        return {
            **views.summary(batch, tallies),
            **self._funds(connection, batch.owner, needs),
            "errors": [views.failed(kept) for kept in failed],
            "errors_count": tallies.get(RowStatus.FAILED, Tally()).rows,
        }

    def _funds(self, connection: Connection, owner: str, needs: Decimal) -> Mapping[str, str]:
        """What lies on the float, and what it lacks for so much."""
        account = floats.find(connection, owner, self.issuing.currency(owner))
        balance = ZERO if account is None or account.balance is None else account.balance
        is_test = testing.code_of(owner)[1]  # whose float fills itself
        missing = ZERO if is_test else min(max(needs - balance, ZERO), MONEY_MAX)
        return {"balance": money.plain(balance), "missing": money.plain(missing)}


def find(connection: Connection, reference: str, owner: str | None) -> Batch:
    """A batch by what people call it. Raises `NotFound`."""
    found = store.by_reference(connection, _spelled(reference))
    if found is None or (owner is not None and found.owner != owner):
        raise NotFound("there is no batch with this name")
    return found


def _locked(connection: Connection, reference: str, owner: str | None) -> Batch:
    found = store.by_reference(connection, _spelled(reference), lock=True)
    if found is None or (owner is not None and found.owner != owner):
        raise NotFound("there is no batch with this name")
    return found


def _spelled(reference: str) -> str:
    return reference.strip().upper()[:12]
