"""Withdrawals by the menu, paid by a worker process over emulated providers: each at most once."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from decimal import Decimal
from typing import Any, NamedTuple

from tests.emulators import daraja, selcom, tigopesa, vodacom
from tests.emulators.airtelmoney import AirtelMoneyApi
from tests.emulators.daraja import DarajaApi
from tests.emulators.provider import (
    HANGS_UP,
    PAID_THEN_BROKEN,
    PAID_THEN_HANGS_UP,
    Fault,
    ProviderApi,
)
from tests.emulators.selcom import SelcomApi
from tests.emulators.snippe import SnippeApi
from tests.emulators.tigopesa import TigoPesaApi
from tests.emulators.vodacom import VodacomApi
from tests.end_to_end import hooks, providers
from tests.end_to_end.calls import books_are_sound
from tests.end_to_end.hooks import deliver, send
from tests.end_to_end.market import Market
from tests.support.wired import SECRET

FUNDS, AMOUNT = "100000.00", "10000"
# What the call for the payout meets; the last one is never carried out.
MEETS = (Fault(), Fault(wait_seconds=0.5), PAID_THEN_HANGS_UP, PAID_THEN_BROKEN, HANGS_UP)
ONE_NIGHT = 40  # minutes


class Payer(NamedTuple):
    """A provider, a phone it serves, and how a payout comes to its end there."""

    api: ProviderApi
    phone: str
    path: str  # of the call that pays
    settle: Callable[[Any, str], None]  # at the emulator; may be repeated
    is_asked: bool = True  # whether it can tell what became of one

    def calls(self, reference: str) -> int:
        """How often it was told to pay this."""
        named = f'"{reference}"'.encode(), f'"out{reference}"'.encode(), f">{reference}<".encode()
        return sum(
            request.path == self.path and any(name in request.body for name in named)
            for request in self.api.requests
            if request.method == "POST"
        )


def at_once(api: ProviderApi, reference: str) -> None:
    """What this emulator pays is paid."""


def settled_by_vodacom(api: VodacomApi, reference: str) -> None:
    """Let the payout come to its end."""
    if f"out{reference}" in api.payments:
        api.settle(f"out{reference}")


def settled_by_snippe(api: SnippeApi, reference: str) -> None:
    """Let the payout come to its end."""
    for made in api.by_order(reference):
        api.settle(made["reference"], "completed", external_reference=f"SYN{reference}")


def made_by(api: ProviderApi) -> set[str]:
    """Our references of the payouts that an emulator has made."""
    if isinstance(api, SnippeApi):
        return {made["metadata"]["order_id"] for made in api.made.values()}
    if isinstance(api, VodacomApi):
        return {name.removeprefix("out") for name in api.payments}
    assert isinstance(api, SelcomApi | AirtelMoneyApi | TigoPesaApi | DarajaApi)
    return set(api.payouts)


def is_over(market: Market, payer: Payer, reference: str) -> bool:
    """Whether a payout has come as far as it can, with whatever the payer has to do for it."""
    payer.settle(payer.api, reference)
    found = market.withdrawal(reference)
    will_be_told = payer.is_asked and reference in made_by(payer.api)
    return found.state != "held" or (found.payout == "unknown" and not will_be_told)


def withdrawn(market: Market, payers: Sequence[Payer], meets: Fault) -> list[str]:
    """One withdrawal of each phone, whose payout meets this; their references."""
    for payer in payers:
        payer.api.script(meets)
    made = [market.withdraw(payer.phone, AMOUNT) for payer in payers]
    pairs = list(zip(payers, made, strict=True))
    market.until(lambda: all(is_over(market, *pair) for pair in pairs), passing_seconds=60)
    return made


def every_way(market: Market, payers: Sequence[Payer]) -> list[list[str]]:
    """Each phone's withdrawals through all that a call can meet; the rows are those of MEETS."""
    for payer in payers:
        market.fund(payer.phone, FUNDS)
        market.set_pin(payer.phone)
    return [withdrawn(market, payers, meets) for meets in MEETS]


def each_is_paid_once(
    market: Market, payers: Sequence[Payer], ways: Sequence[Sequence[str]]
) -> None:
    """Assert what the worker has made of them: one call and at most one payout each, else held."""
    unknown: dict[str, list[str]] = {payer.phone: [] for payer in payers}
    for meets, made in zip(MEETS, ways, strict=True):
        for payer, reference in zip(payers, made, strict=True):
            is_told = payer.is_asked or not (meets.says or meets.silent)
            is_paid = meets is not HANGS_UP and is_told
            state = market.withdrawal(reference).state
            assert state == ("paid" if is_paid else "held"), (payer.path, meets)
            assert payer.calls(reference) == 1, (payer.path, meets)
            unknown[payer.phone] += [] if is_paid else [reference]
    left = Decimal(FUNDS) - Decimal(AMOUNT) * len(MEETS)
    for payer in payers:
        held = Decimal(AMOUNT) * len(unknown[payer.phone])
        assert market.wallet(payer.phone) == (str(left), f"{held}.00")
        assert len(made_by(payer.api)) == len(MEETS) - 1
    market.pass_time(minutes=ONE_NIGHT)
    told_of = json.loads(market.installed.command("reconcile", "--json").stdout)["found"]
    named = {one["reference"] for one in told_of if one["kind"] == "unknown"}
    assert named == {reference for some in unknown.values() for reference in some}
    assert books_are_sound(market.installed)


