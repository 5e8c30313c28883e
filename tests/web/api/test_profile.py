"""A partner's profile over the API: read, and held to by every issue, with test money too."""

import pytest

from gateway.partners.events import store as events
from gateway.web.api.event_models import EventPage
from tests.partners.test_terms import agree
from tests.support.log import captured_log
from tests.support.partner import Partner, partner
from tests.support.wired import ADA, Wired

TOKEN = {"amount": "500.00", "recipient": ADA}


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


def test_a_profile_shows_what_is_agreed_and_our_usual_for_the_rest(acme: Partner) -> None:
    agree(acme.wired, sender_id="ACME", day_max="800", language="fr")
    found = acme.get("/profile").json
    assert found == {
        "code": "acme",
        "name": "Acme",
        "status": "active",
        "currency": "NGN",
        "sender_id": "ACME",
        "language": "fr",
        "expiry": "30d",
        "token_max": None,
        "day_max": "800.00",
        "low_float": None,
        "sms_texts": {},
    }


@pytest.mark.parametrize("test", [False, True])
def test_a_cap_refuses_with_its_name_and_what_is_left_and_changes_nothing(
    acme: Partner, test: bool
) -> None:
    line = acme.with_key(test=True) if test else acme
    agree(acme.wired, token_max="600", day_max="800")
    above = line.post("/tokens", TOKEN | {"amount": "600.01"})
    told = {name: above.json[name] for name in ("status", "code", "cap", "most")}
    assert told == {"status": 422, "code": "limit_exceeded", "cap": "token_max", "most": "600.00"}
    assert line.post("/tokens", TOKEN).status_code == 201
    beyond = line.post("/tokens", TOKEN)
    assert (beyond.json["cap"], beyond.json["most"]) == ("day_max", "300.00")
    assert line.post("/tokens", TOKEN | {"amount": "300.00"}).status_code == 201
    assert acme.wired.breaches() == []


def test_the_days_of_test_and_real_money_do_not_mix(acme: Partner) -> None:
    agree(acme.wired, day_max="500")
    assert acme.with_key(test=True).post("/tokens", TOKEN).status_code == 201
    assert acme.post("/tokens", TOKEN).status_code == 201


def test_a_token_of_which_nothing_is_said_ends_as_agreed(acme: Partner) -> None:
    agree(acme.wired, expiry="12h")
    made = acme.post("/tokens", TOKEN).json
    assert made["expires_at"] == "2026-03-02T21:00:00Z"
    said = TOKEN | {"expires_at": "2026-03-05T00:00:00Z"}
    assert acme.post("/tokens", said).json["expires_at"] == "2026-03-05T00:00:00Z"


def test_a_low_float_of_test_money_is_told_to_its_partner_and_alarms_no_operator(
    acme: Partner,
) -> None:
    agree(acme.wired, low_float="100000")
    play = acme.with_key(test=True)
    with captured_log() as log:
        made = play.post("/tokens", {"amount": "950000.00", "deliver": False})
    assert made.status_code == 201, made.text
    assert [line for line in log.lines() if line["event"] == "float_low"] == []
    (event,) = play.get("/events?after=0").json["events"]
    assert event["type"] == "float.low"


def test_a_low_float_is_an_event_once(acme: Partner) -> None:
    agree(acme.wired, low_float="9400")
    serials = [acme.post("/tokens", TOKEN).json["serial"] for _ in range(3)]
    found = acme.wired.run(lambda c: [events.has_cause(c, f"float.low:{s}") for s in serials])
    assert found == [False, True, False]
    (event,) = EventPage.model_validate_json(acme.get("/events").text).events
    assert (event.type, event.data.serial) == ("float.low", serials[1])
    assert (event.data.balance, event.data.low_float) == ("9000.00", "9400.00")
