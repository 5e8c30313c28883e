"""Money providers as an installation is set up with them, each over its emulator."""

from collections.abc import Mapping

from tests.emulators import airtelmoney, daraja, selcom, snippe, tigopesa, vodacom
from tests.emulators.airtelmoney import AirtelMoneyApi
from tests.emulators.daraja import DarajaApi
from tests.emulators.selcom import SelcomApi
from tests.emulators.snippe import SnippeApi
from tests.emulators.tigopesa import TigoPesaApi
from tests.emulators.vodacom import VodacomApi

HOOK_SECRET, CALLBACK_KEY, C2B_TOKEN = "snippe-hook-secret", "airtel-callback-key", "c2b-token"
LOOPBACK = "127.0.0.1"
PUBLIC_URL = "https://pay.example.com"
TANZANIA = {
    "GATEWAY_COUNTRY": "TZ",
    "GATEWAY_CURRENCY": "TZS",
    "GATEWAY_TIMEZONE": "Africa/Dar_es_Salaam",
    "GATEWAY_PUBLIC_URL": PUBLIC_URL,
}
KENYA = {
    "GATEWAY_COUNTRY": "KE",
    "GATEWAY_CURRENCY": "KES",
    "GATEWAY_TIMEZONE": "Africa/Nairobi",
    "GATEWAY_PUBLIC_URL": PUBLIC_URL,
}


def of_snippe(api: SnippeApi) -> Mapping[str, str]:
    """Snippe's settings."""
    return _named("SNIPPE", api.url, {"WEBHOOK_SECRET": HOOK_SECRET, "API_KEY": snippe.API_KEY})


def of_selcom(api: SelcomApi) -> Mapping[str, str]:
    """Selcom's settings, with a payout float."""
    given = {
        "API_KEY": selcom.KEY,
        "API_SECRET": selcom.SECRET,
        "VENDOR": "TILL0001",
        "C2B_TOKEN": C2B_TOKEN,
        "FLOAT_VENDOR": "FLOAT0001",
        "FLOAT_PIN": selcom.PIN,
    }
    return _named("SELCOM", api.url, given)


def of_airtelmoney(api: AirtelMoneyApi) -> Mapping[str, str]:
    """Airtel Money's settings, with payouts."""
    given = {
        "CLIENT_ID": airtelmoney.CLIENT_ID,
        "CLIENT_SECRET": airtelmoney.CLIENT_SECRET,
        "CALLBACK_KEY": CALLBACK_KEY,
        "PAYOUT_PIN": airtelmoney.PIN,
        "PUBLIC_KEY": airtelmoney.PUBLIC_KEY,
    }
    return _named("AIRTELMONEY", api.url, given)


def of_tigopesa(api: TigoPesaApi) -> Mapping[str, str]:
    """Tigo Pesa's settings, with payouts."""
    given = {
        "USERNAME": tigopesa.USERNAME,
        "PASSWORD": tigopesa.PASSWORD,
        "BILLER": tigopesa.BILLER,
        "BILLER_MSISDN": tigopesa.BILLER_MSISDN,
        "ALLOWED_ADDRESSES": LOOPBACK,
        "PAYOUT_URL": f"{api.url}{tigopesa.PAYOUT}",
        "PAYOUT_MSISDN": tigopesa.BILLER_MSISDN,
        "PAYOUT_PIN": tigopesa.PIN,
    }
    return _named("TIGOPESA", api.url, given)


def of_vodacom(api: VodacomApi) -> Mapping[str, str]:
    """Vodacom's settings, with payouts; its sessions are live after a second."""
    given = {
        "API_KEY": vodacom.API_KEY,
        "PUBLIC_KEY": api.public_key,
        "SERVICE_PROVIDER": "000000",
        "ALLOWED_ADDRESSES": LOOPBACK,
        "PAYS": "yes",
        "SESSION_WAIT": "1",
    }
    return _named("VODACOM", api.url, given)


def of_daraja(api: DarajaApi) -> Mapping[str, str]:
    """Daraja's settings, with payouts."""
    given = {
        "CONSUMER_KEY": daraja.KEY,
        "CONSUMER_SECRET": daraja.SECRET,
        "SHORTCODE": "600000",
        "PASSKEY": "synthetic-passkey",
        "ALLOWED_ADDRESSES": LOOPBACK,
        "INITIATOR": "synthetic-initiator",
        "SECURITY_CREDENTIAL": "synthetic-security-credential",
    }
    return _named("DARAJA", api.url, given)


def _named(provider: str, url: str, given: Mapping[str, str]) -> Mapping[str, str]:
    return {f"GATEWAY_{provider}_{name}": text for name, text in {**given, "BASE_URL": url}.items()}
