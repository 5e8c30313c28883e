"""What is agreed with the partner."""

from gateway.partners.access import keys
from gateway.partners.repeats.once import Answer
from gateway.web.api.base import Call, Operation
from gateway.web.api.profile_models import ProfileView


def _show(call: Call) -> Answer:
    found = call.services.profiles.show(call.connection, call.access.partner.code)
    currency = call.services.tokens.currency(call.access)
    return Answer(200, {**found, "currency": currency})


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "showProfile",
        "GET",
        "/profile",
        keys.READ,
        "Read what is agreed: caps, sender ID, texts, language, expiry",
        _show,
        ProfileView,
    ),
)
