"""4 → 3 Top up: amount, provider, confirmation with the fee, and the prompt on the phone."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from gateway.settings.limits import Money
from gateway.settings.providers import Providers
from tests.deposits.staging import JUMA, PROVIDERS, Till, snippe_body, till
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired

FEES = Money(fees={"top_up": ((Decimal("999999.00"), Decimal("50.00")),)})


@pytest.fixture
def fee(database_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway that takes a fee, over Snippe alone."""
    only = replace(Providers(public_url=PROVIDERS.public_url), snippe=PROVIDERS.snippe)
    with till(database_url, clock, providers=only, money=FEES) as made:
        yield made


def test_a_top_up_is_confirmed_with_its_fee_and_credited_less_it(fee: Till) -> None:
    call = fee.dial(JUMA)
    call.send("4")
    assert "3. Top up" in call.body or "3 Top up" in call.body
    assert "how much" in call.send("3")
    shown = call.send("15000")
    assert "TZS 15000.00 from your mobile money?" in shown
    assert "Fee TZS 50.00, your wallet gets TZS 14950.00" in shown
    assert fee.all() == []
    said = call.send("1")
    assert said.startswith("END Approve TZS 15000.00 on your phone now.")
    (order,) = fee.all()
    assert order.reference in said
    assert (order.amount, order.fee, order.msisdn) == (Decimal("15000"), Decimal("50"), JUMA)
    fee.snippe(snippe_body(order.reference))
    assert str(fee.has()) == "14950.00"
    assert fee.breaches() == []
    statement = fee.dial(JUMA)
    assert "+14950.00 Top up" in [statement.send("4"), statement.send("2")][-1]


def test_what_is_asked_for_reads_well_in_french_too(fee: Till) -> None:
    fee.dial(JUMA, "5*1*2")
    call = fee.dial(JUMA)
    for entry in ("4", "3", "15000"):
        call.send(entry)
    assert "TZS 15000.00 par mobile money ?" in call.body


def test_the_same_confirmation_again_places_one_order(fee: Till) -> None:
    call = fee.dial(JUMA)
    for entry in ("4", "3", "15000", "1"):
        call.send(entry)
    first = call.body
    assert call.post(call.text) == first
    assert len(fee.all()) == 1


def test_a_fee_that_changed_meanwhile_is_shown_and_confirmed_again(
    fee: Till, database_url: str, clock: SteppedClock
) -> None:
    call = fee.dial(JUMA)
    for entry in ("4", "3", "15000"):
        call.send(entry)
    assert "Fee TZS 50.00" in call.body
    dearer = Money(fees={"top_up": ((Decimal("999999.00"), Decimal("75.00")),)})
    only = fee.gateway.settings.providers
    with till(database_url, clock, providers=only, money=dearer) as other:
        call.wired = other
        assert "Fee TZS 75.00, your wallet gets TZS 14925.00" in call.send("1")
        assert fee.all() == []
        assert call.send("1").startswith("END Approve TZS 15000.00")
    (order,) = fee.all()
    assert order.fee == Decimal("75.00")
    fee.snippe(snippe_body(order.reference))  # whose table has the old fee
    assert (str(fee.has()), fee.breaches()) == ("14925.00", [])


def test_a_confirmation_is_never_dialled(fee: Till) -> None:
    fee.dial(JUMA, "4*3*15000*1")
    assert fee.all() == []


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("0.001", "An amount reads like"),
        ("1e3", "An amount reads like"),
        ("-5", "An amount reads like"),
        ("15000.50", "Whole amounts only"),
        ("50", "The fee would take all of it"),
    ],
)
def test_an_amount_that_cannot_be_is_asked_for_again(fee: Till, entry: str, words: str) -> None:
    call = fee.dial(JUMA)
    for text in ("4", "3", entry):
        call.send(text)
    assert call.body.startswith("CON ")
    assert words in call.body
    assert fee.all() == []


def test_where_several_can_ask_the_phone_the_caller_chooses(tz: Till) -> None:
    call = tz.dial(JUMA)
    for entry in ("4", "3", "15000"):
        call.send(entry)
    assert "From where?" in call.body
    assert "Airtel Money" in call.body  # of the phone's own network: first
    call.send("1")
    assert "from your Airtel Money?" in call.body
    call.send("1")
    assert [order.provider for order in tz.all()] == ["airtelmoney"]


def test_without_a_provider_there_is_nothing_to_choose(wired: Wired) -> None:
    call = wired.dial(ADA)
    call.send("4")
    assert "Top up" not in call.body
    assert "invalid" in call.send("3").lower()


def test_a_stopped_wallet_is_told_before_anything_is_asked_of_the_phone(fee: Till) -> None:
    wallet = fee.wallet()
    freeze = f"UPDATE accounts SET status = 'frozen' WHERE id = {wallet.id}"
    fee.run(lambda c: c.exec_driver_sql(freeze))
    call = fee.dial(JUMA)
    for entry in ("4", "3", "15000"):
        call.send(entry)
    assert call.body == "END Your wallet cannot receive money now."
    assert fee.all() == []
