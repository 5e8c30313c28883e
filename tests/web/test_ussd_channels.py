"""The routes of the channels that send last inputs: paths, methods, secrets, errors, ends."""

from collections.abc import Iterator

import pytest

from tests.channels.sheets import SHEETS, Raw
from tests.support.log import Log, captured_log
from tests.support.wired import ADA, SECRET, Wired
from tests.ussd.speaking import LAST_INPUT, Speaker

PLAIN = "text/plain; charset=utf-8"
TELLS_ENDS = tuple(name for name in LAST_INPUT if SHEETS[name].has("end"))
JSON_BODIES = tuple(name for name in LAST_INPUT if SHEETS[name].manner["in"] == "json")


@pytest.fixture
def log() -> Iterator[Log]:
    with captured_log() as captured:
        yield captured


@pytest.mark.parametrize("name", LAST_INPUT)
@pytest.mark.parametrize("secret", ["wrong", f"{SECRET}x", "%FF", "%00"])
def test_a_wrong_secret_is_a_plain_404(wired: Wired, name: str, secret: str) -> None:
    ada = Speaker(wired, name)
    given = ada.post(ada.started(), secret)
    assert (given.status_code, given.content_type, given.get_data()) == (404, PLAIN, b"not found")


@pytest.mark.parametrize("name", LAST_INPUT)
def test_an_address_for_events_that_an_aggregator_does_not_know_is_a_404(
    wired: Wired, name: str
) -> None:
    given = wired.app.test_client().post(f"/ussd/{name}/{SECRET}/events")
    assert given.status_code == 404


@pytest.mark.parametrize(
    ("name", "target", "refused"),
    [
        ("hubtel", "", ("GET", "HEAD", "PUT", "DELETE", "OPTIONS")),
        ("hollatags", "", ("HEAD", "PUT", "DELETE", "PATCH")),
        ("infobip", "/session/S1/response", ("GET", "HEAD", "DELETE")),
    ],
)
def test_another_method_is_a_plain_405(
    wired: Wired, name: str, target: str, refused: tuple[str, ...]
) -> None:
    for method in refused:
        given = wired.app.test_client().open(f"/ussd/{name}/{SECRET}{target}", method=method)
        assert (given.status_code, given.content_type) == (405, PLAIN)
        assert "POST" in given.headers["Allow"] or name == "hollatags"


def test_hollatags_may_post_as_well(wired: Wired) -> None:
    ada = Speaker(wired, "hollatags")
    raw = ada.started()
    form = "application/x-www-form-urlencoded"
    given = ada.post(Raw("POST", "", form, raw.target[1:].encode()))
    assert given.get_data() == ada.post(raw).get_data()


def test_no_cache_keeps_an_answer_to_a_get(wired: Wired) -> None:
    ada = Speaker(wired, "hollatags")
    assert ada.post(ada.started()).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/session/S1", "/session/S1/status", "/session//start", "/S1"])
def test_infobip_has_no_other_paths(wired: Wired, path: str) -> None:
    assert wired.app.test_client().post(f"/ussd/infobip/{SECRET}{path}").status_code == 404


@pytest.mark.parametrize("name", LAST_INPUT)
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 60_000])
def test_junk_gets_a_last_screen_in_the_channels_form(wired: Wired, name: str, body: bytes) -> None:
    ada = Speaker(wired, name)
    raw = ada.said("1")
    target = "" if name == "hollatags" else raw.target
    text, ends = ada.show(Raw(raw.method, target, "application/json", body))
    assert (text[:20], ends) == ("Something went wrong", True)


@pytest.mark.parametrize("name", JSON_BODIES)
def test_a_body_too_long_gets_a_last_screen(wired: Wired, name: str) -> None:
    ada = Speaker(wired, name)
    text, ends = ada.show(ada.said("1" * 100_000))
    assert (text, ends) == ("That was too long. Please dial again.", True)
    assert ada.show(ada.said("1" * 5_000)) == (text, True)


@pytest.mark.parametrize("name", LAST_INPUT)
@pytest.mark.parametrize("phone", ["0", "MTN", "8f14e45fceea167a5a36dedd4bea2543", "2" * 40])
def test_a_number_that_is_none_gets_a_last_screen(wired: Wired, name: str, phone: str) -> None:
    text, ends = Speaker(wired, name, phone=phone).dial()
    assert text.startswith("Something went wrong")
    assert ends is (name != "infobip")


@pytest.mark.parametrize("name", TELLS_ENDS)
def test_an_end_is_answered_and_changes_nothing(wired: Wired, log: Log, name: str) -> None:
    token = wired.issue("80.00").reveal()
    ada = Speaker(wired, name)
    ada.dial()
    ada.say("1")
    log.lines()
    for _ in range(2):
        given = ada.post(ada.ended())
        assert given.status_code == 200
        assert given.content_type == SHEETS[name].channel.content_type
    assert 1 <= log.text().count('"ussd_ended"') <= 2
    assert ada.say(token)[0].startswith("You have received NGN 80.00.")
    assert ada.post(ada.other(session="unknown").ended()).status_code == 200
    assert wired.breaches() == []


@pytest.mark.parametrize("name", LAST_INPUT)
def test_neither_secret_nor_phone_nor_input_is_logged(wired: Wired, log: Log, name: str) -> None:
    token = wired.issue().reveal()
    ada = Speaker(wired, name)
    ada.dial(f"1*{token}")
    ada.dial()
    ada.say("1")
    ada.say(token)
    logged = log.text()
    for hidden in (SECRET, token, ADA, ADA[1:], token[-8:]):
        assert hidden not in logged


def test_hubtels_apps_are_turned_away(wired: Wired) -> None:
    ada = Speaker(wired, "hubtel")
    raw = ada.started()
    for platform in ("Hubtel-App", "Web", "Hubtel-POS"):
        body = raw.body.replace(b'"USSD"', f'"{platform}"'.encode())
        assert ada.show(Raw(raw.method, raw.target, raw.content_type, body))[1]
