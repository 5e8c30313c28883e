"""The float and its statement."""

from gateway.api import floats
from gateway.partners.access import keys
from gateway.partners.repeats.once import Answer
from gateway.web.api import models
from gateway.web.api.base import Call, Operation


def _float(call: Call) -> Answer:
    currency = call.services.tokens.currency(call.access)
    return Answer(200, floats.show(call.connection, call.access, currency))


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
)
