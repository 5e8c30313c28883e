"""A payment whose callback is lost is found by `gateway reconcile` and credited once."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from decimal import Decimal
from typing import NamedTuple

import pytest

from tests.emulators import selcom
from tests.emulators.airtelmoney import AirtelMoneyApi
from tests.emulators.daraja import DarajaApi
from tests.emulators.provider import Fault
from tests.emulators.selcom import SelcomApi
from tests.emulators.snippe import SnippeApi
from tests.emulators.tigopesa import BILLER, TigoPesaApi
from tests.emulators.vodacom import VodacomApi
from tests.end_to_end import hooks, providers
from tests.end_to_end.calls import books_are_sound
from tests.end_to_end.hooks import Proven, deliver, send
from tests.end_to_end.market import Market
from tests.support.races import race
from tests.support.wired import SECRET

JUMA, NEEMA, ASHA, BAKARI = "+255680000001", "+255710000002", "+255780000003", "+255740000004"
KAMAU, WANJIRU, OTIENO = "+254700000001", "+254700000002", "+254700000003"
PAID, AMOUNT = "15000", "15000.00"


class Tanzania(NamedTuple):
    """The providers that can be asked, at their emulators."""

    snippe: SnippeApi
    selcom: SelcomApi
    airtelmoney: AirtelMoneyApi
    vodacom: VodacomApi
    tigopesa: TigoPesaApi


@pytest.fixture
def tanzania(market: Market) -> Iterator[Tanzania]:
    """A market in Tanzania with all of them."""
    with ExitStack() as serving:
        apis = Tanzania(SnippeApi(), SelcomApi(), AirtelMoneyApi(), VodacomApi(), TigoPesaApi())
        for api in apis:
            serving.enter_context(api)
        market.installed.env.update(
            {
                **providers.TANZANIA,
                **providers.of_snippe(apis.snippe),
                **providers.of_selcom(apis.selcom),
                **providers.of_airtelmoney(apis.airtelmoney),
                **providers.of_vodacom(apis.vodacom),
                **providers.of_tigopesa(apis.tigopesa),
            }
        )
        yield apis


def compact(document: object) -> bytes:
    """JSON as providers write it."""
    return json.dumps(document, separators=(",", ":")).encode()


def paid_by_snippe(apis: Tanzania, reference: str) -> tuple[str, Proven]:
    """The customer pays; the callback that will be lost."""
    (made,) = apis.snippe.by_order(reference)
    apis.snippe.settle(made["reference"], "completed", external_reference="SYNX1")
    body = compact({"id": "evt_1", "type": "payment.completed", "data": made})
    return "/webhooks/snippe", hooks.snippe(body, providers.HOOK_SECRET)


def paid_by_selcom(apis: Tanzania, reference: str) -> tuple[str, Proven]:
    """The same at Selcom."""
    apis.selcom.pay_order(reference)
    headers, body = apis.selcom.webhook(reference, selcom.SECRET)
    return "/webhooks/selcom/checkout", Proven(headers[1:], body)


def paid_by_airtelmoney(apis: Tanzania, reference: str) -> tuple[str, Proven]:
    """The same at Airtel."""
    apis.airtelmoney.settle(apis.airtelmoney.collections[reference], "TS", "DP00800001001", "MP1")
    said = {"id": reference, "message": "Paid", "status_code": "TS", "airtel_money_id": "MP1"}
    body = compact({"transaction": said})
    return "/webhooks/airtelmoney", hooks.hashed(body, providers.CALLBACK_KEY)


def paid_by_vodacom(apis: Tanzania, reference: str) -> tuple[str, Proven]:
    """The same at Vodacom."""
    apis.vodacom.settle(f"in{reference}")
    body = compact(apis.vodacom.callback(f"in{reference}"))
    return f"/webhooks/vodacom/{SECRET}", Proven([], body)


# A phone, the brand it chooses, and how its customer pays.
PAYERS: tuple[tuple[str, str, Callable[[Tanzania, str], tuple[str, Proven]]], ...] = (
    (JUMA, "Mobile money", paid_by_snippe),
    (NEEMA, "Selcom", paid_by_selcom),
    (ASHA, "Airtel Money", paid_by_airtelmoney),
    (BAKARI, "M-Pesa", paid_by_vodacom),
)


def test_a_lost_webhook_is_found_by_the_nightly_run_and_credited_once(
    market: Market, tanzania: Tanzania
) -> None:
    with market.open():
        ordered = [market.top_up(phone, PAID, brand) for phone, brand, _ in PAYERS]
        with market.installed.worker():
            market.until(lambda: pushed(tanzania) == set(ordered))
            market.until(lambda: market.deposit(ordered[3]).provider_ref)
        calls = [pay(tanzania, name) for name, (_, _, pay) in zip(ordered, PAYERS, strict=True)]
        assert set(market.wallets().values()) <= {Decimal("0.00")}
        market.pass_time(minutes=40)
        run = market.installed.json("reconcile")
        assert (run["asked"], run["settled"], run["found"]) == (4, 4, [])
        assert [market.wallet(phone)[0] for phone, _, _ in PAYERS] == [AMOUNT] * 4
        for path, proven in (*calls, *calls):  # late, then once more
            assert deliver(market.web, path, proven).status == 200
        assert "handled" in market.installed.command("worker", "--once").stdout
        assert market.installed.json("reconcile")["asked"] == 0
    assert set(market.became()) == {"duplicate"}
    assert [market.wallet(phone)[0] for phone, _, _ in PAYERS] == [AMOUNT] * 4
    assert market.booked("deposit") == 4
    assert books_are_sound(market.installed)


def pushed(apis: Tanzania) -> set[str]:
    """Our references of the prompts that phones have been shown."""
    return {
        *(made["metadata"]["order_id"] for made in apis.snippe.made.values()),
        *(prompt["order_id"] for prompt in apis.selcom.prompts),
        *apis.airtelmoney.collections,
        *(name.removeprefix("in") for name in apis.vodacom.payments),
    }


def test_a_callback_that_is_faster_than_the_answer_to_its_push_is_matched(
    market: Market, tanzania: Tanzania
) -> None:
    with market.open() as web:
        reference = market.top_up(NEEMA, PAID, "Mixx by Yas")
        tanzania.tigopesa.script(Fault(wait_seconds=2.0))
        with market.installed.worker():
            market.until(lambda: tanzania.tigopesa.prompts)
            body = tanzania.tigopesa.callback(f"{BILLER}{reference}")
            assert market.deposit(reference).known_as is None  # the push has not returned
            answer = send(web, f"/webhooks/tigopesa/{SECRET}/push", body)
            assert (answer.status, market.wallet(NEEMA)[0]) == (200, AMOUNT)
            market.until(lambda: market.deposit(reference).known_as)
        assert send(web, f"/webhooks/tigopesa/{SECRET}/push", body) == answer
    assert (market.became(), market.wallet(NEEMA)[0]) == (["credited", "duplicate"], AMOUNT)
    assert books_are_sound(market.installed)


def test_safaricoms_two_callbacks_of_a_receipt_in_any_order_and_none_are_one_credit(
    market: Market,
) -> None:
    hook = f"/webhooks/daraja/{SECRET}"
    with DarajaApi() as api, market.open(providers.KENYA, providers.of_daraja(api)) as web:
        phones = (KAMAU, WANJIRU, OTIENO)
        ordered = [market.top_up(phone, "1500") for phone in phones]
        market.installed.command("worker", "--once")
        checkouts = [market.deposit(name).provider_ref or "" for name in ordered]
        assert set(checkouts) == set(api.pushes)
        for checkout in checkouts:
            api.settle(checkout)
        stk = [(f"{hook}/stk", compact(api.stk_callback(checkout))) for checkout in checkouts]
        c2b = [
            (f"{hook}/c2b/confirmation", compact(api.confirmation(checkout)))
            for checkout in checkouts
        ]
        late = (stk[2], c2b[2])
        for first, then in ((stk[0], c2b[0]), (c2b[1], stk[1])):
            assert send(web, *first).status == send(web, *then).status == 200
        market.pass_time(minutes=40)
        run = market.installed.json("reconcile")
        assert (run["asked"], run["found"]) == (1, [])  # of the third there was no callback at all
        answers = race(16, lambda number: send(web, *late[number % 2]).status)
        assert answers == [200] * 16
    assert [market.wallet(phone)[0] for phone in phones] == ["1500.00"] * 3
    assert (market.booked("deposit"), set(market.wallets().values())) == (3, {Decimal("1500.00")})
    assert books_are_sound(market.installed)
