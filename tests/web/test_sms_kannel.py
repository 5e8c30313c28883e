"""Kannel's calls through the real routes: by POST and by GET, repeated, and in other charsets."""

from urllib.parse import quote, urlencode

import pytest
from werkzeug.test import TestResponse

from tests.outbox.senders import rows_of
from tests.support.wired import ADA, SECRET, Wired
from tests.web.sms_callbacks import outcomes, stored

INBOUND = f"/sms/kannel/{SECRET}/inbound"
RECEIPTS = f"/sms/kannel/{SECRET}/receipts"
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


def text_in(
    wired: Wired, text: str, how: str, message_id: str = "m1", charset: str = "UTF-8"
) -> TestResponse:
    """A phone writes to us, by Kannel's post-url or get-url."""
    query = urlencode({"id": message_id, "from": ADA, "to": "38400", "charset": charset})
    raw = text.encode(charset)
    if how == "GET":
        return wired.client.get(f"{INBOUND}?{query}&text={quote(raw)}")
    return wired.client.post(f"{INBOUND}?{query}", data=raw, content_type="text/plain")


@pytest.mark.parametrize("how", ["POST", "GET"])
@pytest.mark.parametrize("charset", ["UTF-8", "ISO-8859-1", "UTF-16BE"])
def test_a_bare_token_is_redeemed_once_however_often_kannel_calls(
    wired: Wired, how: str, charset: str
) -> None:
    token = wired.issue("500.00").reveal()
    written = token if charset == "ISO-8859-1" else token.translate(FULL_WIDTH)
    for _ in range(3):
        answer = text_in(wired, written, how, charset=charset)
        assert (answer.status_code, answer.data) == (200, b"")  # or Kannel texts it to the phone
    assert outcomes(wired) == ["redeemed"]
    assert wired.balance() == 500
    assert wired.breaches() == []


def test_an_id_of_another_channel_is_another_message(wired: Wired) -> None:
    text_in(wired, "490750", "POST")
    form = {"id": "m1", "from": ADA, "to": "38400", "text": "490750"}
    wired.client.post(f"/sms/africastalking/{SECRET}/inbound", data=form)
    assert len(stored(wired)) == 2


@pytest.mark.parametrize("missing", ["id", "from"])
def test_a_call_without_id_or_sender_is_malformed_and_answers_nothing_readable(
    wired: Wired, missing: str
) -> None:
    fields = {"id": "m1", "from": ADA}
    del fields[missing]
    answer = wired.client.post(f"{INBOUND}?{urlencode(fields)}", data=b"490750")
    assert answer.status_code == 400
    assert stored(wired) == []


@pytest.mark.parametrize("types", [("8", "1"), ("1", "8"), ("1", "2"), ("1", "1", "16")])
def test_reports_come_in_any_order_and_never_move_a_message_back(
    wired: Wired, types: tuple[str, ...]
) -> None:
    rows = rows_of(wired)
    rows.add()
    _, lease = rows.claim()
    rows.sent(lease, "sms1-260302090000-0", "kannel")
    for kind in types:
        query = urlencode({"id": "sms1-260302090000-0", "type": kind, "to": ADA})
        assert wired.client.get(f"{RECEIPTS}?{query}").status_code == 200
    assert rows.states() == ["delivered"]


@pytest.mark.parametrize("path", ["inbound", "receipts"])
def test_a_wrong_secret_is_not_there(wired: Wired, path: str) -> None:
    answer = wired.client.get(f"/sms/kannel/wrong-secret/{path}?id=1&type=1&from=%2B1")
    assert (answer.status_code, answer.data) == (404, b"not found")
