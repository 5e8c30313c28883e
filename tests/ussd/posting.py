"""Raw posts to the USSD route in Africa's Talking's form, and the raw bytes that come back."""

from collections.abc import Mapping
from urllib.parse import urlencode

from werkzeug.test import TestResponse

from tests.support.wired import ADA, SECRET, Wired

FORM = "application/x-www-form-urlencoded"
PATH = f"/ussd/africastalking/{SECRET}"


def form(text: str, session: str = "S1", phone: str = ADA, network: str = "62130") -> bytes:
    """The body of one turn, percent-encoded as the aggregator encodes it."""
    fields = {
        "sessionId": session,
        "phoneNumber": phone,
        "networkCode": network,
        "serviceCode": "*384*1#",
        "text": text,
    }
    return urlencode(fields).encode()


def answer(wired: Wired, body: bytes, headers: Mapping[str, str] | None = None) -> TestResponse:
    """The whole response to a raw body; every call has a client of its own, for threads."""
    client = wired.app.test_client()
    return client.post(PATH, data=body, content_type=FORM, headers=dict(headers or {}))


def post(
    wired: Wired, text: str, session: str = "S1", phone: str = ADA, network: str = "62130"
) -> bytes:
    """One turn; the bytes of a reply, which always is a 200 in plain text."""
    return post_raw(wired, form(text, session, phone, network))


def post_raw(wired: Wired, body: bytes) -> bytes:
    """One turn with a body as it stands on the wire."""
    given = answer(wired, body)
    assert given.status_code == 200
    assert given.content_type == "text/plain; charset=utf-8"
    reply = given.get_data()
    assert reply[:4] in (b"CON ", b"END ")
    assert reply[4:].strip()
    return reply


def play(wired: Wired, *texts: str, session: str = "S1", phone: str = ADA) -> list[bytes]:
    """Several turns of one dialogue, each text as it stands; all replies."""
    return [post(wired, text, session, phone) for text in texts]
