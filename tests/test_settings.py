"""Every setting of the contract: its default, its form, and the refusal to start without it."""

import pytest

from app import Gateway
from gateway import settings
from gateway.errors import Misconfigured
from tests.support.serving import production_env

URL = "sqlite:///some/gateway.db"
FULL = production_env(URL)
KEY, OTHER_KEY = "ab" * 32, "cd" * 32


def refusal(**changes: str) -> str:
    """What production says to these settings; an empty one counts as not set."""
    with pytest.raises(Misconfigured) as refused:
        Gateway(settings.read({**FULL, **changes}))
    return str(refused.value)


def test_what_production_requires_is_enough() -> None:
    read = settings.read(FULL)
    assert (read.mode, read.demo, read.database_url) == ("production", False, URL)
    assert read.callback_secrets == (FULL["GATEWAY_CALLBACK_SECRET"],)
    assert read.sms_channels == ("africastalking",)


def test_the_defaults_are_those_of_the_contract() -> None:
    read = settings.read(FULL)
    found = (read.bind, read.country, read.currency, read.zone.key, read.trusted_proxies)
    assert found == ("127.0.0.1:8000", "NG", "NGN", "Africa/Lagos", 0)


# The contract's table: name, a value, and how the settings hold it.
TAKEN: tuple[tuple[str, str, str, object], ...] = (
    ("GATEWAY_BIND", "[::1]:9000", "bind", "[::1]:9000"),
    ("GATEWAY_BIND", "unix:run/gateway", "bind", "unix:run/gateway"),
    ("GATEWAY_DATABASE_URL", "mysql+pymysql://u:p@h/n", "database_url", "mysql+pymysql://u:p@h/n"),
    ("GATEWAY_TOKEN_KEYS", f"k1:{KEY},k2:{OTHER_KEY}", "token_keys", f"k1:{KEY},k2:{OTHER_KEY}"),
    ("GATEWAY_LOOKUP_KEYS", f"p1:{KEY}", "lookup_keys", f"p1:{KEY}"),
    (
        "GATEWAY_CALLBACK_SECRET",
        "the-new-secret-1234, the-old-secret-1234",
        "callback_secrets",
        ("the-new-secret-1234", "the-old-secret-1234"),
    ),
    ("GATEWAY_SESSION_KEY", "s" * 16, "session_key", "s" * 16),
    ("GATEWAY_PIN_PEPPER", "p" * 16, "pin_pepper", "p" * 16),
    ("GATEWAY_SMS_CHANNELS", " africastalking ", "sms_channels", ("africastalking",)),
    ("GATEWAY_SMS_CHANNELS", "", "sms_channels", ()),
    ("GATEWAY_COUNTRY", "KE", "country", "KE"),
    ("GATEWAY_CURRENCY", "KES", "currency", "KES"),
    ("GATEWAY_CURRENCY", "", "currency", "NGN"),
    ("GATEWAY_TRUSTED_PROXIES", "2", "trusted_proxies", 2),
)


@pytest.mark.parametrize(("name", "value", "field", "held"), TAKEN)
def test_a_setting_of_the_contract_is_read(name: str, value: str, field: str, held: object) -> None:
    assert getattr(settings.read({**FULL, name: value}), field) == held


def test_the_settings_of_kannel_are_read_and_required_where_it_is_named() -> None:
    names = ("KANNEL_SENDSMS_URL", "KANNEL_USERNAME", "KANNEL_PASSWORD")
    given = {name: f"http://k/{name[-4:]}" for name in names}
    both = {"GATEWAY_SMS_CHANNELS": "kannel,africastalking"}
    found = settings.read({**FULL, **both, **given, "KANNEL_SENDER": "POWER"}).kannel
    assert (found.sendsms_url, found.username, found.password, found.sender) == (
        *given.values(),
        "POWER",
    )
    assert found.callback_url == "http://127.0.0.1:8000"
    assert refusal(**both) == f"missing settings: {', '.join(names)}"
    only = {**FULL, **given, "GATEWAY_SMS_CHANNELS": "kannel", "AFRICASTALKING_API_KEY": ""}
    assert settings.read(only).sms_channels == ("kannel",)


