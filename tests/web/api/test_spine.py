"""The partner API's spine: a token is issued once, read, managed; keys and repeats are minded."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from gateway.partners.access import keys
from tests.support.clock import SteppedClock
from tests.support.partner import Partner, partner
from tests.support.wired import ADA, Wired

TOKEN = {"amount": "500.00", "recipient": ADA, "issue_ref": "order-1"}
HIDDEN = {"amount": "500.00", "digits": 11, "deliver": False, "bound": True}


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


def test_a_partner_issues_from_its_float_and_the_token_is_delivered(acme: Partner) -> None:
    made = acme.post("/tokens", TOKEN)
    assert made.status_code == 201, made.text
    assert set(made.json) == {"serial", "status", "amount", "currency", "recipient", "expires_at"}
    assert acme.wired.send_all() == 1
    shown = acme.get(f"/tokens/{made.json['serial']}")
    assert (shown.status_code, shown.json["issue_ref"]) == (200, "order-1")
    assert acme.wired.breaches() == []


def test_the_same_request_has_the_same_answer_and_one_effect(acme: Partner) -> None:
    first = acme.post("/tokens", TOKEN, "k1")
    again = acme.post("/tokens", TOKEN, "k1")
    assert (again.status_code, again.json) == (201, first.json)
    assert again.headers["Idempotent-Replayed"] == "true"
    other = acme.post("/tokens", TOKEN | {"amount": "501.00"}, "k1")
    assert (other.status_code, other.json["code"]) == (409, "key_reused")
    known = acme.post("/tokens", TOKEN)
    assert (known.json["code"], known.json["serial"]) == (
        "duplicate_issue_ref",
        first.json["serial"],
    )


def test_the_same_object_written_otherwise_is_the_same_request(acme: Partner) -> None:
    first = acme.post("/tokens", TOKEN, "k1")
    turned = dict(reversed(TOKEN.items()))
    assert acme.post("/tokens", turned, "k1").json == first.json


def test_racing_requests_with_one_key_execute_once(acme: Partner) -> None:
    app = acme.wired.app

    def send(_: int) -> tuple[int, object]:
        line = Partner(acme.wired, app.test_client(), acme.key, acme.code)
        answer = line.post("/tokens", {"amount": "100.00", "recipient": ADA}, "race")
        return answer.status_code, answer.json

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))
    assert {status for status, _ in answers} == {201}
    assert len({str(body) for _, body in answers}) == 1
    assert acme.wired.breaches() == []


def test_digits_are_shown_to_a_key_with_the_scope_alone(acme: Partner) -> None:
    shown = acme.post("/tokens", HIDDEN, "r")
    assert len(shown.json["token"]) == 11
    assert acme.post("/tokens", HIDDEN, "r").json == shown.json
    plain = acme.with_key(*keys.USUAL)
    refused = plain.post("/tokens", HIDDEN)
    assert (refused.status_code, refused.json["code"]) == (403, "forbidden")
    later = plain.post("/tokens", HIDDEN | {"recipient": ADA})
    assert (later.status_code, "token" in later.json) == (201, False)
    assert "token" not in acme.get(f"/tokens/{shown.json['serial']}").json


def test_a_wrong_key_is_unauthorised_and_a_narrow_one_forbidden(acme: Partner) -> None:
    wrong = acme.client.post("/api/v1/tokens", json=TOKEN, headers={"Authorization": "Bearer a.b"})
    assert (wrong.status_code, wrong.get_json()["code"]) == (401, "unauthorized")
    assert wrong.headers["WWW-Authenticate"] == "Bearer"
    narrow = acme.with_key(keys.READ).post("/tokens", TOKEN)
    assert (narrow.status_code, narrow.json["code"]) == (403, "forbidden")


def test_a_revoked_key_is_not_let_in_and_a_rotated_one_ends(
    acme: Partner, clock: SteppedClock
) -> None:
    wired = acme.wired
    made = wired.run(lambda c: keys.rotate(c, acme.key.key_id, "t", wired.clock.now()))
    assert acme.post("/tokens/K7M29QXD/suspend").status_code == 404
    clock.advance(days=1)
    assert acme.post("/tokens/K7M29QXD/suspend").status_code == 401
    fresh = Partner(wired, acme.client, made, acme.code)
    assert fresh.post("/tokens/K7M29QXD/suspend").status_code == 404
    wired.run(lambda c: keys.revoke(c, made.key_id, "t", "leaked", wired.clock.now()))
    assert fresh.post("/tokens/K7M29QXD/suspend").status_code == 401


def test_a_partner_sees_and_touches_its_own_tokens_alone(acme: Partner) -> None:
    serial = acme.post("/tokens", TOKEN).json["serial"]
    other = partner(acme.wired, "Other")
    for answer in (other.get(f"/tokens/{serial}"), other.post(f"/tokens/{serial}/cancel")):
        assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    assert acme.post(f"/tokens/{serial}/suspend", {"reason": "lost"}).json["status"] == "suspended"
    assert acme.post(f"/tokens/{serial}/reprint").json["code"] == "suspended"
    assert acme.post(f"/tokens/{serial}/resume").json["status"] == "issued"
    assert acme.post(f"/tokens/{serial}/resume").json["code"] == "wrong_state"
    assert acme.post(f"/tokens/{serial}/cancel").json["status"] == "cancelled"
    assert acme.wired.breaches() == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"amount": 500}, "amount"),
        ({"amount": "1e3"}, "amount"),
        ({"amount": "0.00"}, "above zero"),
        ({"digits": 12}, "digits"),
        ({"recipient": "12"}, ""),
        ({"deliver": False, "bound": "yes"}, "bound"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "past"),
        ({"expires_at": "2030-01-01T00:00:00"}, "zone"),
        ({"language": "xx"}, "language"),
        ({"colour": "red"}, "colour"),
        ({"recipient": None}, "recipient"),
    ],
)
def test_bad_input_is_refused_by_name_and_changes_nothing(
    acme: Partner, change: dict[str, object], said: str
) -> None:
    answer = acme.post("/tokens", TOKEN | change)
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_request"), answer.text
    assert answer.content_type == "application/problem+json"
    assert said in answer.json["detail"]
    assert acme.post("/tokens", TOKEN).status_code == 201


def test_a_float_is_never_overdrawn(acme: Partner) -> None:
    poor = partner(acme.wired, "Poor", fund="400.00")
    answer = poor.post("/tokens", TOKEN)
    assert (answer.status_code, answer.json["code"]) == (422, "insufficient_funds")


def test_the_description_names_every_operation(acme: Partner) -> None:
    found = acme.get("/openapi.json").json
    assert found["openapi"] == "3.1.0"
    assert set(found["paths"]["/tokens"]) >= {"post"}
