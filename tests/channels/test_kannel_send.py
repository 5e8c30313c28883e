"""Sending over Kannel: what is accepted, refused, tried later, and never known."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import closing

import pytest

from gateway.channels.base import Handover
from gateway.channels.kannel import KannelChannel
from gateway.errors import OutcomeUnknown, Refused, SendFailed, Throttled, Unreachable
from gateway.settings.kannel import Kannel
from tests.channels.sending import PHONE, TEXT, closed_door
from tests.emulators.provider import HANGS_UP, Fault
from tests.emulators.sendsms import BUFFERED, PASSWORD, USERNAME, Sendsms, says

RECEIPTS = "http://127.0.0.1:8000/sms/kannel/s3cret/receipts"
REFERENCE = "sms17-261130231213-0"


@pytest.fixture
def api() -> Iterator[Sendsms]:
    """The emulated sendsms."""
    with Sendsms() as running:
        yield running


def channel(
    url: str,
    *,
    password: str = PASSWORD,
    sender: str = "POWER",
    receipts: str = RECEIPTS,
    read_seconds: float = 5.0,
) -> KannelChannel:
    """A channel that waits only a little."""
    return KannelChannel(Kannel(url, USERNAME, password, sender), receipts, (1.0, read_seconds))


def send(
    through: KannelChannel, to: str = PHONE, text: str = TEXT, sender_id: str | None = None
) -> Handover:
    """Hand one message over."""
    return through.send(to, text, reference=REFERENCE, sender_id=sender_id)


def failure(of: KannelChannel) -> SendFailed:
    """The error that a send ends in."""
    with pytest.raises(SendFailed) as raised:
        send(of)
    return raised.value


def test_an_accepted_message_is_known_by_our_reference(api: Sendsms) -> None:
    assert send(channel(api.sendsms_url)) == Handover(REFERENCE)


def test_a_message_that_waits_for_the_smsc_is_handed_over(api: Sendsms) -> None:
    api.script(Fault(says=(202, BUFFERED)))
    assert send(channel(api.sendsms_url)) == Handover(REFERENCE)


def test_a_yes_that_is_cut_off_is_a_yes(api: Sendsms) -> None:
    api.script(Fault(short_by=10))
    assert send(channel(api.sendsms_url)) == Handover(REFERENCE)


def test_what_is_said_stands_in_headers_and_body_and_nothing_in_the_url(api: Sendsms) -> None:
    send(channel(api.sendsms_url))
    (request,) = api.requests
    assert (request.method, request.query, request.body) == ("POST", {}, TEXT.encode())
    assert request.headers["content-type"] == "text/plain; charset=utf-8"
    told = {name: value for name, value in request.headers.items() if "kannel" in name}
    assert told == {
        "x-kannel-username": USERNAME,
        "x-kannel-password": PASSWORD,
        "x-kannel-to": PHONE,
        "x-kannel-from": "POWER",
        "x-kannel-coding": "0",
        "x-kannel-dlr-mask": "31",
        "x-kannel-dlr-url": f"{RECEIPTS}?id={REFERENCE}&type=%d&to=%p",
    }


@pytest.mark.parametrize(("text", "coding"), [("5 \u20ac [x]", "0"), ("\u20a65", "2")])
def test_what_the_alphabet_lacks_goes_out_as_ucs2_and_not_as_a_question_mark(
    api: Sendsms, text: str, coding: str
) -> None:
    send(channel(api.sendsms_url), text=text)
    assert api.requests[0].headers["x-kannel-coding"] == coding


@pytest.mark.parametrize(
    ("ours", "given", "wired"),
    [
        ("POWER", None, "POWER"),
        ("POWER", "SHOP", "SHOP"),
        ("POWER", "Caf\xe9", "POWER"),
        ("POWER", "A\r\nX-Kannel-To: 1", "POWER"),
        ("POWER", "S" * 17, "POWER"),
    ],
)
def test_a_sender_that_no_header_can_carry_gives_way_to_ours(
    api: Sendsms, ours: str, given: str | None, wired: str
) -> None:
    send(channel(api.sendsms_url, sender=ours), sender_id=given)
    assert api.requests[0].headers["x-kannel-from"] == wired


def test_without_an_address_of_ours_no_reports_are_asked_for(api: Sendsms) -> None:
    send(channel(api.sendsms_url, receipts=""))
    assert not [name for name in api.requests[0].headers if "dlr" in name]


@pytest.mark.parametrize("to", ["", "2348030000001", "+234803000000a", f"{PHONE}\n", "MTN"])
def test_what_is_not_e164_never_reaches_the_line_and_goes_nowhere_else(
    api: Sendsms, to: str
) -> None:
    with pytest.raises(Refused) as refused:
        send(channel(api.sendsms_url), to)
    assert refused.value.everywhere
    assert api.requests == []


def test_an_empty_message_never_reaches_the_line(api: Sendsms) -> None:
    with pytest.raises(Refused):
        send(channel(api.sendsms_url), text="")
    assert api.requests == []


# Status, words, what it means, whether somebody has to act.
ANSWERS: tuple[tuple[int, str, type[SendFailed], bool], ...] = (
    (403, "Authorization failed for sendsms", Throttled, True),
    (403, "Not routable. Do not try again.", Refused, True),
    (400, "Sender missing and no global set, rejected", Throttled, True),
    (400, "Number(s) has/have been denied by white- and/or black-lists.", Refused, False),
    (400, "Coding field misformed, rejected", Refused, True),
    (400, "Invalid content-type", Refused, True),
    (404, "Unknown request.", Throttled, True),
    (405, "", Throttled, True),
    (301, "", Throttled, True),
    (307, "", Throttled, True),
    (401, "", Throttled, True),
    (429, "", Throttled, False),
    (413, "", Refused, True),
    (503, "Temporal failure, try again later.", Throttled, False),
)


@pytest.mark.parametrize(("status", "words", "kind", "alarm"), ANSWERS)
def test_an_answer_says_who_has_to_act(
    api: Sendsms, status: int, words: str, kind: type[SendFailed], alarm: bool
) -> None:
    api.script(says(status, words))
    error = failure(channel(api.sendsms_url))
    assert type(error) is kind
    assert isinstance(error, Throttled | Refused)
    assert error.alarm is alarm
    assert not (isinstance(error, Refused) and error.everywhere)  # another channel may take it


@pytest.mark.parametrize(
    "fault",
    [
        says(200, "0: Accepted for delivery"),
        says(202, ""),
        says(202, "<html>"),
        says(202, "Sent."),
        says(500, "Internal Server Error"),
        says(502, "<html>Bad Gateway</html>"),
        says(503, "<html>Service Unavailable</html>"),
        says(504, ""),
        HANGS_UP,
        Fault(wait_seconds=3.0),
    ],
)
def test_an_answer_that_says_nothing_leaves_the_outcome_unknown(api: Sendsms, fault: Fault) -> None:
    api.script(fault)
    assert type(failure(channel(api.sendsms_url, read_seconds=0.5))) is OutcomeUnknown


def test_a_refused_connection_is_unreachable() -> None:
    with closed_door() as url:
        error = failure(channel(url))
    assert (type(error), error.reason) == (Unreachable, "no connection: ConnectionRefusedError")


def test_a_host_that_is_not_found_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_found(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", not_found)
    assert type(failure(channel("http://kannel.example/cgi-bin/sendsms"))) is Unreachable


def test_a_certificate_that_is_not_trusted_is_unreachable(
    api: Sendsms, monkeypatch: pytest.MonkeyPatch
) -> None:
    def untrusted(*_: object, **__: object) -> None:
        raise ssl.SSLCertVerificationError(1, "certificate verify failed")

    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", untrusted)
    assert type(failure(channel(api.sendsms_url.replace("http://", "https://")))) is Unreachable
    assert api.requests == []


def test_a_server_that_takes_the_line_and_hangs_leaves_the_outcome_unknown() -> None:
    with closing(socket.socket()) as full:
        full.bind(("127.0.0.1", 0))
        full.listen(1)
        url = f"http://127.0.0.1:{full.getsockname()[1]}"
        assert type(failure(channel(url, read_seconds=0.3))) is OutcomeUnknown


@pytest.mark.parametrize("words", [f"cannot send: {TEXT}", "denied 490750293453273258"])
@pytest.mark.parametrize("status", [400, 403, 500])
def test_no_error_repeats_digits_that_an_answer_echoes(
    api: Sendsms, status: int, words: str
) -> None:
    api.script(says(status, words))
    error = failure(channel(api.sendsms_url))
    said = f"{error} {error!r} {error.reason}".replace(f"HTTP {status}", "")
    assert not [c for c in said if c.isdigit()]
    assert PASSWORD not in said


def test_a_look_at_kannel_sends_nothing(api: Sendsms) -> None:
    assert channel(api.sendsms_url).check() == "answers"
    assert "KANNEL_CALLBACK_URL" in channel(api.sendsms_url, receipts="").check()
    assert [request.headers.get("x-kannel-to") for request in api.requests] == [None, None]


def test_a_look_finds_wrong_credentials_and_a_wrong_address(api: Sendsms) -> None:
    with pytest.raises(Throttled, match="credentials refused"):
        channel(api.sendsms_url, password="wrong").check()
    with pytest.raises(Throttled, match="KANNEL_SENDSMS_URL"):
        channel(f"{api.url}/elsewhere").check()
    with closed_door() as url, pytest.raises(Unreachable):
        channel(url).check()
