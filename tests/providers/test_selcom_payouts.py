"""Selcom's wallet cash-in: paid once, refused for certain, or held and asked about."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from gateway.errors import OutcomeUnknown, Refused, SendFailed, Throttled, Unreachable
from gateway.providers.base.messages import Outcome, Payout, Status
from gateway.providers.selcom import SelcomProvider
from tests.emulators import provider
from tests.emulators.provider import Fault
from tests.emulators.selcom import PIN, PROCESS, SelcomApi, said
from tests.providers.test_selcom_api import PAYOUT, PUBLIC_URL, SETTINGS, answers, asked, selcom
from tests.support.clock import SteppedClock

PAID = Status(Outcome.SUCCEEDED, "RP1001", "0000000004")


@pytest.fixture
def api() -> Iterator[SelcomApi]:
    """Selcom's gateway."""
    with SelcomApi() as running:
        yield running


def test_a_payout_is_paid_with_the_receipt_as_its_id(api: SelcomApi) -> None:
    assert selcom(api).pay(PAYOUT) == PAID
    (sent,) = api.requests
    assert sent.path == PROCESS
    assert sent.document == {
        "transid": "P1001",
        "utilitycode": "CASHIN",
        "utilityref": "255700000002",
        "amount": "15000",
        "vendor": "FLOAT0",
        "pin": PIN,
    }
    assert selcom(api).ask_payout(asked("P1001")) == PAID


@pytest.mark.parametrize(
    "fault",
    [
        provider.HANGS_UP,
        provider.PAID_THEN_HANGS_UP,
        provider.BROKEN,
        provider.PAID_THEN_BROKEN,
        provider.CUT_OFF,
        provider.NO_JSON,
        answers("999", "AMBIGUOUS"),
        answers("999", "FAIL"),
        answers("500", "FAIL"),
        answers("408", "FAIL"),
        answers("409", "FAIL"),
        answers("410", "FAIL", message="Transaction already processed"),
        answers("012", "PENDING"),
        answers("", "FAIL"),
        answers("FAIL", "FAIL"),
        answers("400", "FAIL", 400),
        answers("012", "FAIL", 500),
        answers("000", "SUCCESS", 502),
        Fault(says=(302, b"")),
        Fault(says=(200, {"result": "FAIL"})),
        Fault(says=(200, {"resultcode": 12, "result": "FAIL"})),
        Fault(says=(403, b"<html>Forbidden</html>")),
    ],
)
def test_whatever_is_not_certain_is_unknown(api: SelcomApi, fault: Fault) -> None:
    api.script(fault)
    with pytest.raises(OutcomeUnknown):
        selcom(api).pay(PAYOUT)
    assert len(api.requests) == 1


def test_an_answer_that_comes_too_late_is_unknown_and_found_by_asking(api: SelcomApi) -> None:
    api.script(replace(provider.PAID_THEN_HANGS_UP, wait_seconds=2.0))
    with pytest.raises(OutcomeUnknown):
        selcom(api, read_seconds=0.3).pay(PAYOUT)
    assert selcom(api).ask_payout(asked("P1001")) == PAID


def test_a_payout_that_was_sent_twice_is_paid_once_and_unknown(api: SelcomApi) -> None:
    selcom(api).pay(PAYOUT)
    with pytest.raises(OutcomeUnknown):
        selcom(api).pay(PAYOUT)
    assert len(api.payouts) == 1


@pytest.mark.parametrize(
    ("code", "result"), [("111", "PENDING"), ("927", "INPROGRESS"), ("000", "PENDING")]
)
def test_a_payout_in_progress_is_pending(api: SelcomApi, code: str, result: str) -> None:
    api.script(answers(code, result, reference="7", message="wait 12345"))
    assert selcom(api).pay(PAYOUT) == Status(Outcome.PENDING, "7", "7", reason="wait ####")


