"""Every setting the gateway reads from its environment, checked once at start."""

import ipaddress
import os
import re
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

from phonenumbers import SUPPORTED_REGIONS

from gateway.errors import Misconfigured
from gateway.settings import kannel, keeping, limits, providers, texting, ussd
from gateway.settings.kannel import Kannel
from gateway.settings.keeping import Keeping
from gateway.settings.numbers import whole
from gateway.settings.providers import Providers
from gateway.settings.texting import Texting

PRODUCTION = "production"
DEMO = "demo"
UTC = ZoneInfo("UTC")
SMS_CHANNELS = ("africastalking", "kannel", "simulator")


@dataclass(frozen=True, slots=True)
class AfricasTalking:
    """Africa's Talking credentials; `base_url` points the SDK at an emulator."""

    username: str = ""
    api_key: str = field(default="", repr=False)
    sender_id: str = ""
    base_url: str = ""
    text_prefix: str = ""  # a shared code's own extension, cut off before the menus see the text


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole configuration; secrets are kept out of its repr."""

    mode: str
    bind: str
    database_url: str = field(repr=False)
    token_keys: str = field(repr=False)
    lookup_keys: str = field(repr=False)
    callback_secrets: tuple[str, ...] = field(repr=False)
    session_key: str = field(repr=False)
    pin_pepper: str = field(repr=False)
    sms_channels: tuple[str, ...]
    africastalking: AfricasTalking
    country: str
    currency: str
    zone: ZoneInfo
    trusted_proxies: int
    service_code: str  # what people dial, as it is printed in an SMS
    short_code: str  # where people send an SMS to
    help_number: str
    languages: tuple[str, ...]
    sms_prefixes: tuple[str, ...]  # E.164 prefixes an SMS may go to; empty: anywhere
    sms_daily_max: int
    sender_name: str  # who a token is from when its issuer gave no name
    ussd_budgets: Mapping[str, int]  # septets a screen may have, by network code
    var: Path = Path("var")
    providers: Providers = field(default_factory=Providers)
    money: limits.Money = field(default_factory=limits.Money)
    carrier_zone: ZoneInfo = UTC  # where the days of money providers begin
    metrics_tokens: tuple[str, ...] = field(default=(), repr=False)  # none: loopback may read
    callback_days: int = 400  # how long the raw callbacks of providers are kept
    ussd_codes: Mapping[str, str] = field(default_factory=dict)  # as dialled, by USSD channel
    kannel: Kannel = field(default_factory=Kannel)
    texting: Texting = field(default_factory=Texting)
    keeping: Keeping = field(default_factory=Keeping)

    @property
    def demo(self) -> bool:
        """Whether this is the embedded demo with its phone."""
        return self.mode == DEMO


def read(env: Mapping[str, str], var: Path = Path("var")) -> Settings:
    """The settings in `env`; demo mode makes and keeps its own secrets under `var`.

    An empty value counts as not set. Raises `Misconfigured` naming every setting that is missing
    or wrong, never with a secret's text.
    """
    given = {name: value for name, value in env.items() if value.strip()}
    mode = given.get("GATEWAY_MODE", PRODUCTION)
    if mode not in (PRODUCTION, DEMO):
        raise Misconfigured(f"GATEWAY_MODE must be production or demo, not {mode!r}")
    if mode == DEMO:
        given = {**_demo_secrets(var), **given}
    channels = _words(given.get("GATEWAY_SMS_CHANNELS", "simulator" if mode == DEMO else ""))
    faults = list(_faults(mode, given, channels))
    if faults:
        raise Misconfigured("; ".join(faults))
    return Settings(
        mode=mode,
        bind=given.get("GATEWAY_BIND", DEFAULT_BIND),
        database_url=given["GATEWAY_DATABASE_URL"],
        token_keys=given["GATEWAY_TOKEN_KEYS"],
        lookup_keys=given["GATEWAY_LOOKUP_KEYS"],
        callback_secrets=_words(given["GATEWAY_CALLBACK_SECRET"]),
        session_key=given["GATEWAY_SESSION_KEY"],
        metrics_tokens=_words(given.get("GATEWAY_METRICS_TOKEN", "")),
        pin_pepper=given["GATEWAY_PIN_PEPPER"],
        sms_channels=channels,
        africastalking=_africastalking(given),
        texting=texting.read(given),
        keeping=keeping.read(given),
        kannel=kannel.read(given, given.get("GATEWAY_BIND", DEFAULT_BIND)),
        country=given.get("GATEWAY_COUNTRY", "NG"),
        currency=given.get("GATEWAY_CURRENCY", "NGN"),
        zone=_zone(given, "GATEWAY_TIMEZONE"),
        trusted_proxies=whole(given, "GATEWAY_TRUSTED_PROXIES", 0),
        service_code=given.get("GATEWAY_SERVICE_CODE", "*384*1#"),
        short_code=given.get("GATEWAY_SHORT_CODE", "38400"),
        help_number=given.get("GATEWAY_HELP_NUMBER", ""),
        languages=_words(given.get("GATEWAY_LANGUAGES", DEFAULT_LANGUAGES)),
        sms_prefixes=_words(given.get("GATEWAY_SMS_PREFIXES", "")),
        sms_daily_max=whole(given, "GATEWAY_SMS_DAILY_MAX", 100_000),
        sender_name=given.get("GATEWAY_SENDER_NAME", "Token Gateway"),
        ussd_budgets=ussd.budgets(given.get("GATEWAY_USSD_BUDGETS", "")),
        ussd_codes=ussd.codes(given.get("GATEWAY_USSD_CODES", "")),
        var=var,
        providers=providers.read(given),
        carrier_zone=_zone(given, "GATEWAY_CARRIER_TIMEZONE", "GATEWAY_TIMEZONE"),
        money=limits.read(given, given.get("GATEWAY_COUNTRY", "NG")),
        callback_days=whole(given, "GATEWAY_CALLBACK_DAYS", 400, least=CALLBACK_DAYS_MIN),
    )


REQUIRED = (
    "GATEWAY_DATABASE_URL",
    "GATEWAY_TOKEN_KEYS",
    "GATEWAY_LOOKUP_KEYS",
    "GATEWAY_CALLBACK_SECRET",
    "GATEWAY_SESSION_KEY",
    "GATEWAY_PIN_PEPPER",
)
REQUIRED_BY_CHANNEL = {
    "africastalking": ("AFRICASTALKING_USERNAME", "AFRICASTALKING_API_KEY"),
    "kannel": ("KANNEL_SENDSMS_URL", "KANNEL_USERNAME", "KANNEL_PASSWORD"),
    "simulator": (),
}
SECRETS = (
    *("GATEWAY_CALLBACK_SECRET", "GATEWAY_SESSION_KEY", "GATEWAY_PIN_PEPPER"),
    "GATEWAY_METRICS_TOKEN",
)
SECRET_CHARACTERS_MIN = 16
IN_A_PATH = re.compile(r"[A-Za-z0-9._~-]+")
DEFAULT_BIND = "127.0.0.1:8000"
DEFAULT_LANGUAGES = "en,fr,sw,ha,yo,ig"  # people dial their numbers: a new one goes to the end
CALLBACK_DAYS_MIN = 30  # the books of a month are compared with its callbacks
# A query could name another host: in demo mode it says at most the character set.
SERVER_URL = re.compile(
    r"[a-z+]+://([^@/?#]*@)?(?P<host>\[[0-9a-fA-F:]+\]|[^@:/?#\[\]]+)(:[0-9]+)?"
    r"/[^@/?#]*(\?charset=[a-z0-9]+)?"
)
# How a value must read where a wrong one would only be noticed later, and what to say then.
FORMS = (
    (
        "GATEWAY_DATABASE_URL",
        re.compile(r"sqlite:///.+|(mysql|mariadb)\+pymysql://.+"),
        "reads like mysql+pymysql://user:password@host/name or sqlite:///file",
    ),
    (
        "GATEWAY_BIND",
        re.compile(r"unix:.+|(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):[0-9]{1,5}", re.ASCII),
        "reads like 127.0.0.1:8000",
    ),
    ("GATEWAY_COUNTRY", re.compile(r"[A-Z]{2}"), "is two capital letters, such as NG"),
    ("GATEWAY_CURRENCY", re.compile(r"[A-Z]{3}"), "is three capital letters, such as NGN"),
    (
        "GATEWAY_SMS_PREFIXES",
        re.compile(r"\+[1-9][0-9]{0,9}( *, *\+[1-9][0-9]{0,9})*", re.ASCII),
        "lists E.164 prefixes with their plus, such as +234,+254",
    ),
    (
        "GATEWAY_SERVICE_CODE",
        re.compile(r"\*[0-9]+(\*[0-9]+)*#", re.ASCII),
        "is what people dial, such as *384*1#",
    ),
)


def _faults(mode: str, env: Mapping[str, str], channels: tuple[str, ...]) -> Iterator[str]:
    unknown = [name for name in channels if name not in SMS_CHANNELS]
    if unknown:
        yield f"GATEWAY_SMS_CHANNELS names unknown channels: {', '.join(unknown)}"
    if mode == PRODUCTION and "simulator" in channels:
        yield "GATEWAY_SMS_CHANNELS: the simulator is for demo mode only"
    credentials = (name for c in channels for name in REQUIRED_BY_CHANNEL.get(c, ()))
    missing = [name for name in (*REQUIRED, *credentials) if name not in env]
    if missing:
        yield f"missing settings: {', '.join(missing)}"
    for name in SECRETS:
        words = _words(env.get(name, ""))
        if name in env and not (words and min(map(len, words)) >= SECRET_CHARACTERS_MIN):
            yield f"{name} needs at least {SECRET_CHARACTERS_MIN} characters"
    if not all(map(IN_A_PATH.fullmatch, _words(env.get("GATEWAY_CALLBACK_SECRET", "")))):
        yield "GATEWAY_CALLBACK_SECRET stands in a path: letters, digits and - . _ ~ only"
    for name, form, wanted in FORMS:
        if name in env and not form.fullmatch(env[name]):
            yield f"{name} {wanted}"
    country = env.get("GATEWAY_COUNTRY", "NG")
    if len(country) == 2 and country not in SUPPORTED_REGIONS:
        yield f"GATEWAY_COUNTRY: no country has the code {country}"
    if mode == DEMO:
        yield from _demo_faults(env)


def _demo_faults(env: Mapping[str, str]) -> Iterator[str]:
    """The demo's phone shows every SMS to whoever asks: nothing of it may leave this machine."""
    bind = env.get("GATEWAY_BIND", DEFAULT_BIND)
    if not _is_loopback(bind.rpartition(":")[0].strip("[]")):
        yield f"GATEWAY_BIND must be on loopback in demo mode, such as {DEFAULT_BIND}"
    url = env["GATEWAY_DATABASE_URL"]
    server = SERVER_URL.fullmatch(url)
    if not (url.startswith("sqlite:") or (server and _is_loopback(server["host"].strip("[]")))):
        yield "GATEWAY_DATABASE_URL must name a server on loopback or a file in demo mode"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _africastalking(env: Mapping[str, str]) -> AfricasTalking:
    return AfricasTalking(
        username=env.get("AFRICASTALKING_USERNAME", ""),
        api_key=env.get("AFRICASTALKING_API_KEY", ""),
        sender_id=env.get("AFRICASTALKING_SENDER_ID", ""),
        base_url=env.get("AFRICASTALKING_BASE_URL", ""),
        text_prefix=env.get("AFRICASTALKING_TEXT_PREFIX", ""),
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _zone(env: Mapping[str, str], *settings: str) -> ZoneInfo:
    """The zone that the first of the settings names which is set."""
    setting = next((name for name in settings if name in env), settings[-1])
    name = env.get(setting, "Africa/Lagos")
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise Misconfigured(f"{setting}: no such zone: {name!r}") from None


def _demo_secrets(var: Path) -> dict[str, str]:
    """Secrets of the demo, made once and kept in a file only its owner can read."""
    path = var / "demo.env"
    if not path.exists():
        _make_demo_secrets(path)
    lines = (line.partition("=") for line in path.read_text().splitlines() if "=" in line)
    kept = {name: value for name, _, value in lines}
    return {"GATEWAY_DATABASE_URL": f"sqlite:///{var}/gateway.db", **kept}


def _make_demo_secrets(path: Path) -> None:
    made = {
        "GATEWAY_TOKEN_KEYS": f"k1:{secrets.token_hex(32)}",
        "GATEWAY_LOOKUP_KEYS": f"p1:{secrets.token_hex(32)}",
        "GATEWAY_CALLBACK_SECRET": secrets.token_urlsafe(18),
        "GATEWAY_SESSION_KEY": secrets.token_hex(32),
        "GATEWAY_PIN_PEPPER": secrets.token_hex(32),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix="demo.env.") as fresh:
        fresh.write("".join(f"{name}={value}\n" for name, value in made.items()))
        fresh.flush()
        try:
            os.link(fresh.name, path)  # whole or not at all; of two first starts one wins
        except FileExistsError:
            return
