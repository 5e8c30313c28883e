"""Batches: a file checked or taken in, and how far it is."""

from gateway.api.batches import batch, store, views
from gateway.api.batches.batch import Asks
from gateway.api.batches.store import RowStatus
from gateway.partners.access import keys
from gateway.partners.repeats.once import Answer
from gateway.web.api import batch_models as models
from gateway.web.api.base import Call, Operation, Sheet

BODY_BYTES_MAX = 4 * 1024 * 1024  # JSON writes an end of line, and a quote, in two


def _create(call: Call) -> Answer:
    body, batches = call.sent(models.NewBatch), call.services.batches
    if body.dry_run:
        found = batches.report(call.connection, call.access.owner, body.csv)
        return Answer(200, found, kept=False)
    asks = Asks(
        owner=call.access.owner,
        actor=call.access.actor,
        reason=body.reason.strip() or "handed in by its partner",
        alone_max=call.services.batch_alone_max,
    )
    name = batches.take_in(call.connection, asks, body.csv, call.now)
    return Answer(200, batches.show(call.connection, name, call.access.owner))


def _list(call: Call) -> Answer:
    asked, connection, owner = call.asked(models.BatchesQuery), call.connection, call.access.owner
    before = None if asked.after is None else batch.find(connection, asked.after, owner).id
    found = store.latest(connection, owner, before, asked.limit + 1, asked.since, asked.until)
    given = found[: asked.limit]
    shown = [views.summary(one, store.tallies(connection, one.id)) for one in given]
    more = len(found) > asked.limit
    return Answer(200, {"batches": shown, "next": given[-1].reference if more else None})


def _show(call: Call) -> Answer:
    name, owner = call.path["batch"], call.access.owner
    return Answer(200, call.services.batches.show(call.connection, name, owner))


def _rows(call: Call) -> Answer | Sheet:
    asked = call.asked(models.RowsQuery)
    found = batch.find(call.connection, call.path["batch"], call.access.owner)
    status = None if asked.status is None else RowStatus(asked.status)
    if asked.format == "csv":
        every = store.every_row(call.connection, found.id, status)
        rows = (views.sheet_row(kept, found.currency) for kept in every)
        return Sheet(found.reference, views.EXPORT, rows)
    after, most = int(asked.after), asked.limit + 1
    kept = store.rows_of(call.connection, found.id, most, after=after, status=status)
    given = [views.row_view(one, found.currency) for one in kept[: asked.limit]]
    return Answer(
        200, {"rows": given, "next": str(given[-1]["row"]) if kept[len(given) :] else None}
    )


def _retry(call: Call) -> Answer:
    by = (call.access.owner, call.access.actor, call.sent(models.BatchDeed).reason)
    call.services.batches.retry(call.connection, call.path["batch"], *by, call.now)
    return _show(call)


def _cancel(call: Call) -> Answer:
    by = (call.access.owner, call.access.actor, call.sent(models.BatchDeed).reason)
    call.services.batches.cancel(call.connection, call.path["batch"], *by, call.now)
    return _show(call)


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "createBatch",
        "POST",
        "/batches",
        keys.ISSUE,
        "Check a file of tokens, or hand it in: an operator approves, then its rows are issued",
        _create,
        models.BatchView,
        takes=models.NewBatch,
        body_bytes_max=BODY_BYTES_MAX,
    ),
    Operation(
        "listBatches",
        "GET",
        "/batches",
        keys.READ,
        "List batches, newest first",
        _list,
        models.BatchPage,
        asks=models.BatchesQuery,
        refuses=("not_found",),
    ),
    Operation(
        "showBatch",
        "GET",
        "/batches/<batch>",
        keys.READ,
        "Read how far a batch is",
        _show,
        models.BatchView,
        refuses=("not_found",),
    ),
    Operation(
        "listBatchRows",
        "GET",
        "/batches/<batch>/rows",
        keys.READ,
        "Read a batch's rows and the serials of their tokens, as JSON or CSV",
        _rows,
        models.RowPage,
        asks=models.RowsQuery,
        sheet=True,
        refuses=("not_found",),
    ),
    Operation(
        "retryBatch",
        "POST",
        "/batches/<batch>/retry",
        keys.ISSUE,
        "Let the rows that failed wait again",
        _retry,
        models.BatchView,
        takes=models.BatchDeed,
        refuses=("not_found", "wrong_state"),
    ),
    Operation(
        "cancelBatch",
        "POST",
        "/batches/<batch>/cancel",
        keys.ISSUE,
        "Issue nothing more of a batch; what was issued stays",
        _cancel,
        models.BatchView,
        takes=models.BatchDeed,
        refuses=("not_found", "wrong_state"),
    ),
)