@pytest.mark.parametrize(
    ("fault", "alarm"),
    [
        (answers("012", "FAIL"), False),
        (answers("014", "FAILED"), False),
        (answers("010", "FAIL"), True),
        (answers("403", "FAIL"), True),
        (answers("4035", "FAIL", 403), True),
        (answers("4035", "FAIL"), True),
    ],
)
def test_a_certain_word_is_a_refusal(api: SelcomApi, fault: Fault, alarm: bool) -> None:
    api.script(fault)
    with pytest.raises(Refused) as raised:
        selcom(api).pay(PAYOUT)
    assert raised.value.alarm is alarm


@pytest.mark.parametrize("fault", [provider.TOO_MANY, answers("401", "FAIL", 401)])
def test_what_was_turned_away_at_the_door_may_be_sent_later(api: SelcomApi, fault: Fault) -> None:
    api.script(fault)
    with pytest.raises(Throttled):
        selcom(api).pay(PAYOUT)
    assert selcom(api).pay(PAYOUT) == PAID


def test_without_a_connection_nothing_was_paid() -> None:
    with SelcomApi() as gone:
        through = selcom(gone)
    with pytest.raises(Unreachable):
        through.pay(PAYOUT)


@pytest.mark.parametrize(
    "payout",
    [
        replace(PAYOUT, amount=Decimal("0.50")),
        replace(PAYOUT, currency="NGN"),
        replace(PAYOUT, msisdn="+2348030000001"),
    ],
)
def test_what_cannot_be_paid_is_refused_before_anything_is_sent(
    api: SelcomApi, payout: Payout
) -> None:
    with pytest.raises(Refused):
        selcom(api).pay(payout)
    assert api.requests == []


def test_without_a_float_nothing_is_paid(api: SelcomApi) -> None:
    settings = replace(SETTINGS, base_url=api.url, float_vendor="", float_pin="")
    through = SelcomProvider(settings, SteppedClock(), public_url=PUBLIC_URL)
    assert not through.can_pay
    with pytest.raises(Refused) as raised:
        through.pay(PAYOUT)
    assert raised.value.alarm
    assert api.requests == []


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (said("000", "SUCCESS", transid="P1001", data=[]), Outcome.SUCCEEDED),
        (said("000", "SUCCESS"), Outcome.SUCCEEDED),
        (said("000", "SUCCESS", transid="P1002"), Outcome.PENDING),
        (said("000", "PENDING", transid="P1001"), Outcome.PENDING),
        (said("111", "PENDING", transid="P1001"), Outcome.PENDING),
        (said("927", "INPROGRESS", transid="P1001"), Outcome.PENDING),
        (said("999", "AMBIGUOUS", transid="P1001", data=[]), Outcome.PENDING),
        (said("999", "FAIL", transid="P1001"), Outcome.PENDING),
        (said("012", "FAIL", transid="P1001"), Outcome.FAILED),
        (said("012", "FAIL"), Outcome.PENDING),
        (said("012", "FAIL", transid="P1002"), Outcome.PENDING),
        (said("012", "Borked", transid="P1001"), Outcome.PENDING),
        (said("010", "FAIL", transid="P1001"), Outcome.PENDING),
        (said("500", "FAIL", transid="P1001"), Outcome.PENDING),
        ({}, Outcome.PENDING),
    ],
)
def test_only_a_certain_word_about_our_payout_settles_it(
    api: SelcomApi, answer: dict[str, object], outcome: Outcome
) -> None:
    api.script(Fault(says=(200, answer)))
    assert selcom(api).ask_payout(asked("P1001")).outcome is outcome


def test_a_payout_that_was_never_sent_is_pending_and_never_failed(api: SelcomApi) -> None:
    assert selcom(api).ask_payout(asked("P9")).outcome is Outcome.PENDING


def test_no_error_repeats_the_pin(api: SelcomApi) -> None:
    for fault in (answers("012", "FAIL", message=f"PIN {PIN} wrong"), provider.BROKEN):
        api.script(fault)
        with pytest.raises(SendFailed) as raised:
            selcom(api).pay(PAYOUT)
        assert PIN not in str(raised.value)
