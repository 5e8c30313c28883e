"""Every operation of the partner API, one after the other as they are described."""

from gateway.web.api.base import Operation
from gateway.web.api.nouns import batches, events, floats, profile, redemptions, tokens

OPERATIONS: tuple[Operation, ...] = (
    *tokens.OPERATIONS,
    *redemptions.OPERATIONS,
    *floats.OPERATIONS,
    *profile.OPERATIONS,
    *batches.OPERATIONS,
    *events.OPERATIONS,
)
