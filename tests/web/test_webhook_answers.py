"""What providers are told over the route: the same bytes to every repeat, and each no in words."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gateway.ledger import store as ledger
from gateway.settings.providers import (
    AirtelMoney,
    Daraja,
    Providers,
    Selcom,
    Snippe,
    TigoPesa,
    Vodacom,
)
from tests.deposits.staging import PROVIDERS, Till, till
from tests.providers.contract import sample
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import SECRET

BILLPAY = f"tigopesa/{SECRET}/billpay"
PAYER = "+255700000001"
PAYMENT = sample("tigopesa/billpay.xml")
TAKEN = sample("tigopesa/billpay-taken.xml")


@pytest.fixture
def tz(database_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway in Tanzania that takes money."""
    with till(database_url, clock) as made:
        yield made


def answers(tz: Till, *bodies: bytes) -> list[tuple[int, bytes]]:
    """What each of these bill payments is answered."""
    given = (tz.post(BILLPAY, body, content_type="application/xml") for body in bodies)
    return [(answer.status_code, answer.data) for answer in given]


def test_a_bill_pay_that_no_wallet_can_take_is_answered_alike_each_time(tz: Till) -> None:
    wallet = tz.wallet(PAYER)
    tz.run(lambda c: ledger.set_status(c, wallet.id, "active", "frozen"))
    first = answers(tz, PAYMENT)
    tz.run(lambda c: ledger.set_status(c, wallet.id, "frozen", "active"))
    assert first + answers(tz, PAYMENT, PAYMENT) == [(200, TAKEN)] * 3
    assert (tz.became(), str(tz.has(PAYER))) == (["suspense", "duplicate", "duplicate"], "0.00")


def test_a_bill_pay_over_another_amount_is_answered_as_the_first_was(tz: Till) -> None:
    tz.wallet(PAYER)
    other = PAYMENT.replace(b"<AMOUNT>15000<", b"<AMOUNT>16000<")
    assert answers(tz, PAYMENT, other, PAYMENT) == [(200, TAKEN)] * 3
    assert (tz.became(), str(tz.has(PAYER))) == (["credited", "conflict", "duplicate"], "15000.00")


def test_a_bill_pay_that_cannot_be_read_is_refused_alike_each_time(tz: Till) -> None:
    odd = PAYMENT.replace(b"<AMOUNT>15000<", b"<AMOUNT>1,500<")
    assert answers(tz, odd, odd, PAYMENT) == [(400, b"malformed")] * 2 + [(200, TAKEN)]


def test_safaricom_is_told_what_is_too_much(database_url: str, clock: SteppedClock) -> None:
    with till(database_url, clock, "KE") as ke, captured_log() as log:
        ke.wallet("+254700000001")
        told = ke.c2b("TK1", "50001", part="c2b/validation", MSISDN="254700000001")
        assert told.json == {"ResultCode": "C2B00013", "ResultDesc": "Rejected"}
        told = ke.c2b("TK1", "50000", part="c2b/validation", MSISDN="254700000001")
        assert told.json == {"ResultCode": "0", "ResultDesc": "Accepted"}
        assert "webhook_not_acknowledged" not in log.text()


# Settings of the API in part: each leaves its callbacks working and takes part in nothing else.
IN_PART: tuple[tuple[str, Providers], ...] = (
    ("snippe", replace(PROVIDERS, public_url="", snippe=Snippe(("s",), "snp_synthetic_key"))),
    ("selcom", replace(PROVIDERS, selcom=Selcom(api_key="k", api_secret=("s",)))),
    ("airtelmoney", replace(PROVIDERS, airtelmoney=AirtelMoney("id", callback_key=("k",)))),
    ("tigopesa", replace(PROVIDERS, tigopesa=TigoPesa("u", allowed_addresses=("127.0.0.1",)))),
    ("vodacom", replace(PROVIDERS, vodacom=Vodacom(api_key="k"))),
    ("daraja", replace(PROVIDERS, daraja=Daraja("k", allowed_addresses=("127.0.0.1",)))),
)


@pytest.mark.parametrize(("name", "given"), IN_PART)
def test_a_provider_that_is_set_up_in_part_still_tells_us_of_payments(
    sqlite_url: str, clock: SteppedClock, name: str, given: Providers
) -> None:
    with captured_log() as log, till(sqlite_url, clock, providers=given) as made:
        told = [line for line in log.lines() if line["event"] == "provider_not_in_use"]
        assert name in {line["provider"] for line in told}
        paths = [rule.rule.split("/") for rule in made.app.url_map.iter_rules()]
        rules = {path[2] for path in paths if path[1] == "webhooks"}
        assert name in rules
        books_as = {"vodacom": "mpesa", "daraja": "mpesa"}.get(name, name)
        currency = "KES" if name == "daraja" else "TZS"
        able = made.gateway.providers.collects
        assert not [one for one in able if one.name == books_as and currency in one.currencies]
