"""What passes a token on shows none of it in its repr, which tracebacks and logs print."""

from datetime import UTC, datetime

import pytest

from gateway.channels.base import (
    Delivery,
    DeliveryReport,
    Inbound,
    InboundSms,
    LastInput,
    UssdReply,
    UssdTurn,
)
from gateway.outbox.sending import Text
from gateway.ussd.engine import Turn
from gateway.web.phone import Sms

TOKEN = "490750293453273258"
NOW = datetime(2026, 5, 3, tzinfo=UTC)
HOLDERS: tuple[object, ...] = (
    Inbound("POST", {"text": TOKEN}, {"input": TOKEN}, f"text={TOKEN}".encode()),
    UssdTurn("c", "s", "+2348030000001", "*384*1#", "62130", f"1*{TOKEN}"),
    UssdTurn("c", "s", "+2348030000001", "*384*1#", "62130", LastInput(TOKEN, 2)),
    UssdReply(f"Token {TOKEN}", ends=True),
    InboundSms("c", "id", "+2348030000001", "38400", TOKEN, NOW),
    DeliveryReport("c", "id", Delivery.FAILED, TOKEN, f"not sent: {TOKEN}"),
    Text(f"Token {TOKEN}"),
    Sms(1, "Gateway", f"Token {TOKEN}", NOW),
    Turn("c", "s", "+2348030000001", "62130", f"1*{TOKEN}", 160, NOW),
)


@pytest.mark.parametrize("holder", HOLDERS, ids=[type(holder).__name__ for holder in HOLDERS])
def test_a_repr_shows_no_token(holder: object) -> None:
    for shown in (repr(holder), str(holder), f"{[holder]}"):
        assert type(holder).__name__ in shown
        assert TOKEN not in shown
