"""Look-ups and redemptions."""

from gateway.api.told import Told
from gateway.partners.access import keys
from gateway.partners.repeats.once import Answer
from gateway.web.api import models, problems
from gateway.web.api.base import Call, Operation
from gateway.web.api.codes import STATUSES


def _look_up(call: Call) -> Answer:
    entry = call.sent(models.Entry).token
    found = call.services.redemptions.look_up(call.connection, call.access, entry, call.now)
    return _told(found, 200)


def _redeem(call: Call) -> Answer:
    body = call.sent(models.Redemption)
    to = (body.payee, body.customer)
    redemptions = call.services.redemptions
    return _told(redemptions.redeem(call.connection, call.access, body.token, *to, call.now), 201)


def _told(told: Told, status: int) -> Answer:
    """What was found, or a refusal that was recorded: it is kept as any answer."""
    if not told.code:
        return Answer(status, told.facts)
    return Answer(STATUSES[told.code], problems.body(told.code, told.detail, **told.facts))


_ENTRY = ("not_found", "already_redeemed", "suspended", "expired", "cancelled", "limited")
OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "lookUpToken",
        "POST",
        "/lookups",
        keys.REDEEM,
        "See what a token is worth; a wrong one counts as a guess",
        _look_up,
        models.FoundToken,
        takes=models.Entry,
        refuses=_ENTRY,
    ),
    Operation(
        "redeemToken",
        "POST",
        "/redemptions",
        keys.REDEEM,
        "Redeem a token into a wallet, or in cash at a till of your outlets; once",
        _redeem,
        models.Redeemed,
        takes=models.Redemption,
        status=201,
        refuses=(*_ENTRY, "limit_exceeded"),
    ),
)
