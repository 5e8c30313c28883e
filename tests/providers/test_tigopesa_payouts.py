"""Tigo Pesa's payouts: paid once, refused by a listed word, and otherwise held."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gateway.errors import OutcomeUnknown, Refused, SendFailed, Unreachable
from gateway.providers.base import flat_xml
from gateway.providers.base.messages import Outcome, Status
from gateway.providers.tigopesa import REFUSED
from tests.emulators import provider
from tests.emulators.provider import Fault
from tests.emulators.tigopesa import BILLER_MSISDN, PASSWORD, PIN, TigoPesaApi, payout_answer
from tests.providers.test_tigopesa_api import ORDER, PAID_OUT, SETTINGS, tigopesa


@pytest.fixture
def api() -> Iterator[TigoPesaApi]:
    """Tigo Pesa's services."""
    with TigoPesaApi() as running:
        yield running


def pays(status: str, reference: str = "P1001", http: int = 200) -> Fault:
    """An answer to a payout in place of the usual one."""
    return Fault(says=(http, payout_answer(reference, status, "T1")))


def test_a_payout_is_paid_with_the_carriers_id(api: TigoPesaApi) -> None:
    assert tigopesa(api).pay(PAID_OUT) == Status(Outcome.SUCCEEDED, "A2W00000000", reason="said")
    (sent,) = api.requests
    assert flat_xml.texts(sent.body) == {
        "TYPE": "REQMFCI",
        "REFERENCEID": "P1001",
        "MSISDN": BILLER_MSISDN,
        "PIN": PIN,
        "MSISDN1": "255650000002",
        "AMOUNT": "15000",
        "SENDERNAME": "Token wallet",
        "LANGUAGE1": "EN",
        "BRAND_ID": "0",
    }


@pytest.mark.parametrize("word", ["200", "0"])
def test_both_words_of_success_are_one(api: TigoPesaApi, word: str) -> None:
    api.script(pays(word))
    assert tigopesa(api).pay(PAID_OUT).outcome is Outcome.SUCCEEDED


@pytest.mark.parametrize("word", REFUSED)
def test_a_listed_word_is_a_refusal(api: TigoPesaApi, word: str) -> None:
    api.script(pays(word))
    with pytest.raises(Refused) as raised:
        tigopesa(api).pay(PAID_OUT)
    assert raised.value.alarm is (word in ("00026", "2117", "02117", "60014", "60019"))


@pytest.mark.parametrize(
    "fault",
    [
        pays("100"),
        pays("60099"),
        pays(""),
        pays("00"),
        pays("TS"),
        pays("200", "P1002"),
        pays("410", "P1002"),
        pays("200", http=500),
        pays("410", http=500),
        provider.HANGS_UP,
        provider.PAID_THEN_HANGS_UP,
        provider.BROKEN,
        provider.PAID_THEN_BROKEN,
        provider.CUT_OFF,
        provider.NO_JSON,
        provider.TOO_MANY,
        Fault(says=(200, b"<!DOCTYPE C []><COMMAND><TXNSTATUS>410</TXNSTATUS></COMMAND>")),
        Fault(says=(200, b"<COMMAND><TXNSTATUS>410</TXNSTATUS><TXNSTATUS>0</TXNSTATUS></COMMAND>")),
    ],
)
def test_whatever_is_not_listed_is_unknown(api: TigoPesaApi, fault: Fault) -> None:
    api.script(fault)
    with pytest.raises(OutcomeUnknown):
        tigopesa(api).pay(PAID_OUT)
    assert len(api.requests) == 1


def test_a_late_answer_is_unknown_and_the_money_gone(api: TigoPesaApi) -> None:
    api.script(replace(provider.PAID_THEN_HANGS_UP, wait_seconds=2.0))
    with pytest.raises(OutcomeUnknown):
        tigopesa(api, read_seconds=0.3).pay(PAID_OUT)
    assert list(api.payouts) == ["P1001"]


def test_without_a_connection_nothing_was_paid() -> None:
    with TigoPesaApi() as gone:
        through = tigopesa(gone)
    for send in (lambda: through.pay(PAID_OUT), lambda: through.push(ORDER)):
        with pytest.raises(Unreachable):
            send()


def test_without_a_service_nothing_is_paid(api: TigoPesaApi) -> None:
    through = tigopesa(api, payout_url="", payout_pin="")
    assert not through.can_pay
    with pytest.raises(Refused) as raised:
        through.pay(PAID_OUT)
    assert raised.value.alarm


def test_neither_the_adapter_nor_an_error_shows_a_secret(api: TigoPesaApi) -> None:
    api.script(pays("00026"), pays("100"))
    shown = f"{tigopesa(api)!r} {SETTINGS!r}"
    for _ in range(2):
        with pytest.raises(SendFailed) as raised:
            tigopesa(api).pay(PAID_OUT)
        shown += str(raised.value)
    assert not any(secret in shown for secret in (PASSWORD, PIN))
