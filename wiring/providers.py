"""Which money providers are in use: literal tables from settings to what speaks with them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from gateway.clock import Clock
from gateway.providers.airtelmoney import AirtelMoneyDialect, AirtelMoneyProvider
from gateway.providers.base.messages import Collects, Dialect, Pays
from gateway.providers.daraja import DarajaProvider
from gateway.providers.daraja_callbacks import DarajaB2c, DarajaC2b, DarajaStk
from gateway.providers.selcom import SelcomCheckout, SelcomProvider
from gateway.providers.selcom_c2b import SelcomC2B
from gateway.providers.snippe import SnippeDialect, SnippeProvider
from gateway.providers.tigopesa import TigoPesaProvider, TigoPesaPush
from gateway.providers.tigopesa_billpay import TigoPesaBillPay
from gateway.providers.vodacom import VodacomDialect, VodacomProvider
from gateway.settings import Settings
from gateway.settings import providers as given

log = structlog.get_logger()


class Provider(Collects, Pays, Protocol):
    """A provider's API; it pays where `can_pay` says so."""

    can_pay: bool


@dataclass(frozen=True, slots=True)
class Providers:
    """Everything that is in use."""

    dialects: Sequence[Dialect]
    collects: Sequence[Collects]
    pays: Sequence[Pays]

    @property
    def names(self) -> frozenset[str]:
        """What those in use are called in the books."""
        called = [provider.name for provider in self.collects]
        return frozenset((*called, *(dialect.books_as for dialect in self.dialects)))


# What a callback needs to be believed, and the dialect that reads it.
DIALECTS: Sequence[tuple[Callable[[given.Providers], object], Callable[..., Dialect]]] = (
    (lambda g: g.snippe.webhook_secret, lambda g: SnippeDialect(g.snippe)),
    (lambda g: g.selcom.api_secret, lambda g: SelcomCheckout(g.selcom)),
    (lambda g: g.selcom.c2b_token, lambda g: SelcomC2B(g.selcom)),
    (lambda g: g.airtelmoney.callback_key, lambda g: AirtelMoneyDialect(g.airtelmoney)),
    (lambda g: g.tigopesa.allowed_addresses, lambda g: TigoPesaPush(g.tigopesa)),
    (lambda g: g.tigopesa.allowed_addresses, lambda g: TigoPesaBillPay(g.tigopesa)),
    (lambda g: g.vodacom.api_key, lambda g: VodacomDialect(g.vodacom)),
    (lambda g: g.daraja.consumer_key, lambda g: DarajaStk(g.daraja)),
    (lambda g: g.daraja.allowed_addresses, lambda g: DarajaC2b(g.daraja)),
    (lambda g: g.daraja.consumer_key, lambda g: DarajaB2c(g.daraja)),
)


def _daraja(settings: Settings, clock: Clock) -> Provider:
    return DarajaProvider(
        settings.providers.daraja,
        clock,
        public_url=settings.providers.public_url,
        callback_secret=settings.callback_secrets[0],
    )


# The name of each, the settings it cannot do without, and the provider.
PROVIDERS: Sequence[
    tuple[
        str,
        Callable[[given.Providers], Sequence[object]],
        Callable[[Settings, Clock], Provider],
    ]
] = (
    (
        "snippe",
        lambda g: (g.snippe.api_key, g.public_url),
        lambda s, _: SnippeProvider(s.providers.snippe, public_url=s.providers.public_url),
    ),
    (
        "selcom",
        lambda g: (g.selcom.api_key, g.selcom.api_secret, g.selcom.vendor, g.public_url),
        lambda s, c: SelcomProvider(s.providers.selcom, c, public_url=s.providers.public_url),
    ),
    (
        "airtelmoney",
        lambda g: (g.airtelmoney.client_id, g.airtelmoney.client_secret),
        lambda s, c: AirtelMoneyProvider(s.providers.airtelmoney, c),
    ),
    (
        "tigopesa",
        lambda g: (
            g.tigopesa.username,
            g.tigopesa.password,
            g.tigopesa.biller,
            g.tigopesa.biller_msisdn,
            g.tigopesa.base_url,
        ),
        lambda s, _: TigoPesaProvider(s.providers.tigopesa),
    ),
    (
        "vodacom",
        lambda g: (g.vodacom.api_key, g.vodacom.public_key, g.vodacom.service_provider),
        lambda s, c: VodacomProvider(s.providers.vodacom, c),
    ),
    (
        "daraja",
        lambda g: (
            g.daraja.consumer_key,
            g.daraja.consumer_secret,
            g.daraja.shortcode,
            g.daraja.passkey,
            g.public_url,
        ),
        _daraja,
    ),
)


def providers(settings: Settings, clock: Clock) -> Providers:
    """The providers whose settings are complete; `Misconfigured` for settings that cannot work.

    Of one that is set up in part the callbacks are read all the same: its payments arrive.
    """
    known = settings.providers
    made = [
        make(settings, clock)
        for name, needed, make in PROVIDERS
        if _is_complete(name, needed(known))
    ]
    return Providers(
        dialects=[make(known) for needed, make in DIALECTS if needed(known)],
        collects=made,
        pays=[provider for provider in made if provider.can_pay],
    )


def _is_complete(name: str, needed: Sequence[object]) -> bool:
    if any(needed[:1]) and not all(needed):
        log.warning("provider_not_in_use", provider=name, advice="its settings are incomplete")
    return all(needed)
