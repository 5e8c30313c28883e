"""Sends one message through the real SDK, for the tests of every outcome."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from gateway.channels.africastalking import AfricasTalkingChannel
from gateway.channels.base import Handover
from gateway.errors import SendFailed
from gateway.settings import AfricasTalking
from tests.channels.bodies import sample

API_KEY = "atsk_1"
PHONE = "+2348030000001"
TEXT = "Token 4907 5029 3453 2732 58, NGN 500.00\n@\xa3\xe0"
JSON = "application/json"
PLAIN = "text/plain; charset=UTF-8"


def channel(
    base_url: str, *, read_seconds: float = 9.05, sender_id: str = ""
) -> AfricasTalkingChannel:
    """The channel, pointed at an emulator."""
    settings = AfricasTalking("wallet", API_KEY, sender_id=sender_id, base_url=base_url)
    return AfricasTalkingChannel(settings, (3.05, read_seconds))


def send(
    through: AfricasTalkingChannel,
    phone: str = PHONE,
    text: str = TEXT,
    sender_id: str | None = None,
) -> Handover:
    """Hand one message over."""
    return through.send(phone, text, reference="sms-1", sender_id=sender_id)


def failure(of: AfricasTalkingChannel) -> SendFailed:
    """The error that a send ends in."""
    with pytest.raises(SendFailed) as raised:
        send(of)
    return raised.value


def body(name: str) -> str:
    """A sample answer of the SMS API."""
    return sample(f"africastalking/{name}").decode()


@contextmanager
def closed_door() -> Iterator[str]:
    """The URL of a port that refuses connections and stays ours meanwhile."""
    with closing(socket.socket()) as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