def test_the_settings_of_africas_talking_are_read() -> None:
    extra = {"AFRICASTALKING_SENDER_ID": "Gateway", "AFRICASTALKING_TEXT_PREFIX": "33"}
    found = settings.read({**FULL, **extra}).africastalking
    assert (found.username, found.api_key) == ("sandbox", "test-api-key")
    assert (found.sender_id, found.text_prefix) == ("Gateway", "33")
    assert found.base_url == FULL["AFRICASTALKING_BASE_URL"]


REQUIRED = tuple(
    name for name in FULL if name not in ("GATEWAY_SMS_CHANNELS", "AFRICASTALKING_BASE_URL")
)


@pytest.mark.parametrize("name", REQUIRED)
def test_production_does_not_start_without(name: str) -> None:
    assert refusal(**{name: ""}) == f"missing settings: {name}"
    assert refusal(**{name: "  "}) == f"missing settings: {name}"


def test_all_missing_settings_are_named_in_one_line() -> None:
    with pytest.raises(Misconfigured) as refused:
        settings.read({"GATEWAY_SMS_CHANNELS": "africastalking"})
    assert str(refused.value) == f"missing settings: {', '.join(REQUIRED)}"


# What is set, and what the refusal says.
REFUSED: tuple[tuple[str, str, str], ...] = (
    ("GATEWAY_MODE", "staging", "GATEWAY_MODE must be production or demo"),
    ("GATEWAY_SMS_CHANNELS", "africastalking,pigeon", "unknown channels: pigeon"),
    ("GATEWAY_SMS_CHANNELS", "simulator", "the simulator is for demo mode only"),
    ("GATEWAY_DATABASE_URL", "gateway.db", "GATEWAY_DATABASE_URL reads like"),
    ("GATEWAY_DATABASE_URL", "sqlite://", "GATEWAY_DATABASE_URL reads like"),
    ("GATEWAY_DATABASE_URL", "postgresql://h/n", "GATEWAY_DATABASE_URL reads like"),
    ("GATEWAY_DATABASE_URL", "mysql+pymysql://u:pw@h:port/n", "GATEWAY_DATABASE_URL"),
    ("GATEWAY_BIND", "8000", "GATEWAY_BIND reads like 127.0.0.1:8000"),
    ("GATEWAY_CALLBACK_SECRET", "short", "GATEWAY_CALLBACK_SECRET needs at least 16"),
    ("GATEWAY_CALLBACK_SECRET", f"{'l' * 20},short", "GATEWAY_CALLBACK_SECRET needs at least 16"),
    ("GATEWAY_CALLBACK_SECRET", ",", "GATEWAY_CALLBACK_SECRET needs at least 16"),
    ("GATEWAY_CALLBACK_SECRET", "a/secret/with/slashes", "GATEWAY_CALLBACK_SECRET stands in a"),
    ("GATEWAY_SESSION_KEY", "short", "GATEWAY_SESSION_KEY needs at least 16"),
    ("GATEWAY_PIN_PEPPER", "short", "GATEWAY_PIN_PEPPER needs at least 16"),
    ("GATEWAY_TIMEZONE", "Africa/Atlantis", "GATEWAY_TIMEZONE: no such zone"),
    ("GATEWAY_COUNTRY", "Nigeria", "GATEWAY_COUNTRY is two capital letters"),
    ("GATEWAY_COUNTRY", "QQ", "GATEWAY_COUNTRY: no country has the code QQ"),
    ("GATEWAY_SMS_PREFIXES", "234", "GATEWAY_SMS_PREFIXES lists E.164 prefixes with their plus"),
    ("GATEWAY_SERVICE_CODE", "hello", "GATEWAY_SERVICE_CODE is what people dial"),
    ("GATEWAY_CURRENCY", "naira", "GATEWAY_CURRENCY is three capital letters"),
    ("GATEWAY_TRUSTED_PROXIES", "-1", "GATEWAY_TRUSTED_PROXIES must be a whole number"),
    ("GATEWAY_TRUSTED_PROXIES", "²", "GATEWAY_TRUSTED_PROXIES must be a whole number"),
    ("GATEWAY_SMS_DAILY_MAX", "many", "GATEWAY_SMS_DAILY_MAX must be a whole number"),
    ("GATEWAY_CALLBACK_DAYS", "29", "GATEWAY_CALLBACK_DAYS is 30 at least"),
    ("GATEWAY_CALLBACK_DAYS", "-1", "GATEWAY_CALLBACK_DAYS must be a whole number"),
    ("GATEWAY_USSD_BUDGETS", "63902", "GATEWAY_USSD_BUDGETS is written like"),
    ("GATEWAY_USSD_BUDGETS", "63902:500", "GATEWAY_USSD_BUDGETS: 60 to 182 septets"),
    ("GATEWAY_TOKEN_KEYS", "k1:abcd", "GATEWAY_TOKEN_KEYS"),
    ("GATEWAY_TOKEN_KEYS", KEY, "key 1 is not <id>:<64 hex>"),
    ("GATEWAY_TOKEN_KEYS", f"k1:{KEY},k1:{OTHER_KEY}", "names key k1 twice"),
    ("GATEWAY_TOKEN_KEYS", f"k1:{KEY},k2:{KEY}", "one key under two ids"),
    ("GATEWAY_LOOKUP_KEYS", f"p1:{KEY[:-1]}", "_LOOKUP_KEYS"),
    ("GATEWAY_LOOKUP_KEYS", f"p1:{KEY},", "key 2 is not <id>:<64 hex>"),
)


