"""Settings of the money providers; one is in use when everything it needs is set."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TypeVar

PREFIX = "GATEWAY_"

# Where Daraja's callbacks come from, as users of it have published; Safaricom may add to them.
SAFARICOM = (
    *("196.201.214.200", "196.201.214.206", "196.201.214.207", "196.201.214.208"),
    *("196.201.213.114", "196.201.213.44", "196.201.212.127", "196.201.212.128"),
    *("196.201.212.129", "196.201.212.132", "196.201.212.136", "196.201.212.138"),
    *("196.201.212.69", "196.201.212.74"),
)


@dataclass(frozen=True, slots=True)
class Snippe:
    """Snippe: signed webhooks, collections and payouts."""

    webhook_secret: tuple[str, ...] = field(default=(), repr=False)
    api_key: str = field(default="", repr=False)
    base_url: str = "https://api.snippe.sh/v1"
    customer_email: str = ""  # named to Snippe as the payer's; "": payments@ our own host


@dataclass(frozen=True, slots=True)
class Selcom:
    """Selcom: checkout and C2B callbacks, collections and wallet cash-in."""

    api_key: str = field(default="", repr=False)
    api_secret: tuple[str, ...] = field(default=(), repr=False)
    vendor: str = ""
    c2b_token: tuple[str, ...] = field(default=(), repr=False)
    base_url: str = "https://apigw.selcommobile.com/v1"
    float_vendor: str = ""  # the payout float; "" where we do not pay out
    float_pin: str = field(default="", repr=False)
    buyer_email: str = ""  # every checkout order needs one; "": payer@ our own host


@dataclass(frozen=True, slots=True)
class AirtelMoney:
    """Airtel Money."""

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    callback_key: tuple[str, ...] = field(default=(), repr=False)
    base_url: str = "https://openapi.airtel.co.tz"
    payout_pin: str = field(default="", repr=False)  # encrypted by us with the public key
    public_key: str = ""  # RSA, of the portal; payouts need it and the PIN
    phone_prefixes: tuple[str, ...] = ("+25568", "+25569", "+25578")


@dataclass(frozen=True, slots=True)
class TigoPesa:
    """Tigo Pesa (Yas, Mixx)."""

    username: str = ""
    password: str = field(default="", repr=False)
    biller: str = ""
    biller_msisdn: str = ""
    base_url: str = ""
    allowed_addresses: tuple[str, ...] = ()
    payout_url: str = ""  # the A2W service; "" where we do not pay out
    payout_msisdn: str = ""
    payout_pin: str = field(default="", repr=False)
    login_path: str = "/token"  # Yas gives every partner paths of its own
    push_path: str = "/PushBillPay"
    ack_series: str = "18"  # of our acknowledgements; older contracts use 30
    phone_prefixes: tuple[str, ...] = ("+25565", "+25567", "+25571")


@dataclass(frozen=True, slots=True)
class Vodacom:
    """M-Pesa of Vodacom Tanzania."""

    api_key: str = field(default="", repr=False)
    public_key: str = ""
    service_provider: str = ""
    base_url: str = "https://openapi.m-pesa.com/openapi/ipg/v2/vodacomTZN"
    allowed_addresses: tuple[str, ...] = ()
    origin: str = "*"  # as registered in the portal
    phone_prefixes: tuple[str, ...] = ("+25574", "+25575", "+25576", "+25579")
    pays: str = ""  # "yes" where b2cPayment is agreed with Vodacom
    session_wait: str = "30"  # seconds until a new session may be used


@dataclass(frozen=True, slots=True)
class Daraja:
    """M-Pesa of Safaricom."""

    consumer_key: str = ""
    consumer_secret: str = field(default="", repr=False)
    shortcode: str = ""
    passkey: str = field(default="", repr=False)
    base_url: str = "https://api.safaricom.co.ke"
    allowed_addresses: tuple[str, ...] = ()  # the word "safaricom" stands for its known ones
    initiator: str = ""  # B2C; "" where we do not pay out
    security_credential: str = field(default="", repr=False)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses and networks that may call us; empty: any.

        >>> len(Daraja(allowed_addresses=("safaricom", "192.0.2.1")).addresses)
        15
        """
        listed = (SAFARICOM if word == "safaricom" else (word,) for word in self.allowed_addresses)
        return tuple(address for addresses in listed for address in addresses)


@dataclass(frozen=True, slots=True)
class Providers:
    """All of them, and where they reach us."""

    public_url: str = ""  # our address as providers see it, such as https://pay.example.com
    snippe: Snippe = Snippe()
    selcom: Selcom = Selcom()
    airtelmoney: AirtelMoney = AirtelMoney()
    tigopesa: TigoPesa = TigoPesa()
    vodacom: Vodacom = Vodacom()
    daraja: Daraja = Daraja()


T = TypeVar("T")


def read(env: Mapping[str, str]) -> Providers:
    """The providers in `env`; a member that is a tuple is written with commas.

    >>> read({"GATEWAY_SNIPPE_WEBHOOK_SECRET": "new, old"}).snippe.webhook_secret
    ('new', 'old')
    """
    return Providers(
        public_url=env.get("GATEWAY_PUBLIC_URL", "").rstrip("/"),
        snippe=_group(Snippe, env),
        selcom=_group(Selcom, env),
        airtelmoney=_group(AirtelMoney, env),
        tigopesa=_group(TigoPesa, env),
        vodacom=_group(Vodacom, env),
        daraja=_group(Daraja, env),
    )


def _group(kind: type[T], env: Mapping[str, str]) -> T:
    given: dict[str, object] = {}
    for member in fields(kind):  # type: ignore[arg-type]
        text = env.get(f"{PREFIX}{kind.__name__}_{member.name}".upper(), "").strip()
        if not text:
            continue
        is_list = isinstance(member.default, tuple)
        words = tuple(word.strip() for word in text.split(",") if word.strip())
        given[member.name] = words if is_list else text
    return kind(**given)
