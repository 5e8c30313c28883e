"""The API is what its description says: schemathesis calls it with what fits and what does not."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from gateway.partners.access import keys
from gateway.web.api.base import Operation
from gateway.web.api.operations import OPERATIONS
from tests.support.partner import Partner, partner
from tests.support.wired import ADA, Wired

NAMES = [operation.name for operation in OPERATIONS]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
# Whether a number is a phone or a float has enough is no matter of form; keys have a test below.
NOT_ASKED = [positive_data_acceptance, ignored_auth]
EXAMPLES = 8  # of an operation and a mode, on each engine
# The same requests on every run: a failure of last week is found again, and none comes by chance.
BOUNDED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


@pytest.fixture
def described(acme: Partner) -> Any:
    """The description, as a program reads it."""
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", acme.wired.app)


def seeded(acme: Partner) -> list[str]:
    """Serials of tokens that there are, in several states."""
    made = []
    for number, deed in enumerate(("", "suspend", "cancel", "reprint")):
        body = {"amount": "5.00", "recipient": ADA, "issue_ref": f"seed-{number}"}
        made.append(acme.post("/tokens", body).json["serial"])
        if deed:
            acme.post(f"/tokens/{made[-1]}/{deed}")
    return made


def call(acme: Partner, case: Any) -> Response:
    """Make the request as this partner, under a fresh Idempotency-Key, and hold the answer."""
    case.headers.pop("Idempotency-Key", None)
    case.headers.update(acme.headers())
    answer: Response = case.call_and_validate(excluded_checks=NOT_ASKED)
    return answer


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_one_that_is_described(
    acme: Partner, described: Any, name: str, mode: GenerationMode
) -> None:
    operation = described.find_operation_by_id(name)
    serials = seeded(acme)

    @BOUNDED
    @given(case=operation.as_strategy(generation_mode=mode), serial=st.sampled_from(serials))
    def run(case: Any, serial: str) -> None:
        if mode is GenerationMode.POSITIVE and "serial" in case.path_parameters:
            case.path_parameters["serial"] = serial
        call(acme, case)

    run()
    assert acme.wired.breaches() == []


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_no_operation_is_open_to_a_wrong_key_or_a_narrow_one(
    acme: Partner, operation: Operation
) -> None:
    path = f"/api/v1{operation.path.replace('<serial>', 'K7M29QXD')}"
    others = [scope for scope in keys.SCOPES if scope != operation.scope]
    narrow = acme.with_key(*others).headers()
    named = {"Authorization": f"Bearer {acme.key.key_id}.{acme.key.key_id}"}
    for headers, status in (({}, 401), (named, 401), (narrow, 403)):
        answer = acme.client.open(path, method=operation.method, json={}, headers=headers)
        assert answer.status_code == status, operation.name
        assert answer.content_type == "application/problem+json"
