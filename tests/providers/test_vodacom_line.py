"""Vodacom's collections, queries and payouts over real HTTP, and what is known when they fail."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from gateway import errors
from gateway.providers.base.messages import (
    Asked,
    Callback,
    Decision,
    Notice,
    Order,
    Outcome,
    Payout,
    Status,
)
from gateway.providers.vodacom import VodacomDialect, VodacomProvider
from gateway.settings.providers import Vodacom
from tests.emulators import provider, vodacom
from tests.emulators.provider import Fault, ProviderApi, Request, Said
from tests.emulators.vodacom import VodacomApi
from tests.support.clock import START, SteppedClock

SHILLINGS = Decimal("15000.00")
ORDER = Order("ORD1001", "+255740000001", SHILLINGS, "TZS")
PAYOUT = Payout("PAY1001", "+255740000001", SHILLINGS, "TZS")
ASKED = Asked("ORD1001", "convinORD1001", START, SHILLINGS, "TZS")
ASKED_PAYOUT = Asked("PAY1001", "convoutPAY1001", START, SHILLINGS, "TZS")


@pytest.fixture(scope="module")
def shared() -> Iterator[VodacomApi]:
    """One RSA key for all tests: making one takes a while."""
    with VodacomApi() as running:
        yield running


@pytest.fixture
def api(shared: VodacomApi) -> VodacomApi:
    shared.reset()
    return shared


def settings(api: VodacomApi) -> Vodacom:
    return Vodacom(
        api_key=vodacom.API_KEY,
        public_key=api.public_key,
        service_provider="000000",
        base_url=api.url,
        origin="pay.example.com",
        pays="yes",
        session_wait="0",
    )


def ours(api: VodacomApi) -> VodacomProvider:
    return VodacomProvider(settings(api), SteppedClock(), timeout_seconds=(2.0, 1.0))


def test_a_push_says_all_that_vodacom_asks_for(api: VodacomApi) -> None:
    pushed = ours(api).push(ORDER)
    (request,) = api.sent(vodacom.PUSH)
    assert request.document == {
        "input_Amount": "15000",
        "input_Country": "TZN",
        "input_Currency": "TZS",
        "input_CustomerMSISDN": "255740000001",
        "input_ServiceProviderCode": "000000",
        "input_ThirdPartyConversationID": "inORD1001",
        "input_TransactionReference": "ORD1001",
        "input_PurchasedItemsDesc": "Top up ORD1001",
    }
    assert request.headers["origin"] == "pay.example.com"
    assert pushed.provider_ref == "convinORD1001"


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("Completed", Outcome.SUCCEEDED),
        ("Pending", Outcome.PENDING),
        ("Cancelled", Outcome.FAILED),
        ("Expired", Outcome.FAILED),
        ("Failed", Outcome.FAILED),
        ("N/A", Outcome.PENDING),
        ("completed", Outcome.PENDING),
        ("Borked", Outcome.PENDING),
        ("", Outcome.PENDING),
    ],
)
def test_the_query_tells_what_became_of_it(api: VodacomApi, word: str, outcome: Outcome) -> None:
    adapter = ours(api)
    adapter.push(ORDER)
    adapter.pay(PAYOUT)
    api.settle("inORD1001", word)
    api.settle("outPAY1001", word)
    assert adapter.ask(ASKED).outcome is outcome
    assert adapter.ask_payout(ASKED_PAYOUT).outcome is outcome
    query = api.sent(vodacom.QUERY)[0].query
    assert query["input_QueryReference"] == "inORD1001"
    assert query["input_ThirdPartyConversationID"] == "inORD1001"


def test_what_vodacom_never_heard_of_stays_pending(api: VodacomApi) -> None:
    assert ours(api).ask(ASKED) == Status(
        Outcome.PENDING, provider_ref="convinORD1001", reason="N/A"
    )


def test_a_query_that_failed_says_nothing_of_the_payment(api: VodacomApi) -> None:
    adapter = ours(api)
    adapter.pay(PAYOUT)
    api.script(vodacom.FAILED)
    assert adapter.ask_payout(ASKED_PAYOUT).outcome is Outcome.PENDING


def test_an_answer_about_another_conversation_is_not_taken(api: VodacomApi) -> None:
    other = {
        "output_ResponseCode": "INS-0",
        "output_ResponseTransactionStatus": "Completed",
        "output_ThirdPartyConversationID": "inORD9999",
    }
    api.script(Fault(says=(200, other)))
    assert ours(api).ask(ASKED).outcome is Outcome.PENDING


@pytest.mark.parametrize("synchronous", [False, True])
def test_a_payout_is_paid_only_where_the_answer_names_a_transaction(synchronous: bool) -> None:
    with VodacomApi(synchronous=synchronous) as api:
        status = ours(api).pay(PAYOUT)
    if synchronous:
        assert (status.outcome, status.txn_id) == (Outcome.SUCCEEDED, "SYNoutPAY1001")
    else:
        assert (status.outcome, status.txn_id) == (Outcome.PENDING, "")
    assert status.provider_ref == "convoutPAY1001"


FAULTS = {
    "INS-9 under 408": (vodacom.TIMED_OUT, errors.OutcomeUnknown),
    "INS-10 under 409": (Fault(says=vodacom.code("INS-10", 409)), errors.OutcomeUnknown),
    "INS-9 under 200": (Fault(says=vodacom.code("INS-9", 200)), errors.OutcomeUnknown),
    "INS-1 under 500": (Fault(says=vodacom.code("INS-1", 500)), errors.OutcomeUnknown),
    "a refusal under 500": (Fault(says=vodacom.code("INS-2006", 500)), errors.OutcomeUnknown),
    "an unknown code": (Fault(says=vodacom.code("INS-4711", 400)), errors.OutcomeUnknown),
    "success under 400": (Fault(says=vodacom.code("INS-0", 400)), errors.OutcomeUnknown),
    "silence": (provider.HANGS_UP, errors.OutcomeUnknown),
    "silence after it was taken": (provider.PAID_THEN_HANGS_UP, errors.OutcomeUnknown),
    "a prompt that outlasts our patience": (Fault(wait_seconds=1.6), errors.OutcomeUnknown),
    "HTML under 503": (provider.BROKEN, errors.OutcomeUnknown),
    "a cut answer": (provider.CUT_OFF, errors.OutcomeUnknown),
    "no JSON": (provider.NO_JSON, errors.OutcomeUnknown),
    "INS-6 under 401": (vodacom.FAILED, errors.Refused),
    "no balance": (Fault(says=vodacom.code("INS-2006", 422)), errors.Refused),
    "a wrong phone": (Fault(says=vodacom.code("INS-2051", 400)), errors.Refused),
    "too many requests": (provider.TOO_MANY, errors.Throttled),
    "a wrong key": (Fault(says=vodacom.code("INS-2", 401)), errors.Throttled),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_says_what_is_known_of_the_money(api: VodacomApi, name: str) -> None:
    fault, expected = FAULTS[name]
    adapter = ours(api)
    for act in (lambda: adapter.pay(PAYOUT), lambda: adapter.push(ORDER)):
        api.script(fault)
        with pytest.raises(errors.SendFailed) as raised:
            act()
        assert type(raised.value) is expected
    assert len(api.sent(vodacom.PAY)) == len(api.sent(vodacom.PUSH)) == 1


def test_a_payout_of_unknown_outcome_is_asked_about_and_never_paid_twice(api: VodacomApi) -> None:
    adapter = ours(api)
    api.script(provider.PAID_THEN_HANGS_UP)
    for _ in range(2):  # the second is told apart as a duplicate
        with pytest.raises(errors.OutcomeUnknown):
            adapter.pay(PAYOUT)
    api.settle("outPAY1001")
    status = adapter.ask_payout(ASKED_PAYOUT)
    assert (status.outcome, status.txn_id) == (Outcome.SUCCEEDED, "SYNoutPAY1001")
    assert list(api.payments) == ["outPAY1001"]


@pytest.mark.parametrize(
    "order",
    [
        replace(ORDER, amount=Decimal("15000.50")),
        replace(ORDER, amount=Decimal("0.00")),
        replace(ORDER, currency="KES"),
        replace(ORDER, msisdn="+254700000001"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_sent(api: VodacomApi, order: Order) -> None:
    with pytest.raises(errors.Refused):
        ours(api).push(order)
    assert api.requests == []


class Edge(ProviderApi):
    """Our side of the line: reads callbacks as the web edge does, and keeps the notices."""

    def __init__(self) -> None:
        super().__init__()
        self.notices: list[Notice] = []

    def answer(self, request: Request) -> Said:
        dialect = VodacomDialect(Vodacom(allowed_addresses=("127.0.0.1",)))
        callback = Callback("", [], request.body, "127.0.0.1", START)
        dialect.authenticate(callback)
        self.notices.append(dialect.parse(callback))
        return 200, dialect.acknowledge(callback, self.notices[-1], Decision.TAKEN).body


def test_a_callback_comes_late_twice_and_out_of_order(api: VodacomApi) -> None:
    adapter = ours(api)
    adapter.push(ORDER)
    adapter.pay(PAYOUT)
    paid, failed = api.callback("outPAY1001"), api.callback("inORD1001", "INS-2006")
    with Edge() as edge:
        assert api.call_back(edge.url, paid, failed, paid) == [200, 200, 200]
    assert [notice.reference for notice in edge.notices] == ["PAY1001", "ORD1001", "PAY1001"]
    assert edge.notices[0] == edge.notices[2]
    assert edge.notices[1].outcome is Outcome.FAILED
    assert edge.notices[1].provider_ref == "convinORD1001"
