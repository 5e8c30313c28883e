"""4 My wallet, 4 Withdraw: an amount that its payer refuses is told before it is confirmed."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from gateway.providers.airtelmoney import AirtelMoneyProvider
from gateway.providers.base.messages import Amounts, Pays
from gateway.providers.daraja import DarajaProvider
from gateway.providers.selcom import SelcomProvider
from gateway.providers.snippe import SnippeProvider
from gateway.providers.tigopesa import TigoPesaProvider
from gateway.providers.vodacom import VodacomProvider
from gateway.withdrawals.payers import ANY, Payers
from tests.deposits.staging import JUMA, Till, till
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired
from tests.tokens.staging import wallet
from tests.withdrawals.staging import Payer

PIN = "4711"


@pytest.fixture
def tz(database_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway in Tanzania whose payouts Snippe makes; Juma has money and a PIN."""
    with till(database_url, clock) as made:
        wallet(made, JUMA, "20000.00")
        made.set_pin(PIN, JUMA)
        yield made


def entered(on: Wired, phone: str, way: str, amount: str) -> str:
    """What the phone shows once the amount is entered."""
    return on.dial(phone, text=f"4*4*{way}*{amount}").body


def test_cents_that_the_payer_refuses_are_asked_for_again(tz: Till) -> None:
    assert "Whole amounts only, please." in entered(tz, JUMA, "1", "6000.50")
    assert entered(tz, JUMA, "1", "6000").startswith("CON TZS 6000.00 to your mobile money?")


def test_less_than_the_payer_pays_is_told_with_the_least_amount(tz: Till) -> None:
    assert entered(tz, JUMA, "1", "4999") == (
        "END At least TZS 5000.00 can be paid to your mobile money. Nothing was taken out."
    )
    assert entered(tz, JUMA, "1", "5000").startswith("CON TZS 5000.00 to your mobile money?")


def test_cash_at_a_shop_is_paid_to_the_cent(tz: Till) -> None:
    assert entered(tz, JUMA, "2", "10.50").startswith("CON TZS 10.50 in cash at a shop?")


def test_where_an_operator_pays_by_hand_any_amount_goes(wired: Wired) -> None:
    wallet(wired, ADA, "100.00")
    wired.set_pin(PIN)
    assert entered(wired, ADA, "1", "10.50").startswith("CON NGN 10.50 to your mobile money?")


@pytest.mark.parametrize(
    "kind",
    [
        SnippeProvider,
        SelcomProvider,
        AirtelMoneyProvider,
        TigoPesaProvider,
        VodacomProvider,
        DarajaProvider,
    ],
)
def test_every_adapter_that_refuses_cents_says_so(kind: type[Pays]) -> None:
    amounts = getattr(kind, "payout_amounts", ANY)
    assert (amounts.whole, amounts.least >= 1) == (True, True)


def test_of_several_payers_the_one_that_would_pay_is_asked() -> None:
    class Whole(Payer):
        payout_amounts = Amounts(least=Decimal("10.00"), whole=True)

    payers = Payers((Payer(), Whole("airtel", ("+23480",))))
    assert payers.amounts("+2348030000001", "NGN") == Whole.payout_amounts
    assert payers.amounts("+2347030000001", "NGN") == ANY
    assert payers.amounts("+2348030000001", "KES") == ANY