def test_the_networks_and_an_aggregator_pay_once_whatever_the_call_meets(
    market_on_mariadb: Market,
) -> None:
    market = market_on_mariadb
    lipa, airtel, voda, tigo = SelcomApi(), AirtelMoneyApi(), VodacomApi(), TigoPesaApi()
    payers = (
        Payer(lipa, "+255620000001", selcom.PROCESS, at_once),
        Payer(airtel, "+255680000002", "/standard/v2/disbursements/", at_once),
        Payer(voda, "+255740000003", vodacom.PAY, settled_by_vodacom),
        Payer(tigo, "+255710000004", tigopesa.PAYOUT, at_once, is_asked=False),
    )
    settings = (
        providers.of_selcom(lipa),
        providers.of_airtelmoney(airtel),
        providers.of_vodacom(voda),
        providers.of_tigopesa(tigo),
    )
    with ExitStack() as serving:
        for payer in payers:
            serving.enter_context(payer.api)
        web = serving.enter_context(market.open(providers.TANZANIA, *settings))
        with market.installed.worker():
            ways = every_way(market, payers)
            late, before = ways[0][2], market.wallets()
            voda.settle(f"out{late}", "Failed")
            body = json.dumps(voda.callback(f"out{late}", "INS-6")).encode()
            assert send(web, f"/webhooks/vodacom/{SECRET}", body).status == 200
            market.until(lambda: "payout_failed_after_paid" in market.installed.logs())
        assert (market.withdrawal(late).state, market.wallets()) == ("paid", before)
        each_is_paid_once(market, payers, ways)


def test_snippe_pays_once_and_its_late_word_is_an_alarm(market: Market) -> None:
    with SnippeApi() as api:
        payer = Payer(api, "+255620000001", "/payouts/send", settled_by_snippe)
        with market.open(providers.TANZANIA, providers.of_snippe(api)) as web:
            with market.installed.worker():
                ways = every_way(market, [payer])
            (made,) = api.by_order(ways[0][0])
            data, before = {**made, "status": "reversed"}, market.wallets()
            body = json.dumps({"id": "e1", "type": "payout.reversed", "data": data}).encode()
            for _ in range(2):
                proven = hooks.snippe(body, providers.HOOK_SECRET)
                assert deliver(web, "/webhooks/snippe", proven).status == 200
        found = market.withdrawal(ways[0][0])
        assert (found.state, found.payout, market.wallets()) == ("paid", "manual", before)
        assert market.installed.logs().count("payout_contradiction") == 1
        manual = market.installed.json("withdrawals", "list", "--manual")
        assert [one["reference"] for one in manual] == [found.reference]
        each_is_paid_once(market, [payer], ways)


def test_daraja_pays_once_by_the_proven_answer_to_a_question(market_on_mariadb: Market) -> None:
    market = market_on_mariadb

    def answered(api: DarajaApi, reference: str) -> None:
        """The payout ends; all that was asked about it is answered, and once it is told unasked."""
        if reference in api.payouts:
            api.finish(reference)
            said = [api.question_result(number) for number in asked_about(api, reference)]
            unasked = [api.result(reference)] if len(api.payouts) == 2 else []
            assert tell(market, *said, *unasked) <= {200}

    with DarajaApi() as api, market.open(providers.KENYA, providers.of_daraja(api)):
        payer = Payer(api, "+254700000001", daraja.PAY, answered)
        with market.installed.worker():
            ways = every_way(market, [payer])
            (paid,) = ways[0]
            before, known = market.wallets(), len(asked_about(api, paid))
            api.finish(paid, 1)
            assert tell(market, api.result(paid)) == {200}  # it says that it failed: a hint
            market.until(lambda: len(asked_about(api, paid)) > known)
            number = asked_about(api, paid)[-1]
        forged = api.question_result(number)
        forged["Result"]["ReferenceData"]["ReferenceItem"]["Value"] = paid + "0" * 64
        assert tell(market, forged) == {200}
        assert "payout_failed_after_paid" not in market.installed.logs()
        assert tell(market, *[api.question_result(number)] * 2) == {200}
        assert market.installed.logs().count("payout_failed_after_paid") == 1
        assert (market.withdrawal(paid).state, market.wallets()) == ("paid", before)
        each_is_paid_once(market, [payer], ways)


def asked_about(api: DarajaApi, reference: str) -> list[int]:
    """The numbers of the questions about one payout."""
    of = [question["OriginatorConversationID"] for question in api.questions]
    return [number for number, about in enumerate(of) if about == reference]


def tell(market: Market, *bodies: object) -> set[int]:
    """Post these as Safaricom's results; the statuses that came back."""
    path = f"/webhooks/daraja/{SECRET}/b2c/result"
    return {send(market.web, path, json.dumps(body).encode()).status for body in bodies}
