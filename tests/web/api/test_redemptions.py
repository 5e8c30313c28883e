"""Look-ups and redemptions through the API: for a phone, once, with reasons for one's own."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from gateway.switches import board
from gateway.tokens.guesses import limits
from tests.support.clock import SteppedClock
from tests.support.partner import Partner, partner
from tests.support.wired import ADA, BELLO, Wired


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


def token_of(acme: Partner, **changes: object) -> tuple[str, str]:
    """A token that the partner was shown: its serial and its digits."""
    made = acme.post("/tokens", {"amount": "50.00", "deliver": False} | changes)
    assert made.status_code == 201, made.text
    return made.json["serial"], made.json["token"]


def test_a_token_is_looked_up_and_redeemed_into_a_wallet_once(acme: Partner) -> None:
    serial, token = token_of(acme)
    found = acme.post("/lookups", {"token": token})
    assert (found.status_code, found.json["amount"], found.json["status"]) == (
        200,
        "50.00",
        "issued",
    )
    done = acme.post("/redemptions", {"token": token, "payee": ADA}, "r1")
    assert done.status_code == 201, done.text
    assert (done.json["payee"], done.json["serial"]) == (ADA, serial)
    assert acme.post("/redemptions", {"token": token, "payee": ADA}, "r1").json == done.json
    again = acme.post("/redemptions", {"token": token, "payee": BELLO})
    assert (again.status_code, again.json["code"]) == (409, "already_redeemed")
    assert acme.wired.balance() == Decimal("50.00")
    assert acme.wired.breaches() == []


def test_racing_redemptions_pay_one_payee(acme: Partner) -> None:
    _, token = token_of(acme)
    app = acme.wired.app

    def one(number: int) -> int:
        line = Partner(acme.wired, app.test_client(), acme.key, acme.code)
        payee = f"+23480300001{number:02}"
        return line.post("/redemptions", {"token": token, "payee": payee}).status_code

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(one, range(8)))
    assert answers == [201] + [409] * 7
    assert acme.wired.breaches() == []


@pytest.mark.parametrize(
    ("deed", "code", "status"),
    [("suspend", "suspended", 409), ("cancel", "cancelled", 410)],
)
def test_a_partner_is_told_why_of_its_own_tokens_and_nobody_else(
    acme: Partner, deed: str, code: str, status: int
) -> None:
    serial, token = token_of(acme)
    acme.post(f"/tokens/{serial}/{deed}")
    answer = acme.post("/lookups", {"token": token})
    assert (answer.status_code, answer.json["code"]) == (status, code)
    other = partner(acme.wired, "Other").post("/lookups", {"token": token})
    assert (other.status_code, other.json["code"]) == (404, "not_found")


def test_an_expired_token_is_gone(acme: Partner, clock: SteppedClock) -> None:
    _, token = token_of(acme)
    clock.advance(days=32)
    assert acme.post("/redemptions", {"token": token, "payee": ADA}).json["code"] == "expired"


def test_a_token_bound_to_a_partner_redeems_through_that_partner_alone(acme: Partner) -> None:
    _, token = token_of(acme, bound=True)
    other = partner(acme.wired, "Other")
    body = {"token": token, "payee": ADA}
    assert other.post("/redemptions", body).json["code"] == "not_found"
    assert acme.wired.redeem(token).answer == "not_valid"
    assert acme.post("/redemptions", body).status_code == 201


def test_a_token_bound_to_a_phone_goes_to_that_phone_alone(acme: Partner) -> None:
    _, token = token_of(acme, bound=True, recipient=ADA)
    wrong = acme.post("/redemptions", {"token": token, "payee": BELLO})
    assert (wrong.status_code, wrong.json["code"]) == (403, "forbidden")
    assert acme.post("/redemptions", {"token": token, "payee": ADA}).status_code == 201


def test_misses_are_limited_and_a_repeat_of_one_is_not_counted(acme: Partner) -> None:
    wrong = {"token": "490750293453273258"}
    for _ in range(3):
        assert acme.post("/lookups", wrong, "same").json["code"] == "not_found"
    for _ in range(limits.PARTNER.an_hour - 1):
        acme.post("/lookups", wrong)
    answer = acme.post("/lookups", wrong)
    assert (answer.status_code, answer.json["code"]) == (429, "limited")
    assert int(answer.headers["Retry-After"]) > 0


def test_a_mistyped_token_is_an_invalid_request(acme: Partner) -> None:
    answer = acme.post("/lookups", {"token": "490750293453273259"})
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_request")
    assert "490750" not in answer.text


def test_a_paused_redeem_answers_503_and_the_token_stays(acme: Partner) -> None:
    _, token = token_of(acme)
    wired = acme.wired
    now = wired.clock.now()
    wired.run(lambda c: board.throw(c, "redeem", "test", "drill", now, pause=True))
    answer = acme.post("/redemptions", {"token": token, "payee": ADA})
    assert (answer.status_code, answer.json["code"]) == (503, "temporarily_unavailable")


def test_a_test_key_plays_everything_and_moves_nothing(acme: Partner) -> None:
    wired, play = acme.wired, acme.with_key(test=True)
    made = play.post("/tokens", {"amount": "75.00", "recipient": ADA, "issue_ref": "t1"})
    assert (made.json["currency"], made.json["recipient"]) == ("XTS", ADA)
    assert wired.send_all() == 0
    _, token = token_of(play)
    assert acme.post("/lookups", {"token": token}).json["code"] == "not_found"
    assert wired.redeem(token).answer == "not_valid"
    done = play.post("/redemptions", {"token": token, "payee": ADA})
    assert (done.status_code, done.json["payee"]) == (201, ADA)
    assert (wired.send_all(), wired.balance()) == (0, Decimal("0.00"))
    assert acme.get("/float").json["balance"] == "10000.00"
    assert play.get("/float").json["balance"] == "999875.00"
    assert acme.get(f"/tokens/{made.json['serial']}").status_code == 404
    assert wired.breaches() == []
    assert "XTS" not in wired.dial(ADA, text="3").body
