"""Daraja's payouts from the request to the callback, in whatever order the callbacks come."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from gateway.errors import Misconfigured, OutcomeUnknown, Refused
from gateway.providers.base.messages import (
    Asked,
    Callback,
    Decision,
    Dialect,
    Kind,
    Notice,
    Order,
    Outcome,
    Payout,
)
from gateway.providers.daraja import DarajaProvider
from gateway.providers.daraja_callbacks import DarajaB2c, DarajaStk
from gateway.settings.providers import Daraja
from tests.emulators import daraja, provider
from tests.emulators.daraja import DarajaApi
from tests.emulators.provider import Fault, ProviderApi, Request, Said
from tests.support.clock import START, SteppedClock

SHILLINGS = Decimal("1500.00")
PAYOUT = Payout("PAY1001", "+254700000001", SHILLINGS, "KES")
ASKED = Asked("PAY1001", "AG_PAY1001", START, SHILLINGS, "KES")
SETTINGS = Daraja(
    consumer_key=daraja.KEY,
    consumer_secret=daraja.SECRET,
    shortcode="600000",
    passkey="synthetic-passkey",
    initiator="synthetic-initiator",
    security_credential="synthetic-credential",
    allowed_addresses=("127.0.0.1",),
)


class Edge(ProviderApi):
    """Our side of the line: reads callbacks as the web edge does, and keeps the notices."""

    prefix = "/webhooks/daraja/5ec2e7"

    def __init__(self, *dialects: Dialect) -> None:
        super().__init__()
        self.dialects = dialects
        self.notices: list[Notice] = []
        self.public_url = self.url.removesuffix(self.prefix)

    def answer(self, request: Request) -> Said:
        part = request.path.removeprefix("/")
        (dialect,) = (dialect for dialect in self.dialects if part in dialect.parts)
        callback = Callback(part, [], request.body, "127.0.0.1", START)
        dialect.authenticate(callback)
        self.notices.append(dialect.parse(callback))
        answer = dialect.acknowledge(callback, self.notices[-1], Decision.TAKEN)
        return answer.status, answer.body

    @property
    def outcomes(self) -> Sequence[Outcome]:
        return [notice.outcome for notice in self.notices]


@pytest.fixture
def api() -> Iterator[DarajaApi]:
    with DarajaApi() as running:
        yield running


@pytest.fixture
def edge() -> Iterator[Edge]:
    with Edge(DarajaStk(SETTINGS), DarajaB2c(SETTINGS)) as running:
        yield running


def ours(api: DarajaApi, edge: Edge) -> DarajaProvider:
    return DarajaProvider(
        replace(SETTINGS, base_url=api.url),
        SteppedClock(),
        public_url=edge.public_url,
        callback_secret="5ec2e7",
        timeout_seconds=(2.0, 1.0),
    )


def test_a_payout_that_is_accepted_is_not_yet_paid(api: DarajaApi, edge: Edge) -> None:
    status = ours(api, edge).pay(PAYOUT)
    assert (status.outcome, status.provider_ref) == (Outcome.PENDING, "AG_PAY1001")
    (request,) = api.sent(daraja.PAY)
    assert request.document == {
        "OriginatorConversationID": "PAY1001",
        "InitiatorName": "synthetic-initiator",
        "SecurityCredential": "synthetic-credential",
        "CommandID": "BusinessPayment",
        "Amount": 1500,
        "PartyA": "600000",
        "PartyB": "254700000001",
        "Remarks": "Withdrawal",
        "QueueTimeOutURL": f"{edge.url}/b2c/timeout",
        "ResultURL": f"{edge.url}/b2c/result",
        "Occassion": "PAY1001",
    }


def test_a_payout_that_is_sent_again_is_made_once(api: DarajaApi, edge: Edge) -> None:
    api.script(provider.PAID_THEN_HANGS_UP)
    with pytest.raises(OutcomeUnknown):
        ours(api, edge).pay(PAYOUT)
    assert ours(api, edge).pay(PAYOUT).outcome is Outcome.PENDING  # 500.002.1001
    assert len(api.payouts) == 1


def test_a_response_code_other_than_zero_leaves_a_payout_open(api: DarajaApi, edge: Edge) -> None:
    api.script(Fault(says=(200, {"ResponseCode": "1", "ResponseDescription": "no"})))
    with pytest.raises(OutcomeUnknown):
        ours(api, edge).pay(PAYOUT)


def test_a_result_arrives_late_and_twice(api: DarajaApi, edge: Edge) -> None:
    ours(api, edge).pay(PAYOUT)
    api.finish("PAY1001")
    result = api.result("PAY1001")
    url = api.payouts["PAY1001"]["ResultURL"]
    assert api.call_back(url, result, result) == [200, 200]
    first, again = edge.notices
    assert first == again
    assert (first.kind, first.outcome) == (Kind.PAYOUT, Outcome.SUCCEEDED)
    assert (first.reference, first.provider_ref) == ("PAY1001", "AG_PAY1001")
    assert (first.txn_id, first.amount) == ("SYNPAY1001", SHILLINGS)


def test_a_time_out_after_the_result_takes_nothing_back(api: DarajaApi, edge: Edge) -> None:
    ours(api, edge).pay(PAYOUT)
    api.finish("PAY1001")
    payout = api.payouts["PAY1001"]
    api.call_back(payout["ResultURL"], api.result("PAY1001"))
    api.call_back(payout["QueueTimeOutURL"], api.result("PAY1001"))
    assert edge.outcomes == [Outcome.SUCCEEDED, Outcome.PENDING]


def test_a_question_is_answered_at_the_result_url(api: DarajaApi, edge: Edge) -> None:
    adapter = ours(api, edge)
    adapter.pay(PAYOUT)
    assert adapter.ask_payout(ASKED).outcome is Outcome.PENDING
    api.finish("PAY1001")
    assert adapter.ask_payout(ASKED).outcome is Outcome.PENDING
    url = api.questions[1]["ResultURL"]
    api.call_back(url, api.question_result(1))
    (notice,) = edge.notices
    assert (notice.reference, notice.outcome) == ("PAY1001", Outcome.SUCCEEDED)
    assert (notice.txn_id, notice.amount) == ("SYNPAY1001", SHILLINGS)
    assert notice.event_id


def test_an_answer_with_a_made_up_proof_is_not_believed(api: DarajaApi, edge: Edge) -> None:
    adapter = ours(api, edge)
    adapter.pay(PAYOUT)
    adapter.ask_payout(ASKED)
    api.finish("PAY1001", 1)
    forged = {**api.questions[0], "Occasion": "PAY1001" + "0" * 64}
    api.questions.append(forged)
    api.call_back(forged["ResultURL"], api.question_result(1), api.question_result(0))
    assert edge.outcomes == [Outcome.PENDING, Outcome.FAILED]
    assert [bool(notice.event_id) for notice in edge.notices] == [False, True]


def test_a_question_fits_the_field_that_carries_its_proof(api: DarajaApi, edge: Edge) -> None:
    adapter = ours(api, edge)
    adapter.ask_payout(replace(ASKED, reference="PAY123456789"))
    (question,) = api.questions
    assert len(question["Occasion"]) <= 100
    assert question["Occasion"].isalnum()
    assert question["OriginatorConversationID"] == "PAY123456789"


def test_a_question_that_is_refused_leaves_a_payout_open(api: DarajaApi, edge: Edge) -> None:
    api.script(daraja.BAD_PHONE)
    assert ours(api, edge).ask_payout(ASKED).outcome is Outcome.PENDING
    api.script(provider.HANGS_UP)
    with pytest.raises(OutcomeUnknown):
        ours(api, edge).ask_payout(ASKED)


def test_a_push_is_called_back_at_the_url_it_named(api: DarajaApi, edge: Edge) -> None:
    pushed = ours(api, edge).push(Order("ORD1001", "+254700000001", SHILLINGS, "KES"))
    for code in ("1037", "0"):
        api.settle(pushed.provider_ref, code)
        url = api.pushes[pushed.provider_ref]["CallBackURL"]
        api.call_back(url, api.stk_callback(pushed.provider_ref))
    failed, succeeded = edge.notices
    assert (failed.outcome, succeeded.outcome) == (Outcome.FAILED, Outcome.SUCCEEDED)
    assert failed.provider_ref == succeeded.provider_ref == pushed.provider_ref
    assert succeeded.amount == SHILLINGS


def test_without_an_initiator_nothing_is_paid_out(api: DarajaApi, edge: Edge) -> None:
    collects = replace(SETTINGS, base_url=api.url, initiator="", security_credential="")
    adapter = DarajaProvider(
        collects, SteppedClock(), public_url=edge.public_url, callback_secret="5ec2e7"
    )
    assert not adapter.can_pay
    with pytest.raises(Refused):
        adapter.pay(PAYOUT)
    assert api.sent(daraja.PAY) == []


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"consumer_key": ""}, "CONSUMER_KEY"),
        ({"consumer_secret": ""}, "CONSUMER_SECRET"),
        ({"passkey": "a\nb"}, "PASSKEY"),
        ({"shortcode": ""}, "SHORTCODE"),
        ({"shortcode": "6000x"}, "SHORTCODE"),
        ({"initiator": ""}, "INITIATOR"),
        ({"security_credential": ""}, "SECURITY_CREDENTIAL"),
        ({"base_url": "api.example.com"}, "BASE_URL"),
    ],
)
def test_settings_that_cannot_work_are_named_at_start(changes: dict[str, str], named: str) -> None:
    unusable = replace(SETTINGS, **changes)  # type: ignore[arg-type]
    with pytest.raises(Misconfigured, match=named):
        DarajaProvider(
            unusable,
            SteppedClock(),
            public_url="https://pay.example.com",
            callback_secret="5ec2e7",
        )


@pytest.mark.parametrize(
    ("public_url", "secret", "named"),
    [
        ("", "5ec2e7", "PUBLIC_URL"),
        ("pay.example.com", "5ec2e7", "PUBLIC_URL"),
        ("https://mpesa.example.com", "5ec2e7", "PUBLIC_URL"),
        ("https://pay.example.com", "", "CALLBACK_SECRET"),
        ("https://pay.example.com", "my-SQL-secret", "CALLBACK_SECRET"),
    ],
)
def test_an_address_that_safaricom_would_refuse_is_named_at_start(
    public_url: str, secret: str, named: str
) -> None:
    with pytest.raises(Misconfigured, match=named) as raised:
        DarajaProvider(SETTINGS, SteppedClock(), public_url=public_url, callback_secret=secret)
    assert "secret" not in str(raised.value)


def test_a_provider_shows_no_secret_of_its_own(api: DarajaApi, edge: Edge) -> None:
    shown = repr(ours(api, edge)) + repr(SETTINGS)
    for secret in (daraja.SECRET, "synthetic-passkey", "synthetic-credential", "5ec2e7"):
        assert secret not in shown
