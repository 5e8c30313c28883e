"""The float and its statement."""

from gateway.api import floats, lists
from gateway.api.lists import Span
from gateway.partners.access import keys
from gateway.partners.repeats.once import Answer
from gateway.web.api import models
from gateway.web.api.base import Call, Operation, Sheet


def _float(call: Call) -> Answer:
    currency = call.services.tokens.currency(call.access)
    return Answer(200, floats.show(call.connection, call.access, currency))


def _statement(call: Call) -> Answer | Sheet:
    asked, currency = (
        call.asked(models.StatementQuery),
        call.services.tokens.currency(call.access),
    )
    span = Span(asked.since, asked.until)
    if asked.format == "csv":
        rows = lists.sheet(call.connection, call.access, currency, span)
        return Sheet("statement", lists.COLUMNS, rows)
    after = None if asked.after is None else int(asked.after)
    found = lists.statement(
        call.connection, call.access, currency, limit=asked.limit, after=after, span=span
    )
    return Answer(200, found)


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "showFloat",
        "GET",
        "/float",
        keys.FLOAT,
        "Read the float",
        _float,
        models.FloatView,
    ),
    Operation(
        "listStatement",
        "GET",
        "/float/statement",
        keys.FLOAT,
        "Read what moved on the float, as JSON or CSV",
        _statement,
        models.Statement,
        asks=models.StatementQuery,
        sheet=True,
    ),
)
