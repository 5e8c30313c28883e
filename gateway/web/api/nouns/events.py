"""Events: listed in their order, and their webhooks sent again."""

from gateway.api import events
from gateway.api.lists import Span
from gateway.api.tokens import NotFound
from gateway.partners.access import keys
from gateway.partners.repeats.once import Answer
from gateway.web.api import event_models as models
from gateway.web.api.base import Call, Operation

SEQ_DIGITS_MAX = 18


def _number(call: Call) -> None:
    events.number(call.connection, call.access)


def _list(call: Call) -> Answer:
    asked = call.asked(models.EventsQuery)
    span = Span(asked.since, asked.until)
    found = events.page(
        call.connection, call.access, after=int(asked.after), limit=asked.limit, span=span
    )
    return Answer(200, found)


def _replay(call: Call) -> Answer:
    seq = call.path["seq"]
    if not (seq.isascii() and seq.isdigit() and len(seq) <= SEQ_DIGITS_MAX):
        raise NotFound("events are numbered: 1, 2, 3")
    return Answer(202, events.replay(call.connection, call.access, int(seq), call.now))


def _replay_between(call: Call) -> Answer:
    body = call.sent(models.ReplaySpan)
    found = events.replay_between(call.connection, call.access, body.since, body.until, call.now)
    return Answer(202, found)


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "listEvents",
        "GET",
        "/events",
        keys.EVENTS,
        "Read what happened to the partner's tokens, oldest first",
        _list,
        models.EventPage,
        asks=models.EventsQuery,
        prepare=_number,
    ),
    Operation(
        "replayEvent",
        "POST",
        "/events/<seq>/replay",
        keys.EVENTS,
        "Send one event's webhook again",
        _replay,
        models.Replayed,
        takes=models.ReplayOne,
        status=202,
        refuses=("not_found", "wrong_state", "limit_exceeded"),
    ),
    Operation(
        "replayEvents",
        "POST",
        "/events/replay",
        keys.EVENTS,
        "Send the webhooks of a time again",
        _replay_between,
        models.Replayed,
        takes=models.ReplaySpan,
        status=202,
        refuses=("wrong_state", "limit_exceeded"),
    ),
)
