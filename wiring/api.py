"""The parts of the partner API."""

from importlib.metadata import version

from sqlalchemy import Connection

from gateway.api.redemptions import Redemptions
from gateway.api.till_payments import TillPayments
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
    counted = CountedAgency(rings, made.redeemer, core.meters.redemption)

    def is_paused(connection: Connection, what: str) -> bool:
        return core.board.is_paused(what, connection)

    at_tills = TillPayments(
        counted, money.withdrawals.tills, is_paused, settings.currency, settings.country
    )
    redemptions = Redemptions(
        counted, tokens, settings.country, is_paused, core.subscribers.language, at_tills
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
            lambda connection, now: rotation.write_kid(connection, rings, LOOKUP, now, held=True),
            lambda connection: rotation.insist_on_all(connection, rings.lookup),
        ),
        title="Token gateway: partner API",
        version=version("token-gateway"),
        digits=tokens.digits,
    )
