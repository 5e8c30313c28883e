"""The demo's SMS channel."""

import pytest

from gateway.channels.base import Malformed, SmsChannel
from gateway.channels.simulator import SimulatorChannel
from tests.channels.bodies import inbound

CHANNEL: SmsChannel = SimulatorChannel()


def test_a_message_handed_over_is_delivered() -> None:
    handover = CHANNEL.send("+2348030000001", "Hello", reference="sms-17", sender_id=None)
    assert (handover.message_id, handover.delivered) == ("sim-sms-17", True)


def test_another_try_of_the_same_message_has_the_same_id() -> None:
    tries = {
        CHANNEL.send("+2348030000001", "Hello", reference="sms-17", sender_id=None).message_id
        for _ in range(2)
    }
    assert len(tries) == 1


def test_nothing_calls_back() -> None:
    with pytest.raises(Malformed):
        CHANNEL.parse_message(inbound(b"id=1&from=%2B2348030000001&text=BAL"))
    with pytest.raises(Malformed):
        CHANNEL.parse_report(inbound(b"id=sim-1&status=Success"))
