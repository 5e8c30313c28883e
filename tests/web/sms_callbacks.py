"""Posts what Africa's Talking posts about SMS, through the real routes, in process."""

from collections.abc import Sequence

from sqlalchemy import select
from werkzeug.test import TestResponse

from gateway.outbox.store import Message
from gateway.sms.store import inbound_sms
from tests.outbox.senders import rows_of
from tests.support.wired import ADA, SECRET, Wired

INBOUND = f"/sms/africastalking/{SECRET}/inbound"
RECEIPTS = f"/sms/africastalking/{SECRET}/receipts"


def text_in(wired: Wired, text: str, message_id: str, sender: str = ADA) -> TestResponse:
    """A phone writes to us."""
    form = {
        "id": message_id,
        "from": sender,
        "to": "38400",
        "text": text,
        "date": "2026-03-02 09:00:00",
        "linkId": "",
    }
    return wired.app.test_client().post(INBOUND, data=form)


def receipt_in(wired: Wired, message_id: str, status: str, phone: str = ADA) -> TestResponse:
    """A delivery report."""
    form = {"id": message_id, "status": status, "phoneNumber": phone, "networkCode": "62130"}
    return wired.app.test_client().post(RECEIPTS, data=form)


def stored(wired: Wired) -> Sequence[tuple[str, str, str]]:
    """(sender, masked text, outcome) of every message kept, oldest first."""
    c = inbound_sms.c
    kept = select(c.sender, c.masked_text, c.outcome).order_by(c.id)
    return wired.run(lambda connection: [tuple(row) for row in connection.execute(kept)])


def outcomes(wired: Wired) -> list[str]:
    """What came of every message, oldest first."""
    return [outcome for _, _, outcome in stored(wired)]


def replies(wired: Wired) -> list[Message]:
    """The outbox."""
    return rows_of(wired).all()