@pytest.mark.parametrize(("name", "value", "said"), REFUSED)
def test_a_wrong_setting_is_refused_in_one_line(name: str, value: str, said: str) -> None:
    words = refusal(**{name: value})
    assert said in words
    assert "\n" not in words


SECRET_SETTINGS = ("TOKEN_KEYS", "LOOKUP_KEYS", "CALLBACK_SECRET", "SESSION_KEY", "PIN_PEPPER")


@pytest.mark.parametrize(
    ("name", "value"),
    [row[:2] for row in REFUSED if row[0].removeprefix("GATEWAY_") in SECRET_SETTINGS],
)
def test_the_refusal_of_a_secret_does_not_echo_it(name: str, value: str) -> None:
    secret = value.rpartition(":")[2].strip(",")
    assert not secret or secret not in refusal(**{name: value})


def test_the_refusal_of_a_database_url_does_not_echo_its_password() -> None:
    assert "pw" not in refusal(GATEWAY_DATABASE_URL="mysql+pymysql://u:pw@h:port/n")


def test_both_rings_may_not_share_a_key() -> None:
    words = refusal(GATEWAY_TOKEN_KEYS=f"k1:{KEY}", GATEWAY_LOOKUP_KEYS=f"p1:{KEY.upper()}")
    assert "must not share a key" in words
    assert KEY not in words.lower()


def test_several_faults_are_named_together() -> None:
    words = refusal(GATEWAY_SESSION_KEY="short", GATEWAY_COUNTRY="x", GATEWAY_PIN_PEPPER="")
    for name in ("GATEWAY_SESSION_KEY", "GATEWAY_COUNTRY", "missing settings: GATEWAY_PIN_PEPPER"):
        assert name in words


def test_no_secret_shows_in_the_settings_as_text() -> None:
    read = settings.read(FULL)
    assert [value for name, value in FULL.items() if "URL" not in name and len(value) > 15] != []
    for name, value in FULL.items():
        if name.removeprefix("GATEWAY_") in SECRET_SETTINGS or name.endswith("_API_KEY"):
            assert value not in repr(read)


def test_without_an_sms_channel_the_web_starts_and_the_worker_does_not() -> None:
    whole = Gateway(settings.read({**FULL, "GATEWAY_SMS_CHANNELS": ""}))
    with pytest.raises(Misconfigured, match="GATEWAY_SMS_CHANNELS is not set"):
        whole.sender("worker")
