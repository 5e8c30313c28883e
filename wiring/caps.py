"""The caps and fees of this country, out of settings."""

from gateway.database.types import MONEY_MAX
from gateway.ledger.fees import Band, Fees
from gateway.ledger.limits import Limits, Tier
from gateway.settings import Settings


def limits(settings: Settings) -> Limits:
    """The tiers of wallets, and what an agent's till may take in a day."""
    agent = settings.money.agent
    return Limits(
        tiers={name: Tier(**caps) for name, caps in settings.money.tiers.items()},
        till=Tier(credits_a_day=agent.get("a_day", MONEY_MAX)),
        zone=settings.zone,
    )


def fees(settings: Settings) -> Fees:
    """The fee table."""
    bands = settings.money.fees.items()
    return Fees({service: [Band(*band) for band in rows] for service, rows in bands})
