"""The parts of the partner API."""

from importlib.metadata import version

from gateway.api.redemptions import Redemptions
from gateway.api.tokens import PartnerTokens
from gateway.disputes.store import open_reference
from gateway.metrics.redeeming import CountedAgency
from gateway.partners.repeats.once import Once
from gateway.tokens.keys import rotation
from gateway.tokens.keys.rings import LOOKUP
from gateway.web.api.base import Services
from gateway.web.api.routes import ApiParts
from wiring.core import Core
from wiring.money import Money


def api_parts(core: Core, money: Money) -> ApiParts:
    """What the API's routes need."""
    settings, rings, made = core.settings, core.rings, money.tokens
    tokens = PartnerTokens(money.partners.issuing, made.reprinter, made.retirer, open_reference)
    redemptions = Redemptions(
        CountedAgency(rings, made.redeemer, core.meters.redemption),
        tokens,
        settings.country,
        lambda connection, what: core.board.is_paused(what, connection),
        core.subscribers.language,
    )
    return ApiParts(
        database=core.database,
        clock=core.clock,
        services=Services(
            tokens,
            redemptions,
            settings.country,
            money.partners.profiles,
            money.partners.batches,
            settings.money.batch_alone_max,
        ),
        once=Once(
            dict(rings.lookup),
            lambda connection, now: rotation.write_kid(connection, rings, LOOKUP, now),
        ),
        title="Token gateway: partner API",
        version=version("token-gateway"),
        digits=tokens.digits,
    )
