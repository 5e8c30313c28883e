"""The SMS callbacks: stored once, answered 200 once stored, and never repeated for nothing."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

import pytest
from flask import Flask
from sqlalchemy import Connection, select

from gateway.database.engine import Database, Deadline
from gateway.errors import CommitUnknown
from gateway.sms.inbound import TEXT_MAX
from gateway.sms.store import inbound_sms
from gateway.web import requests, sms
from tests.channels.bodies import sample
from tests.outbox.senders import rows_of
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.races import race
from tests.support.wired import ADA, SECRET, Wired
from tests.web.sms_callbacks import (
    INBOUND,
    RECEIPTS,
    outcomes,
    receipt_in,
    replies,
    stored,
    text_in,
)

FORM = "application/x-www-form-urlencoded"
T = TypeVar("T")


def test_a_repeat_of_a_message_acts_once_and_is_answered_each_time(wired: Wired) -> None:
    token = wired.issue("500.00").reveal()
    answers = [text_in(wired, token, "m1").status_code for _ in range(5)]
    assert answers == [200] * 5
    assert outcomes(wired) == ["redeemed"]
    assert [message.template for message in replies(wired)] == ["redeemed"]
    assert str(wired.balance()) == "500.00"
    assert wired.breaches() == []


class FailsAfterCommit(Database):
    """Loses the first answer after its COMMIT, as a handler that dies there does."""

    lost = False

    def run(
        self,
        work: Callable[[Connection], T],
        *,
        deadline: Deadline | None = None,
        keyed: bool = False,
    ) -> T:
        result = super().run(work, deadline=deadline, keyed=keyed)
        if not self.lost:
            self.lost = True
            raise CommitUnknown("no answer to COMMIT")
        return result


def test_a_handler_that_fails_after_its_commit_acts_once(wired: Wired, database_url: str) -> None:
    token = wired.issue("500.00").reveal()
    parts = wired.gateway.sms_parts()
    failing = FailsAfterCommit(database_url)
    app = Flask(__name__)
    requests.install(app)
    app.register_blueprint(sms.blueprint(replace(parts, database=failing)))
    wired.app = app
    answers = [text_in(wired, token, "m1").status_code for _ in range(5)]
    assert answers == [503, 200, 200, 200, 200]
    assert outcomes(wired) == ["redeemed"]
    assert len(replies(wired)) == 1
    failing.dispose()


def test_many_copies_at_once_make_one_redemption_and_one_reply(wired: Wired) -> None:
    token = wired.issue("500.00").reveal()
    answers = race(8, lambda _: text_in(wired, token, "m1").status_code)
    assert answers == [200] * 8
    assert outcomes(wired) == ["redeemed"]
    assert len(replies(wired)) == 1
    assert str(wired.balance()) == "500.00"


def test_the_same_text_under_a_new_id_is_a_new_message(wired: Wired, clock: SteppedClock) -> None:
    text_in(wired, "490750", "m1")
    clock.advance(minutes=10)
    text_in(wired, "490750", "m2")
    assert outcomes(wired) == ["mistyped", "mistyped"]
    assert len(replies(wired)) == 2


def test_an_id_used_again_for_another_text_acts_once_and_is_logged(wired: Wired) -> None:
    first, second = wired.issue().reveal(), wired.issue().reveal()
    text_in(wired, first, "m1")
    with captured_log() as log:
        assert text_in(wired, second, "m1").status_code == 200
        lines = [line for line in log.lines() if line["event"] == "sms_id_reused_with_other_text"]
    assert [line["level"] for line in lines] == ["warning"]
    assert str(wired.balance()) == "100.00"
    assert outcomes(wired) == ["redeemed"]


def test_ids_are_compared_exactly(wired: Wired) -> None:
    for message_id in ("Qk7", "qK7", "Qk7 "):
        text_in(wired, "hello", message_id)
    assert len(stored(wired)) == 3


@pytest.mark.parametrize(
    ("name", "sent_at"),
    [
        ("sms-iso-date", datetime(2026, 5, 3, 6, 4, 45, tzinfo=UTC)),
        ("sms-spaced-date", datetime(2026, 5, 3, 6, 4, 45, tzinfo=UTC)),
        ("sms-odd-date", None),
        ("sms-no-date", None),
    ],
)
def test_an_odd_date_loses_no_message(
    wired: Wired, clock: SteppedClock, name: str, sent_at: datetime | None
) -> None:
    body = sample(f"africastalking/{name}.form")
    with captured_log() as log:
        assert wired.client.post(INBOUND, data=body, content_type=FORM).status_code == 200
        dated = [line["dated"] for line in log.lines() if line["event"] == "sms_received"]
    assert dated == [sent_at is not None]
    kept = select(inbound_sms.c.sent_at, inbound_sms.c.received_at)
    assert wired.run(lambda c: tuple(c.execute(kept).one())) == (sent_at, clock.now())


@pytest.mark.parametrize("sender", ["MTN", "38400", "Ada's Shop", "+123", "A" * 60])
def test_a_sender_that_is_no_phone_is_kept_and_ignored(wired: Wired, sender: str) -> None:
    token = wired.issue().reveal()
    assert text_in(wired, token, "m1", sender=sender).status_code == 200
    assert stored(wired) == [(sender[:32], "#" * 18, "no_phone")]
    assert replies(wired) == []


def test_a_text_too_long_to_be_a_token_is_kept_in_part_and_never_acted_on(wired: Wired) -> None:
    token = wired.issue().reveal()
    assert text_in(wired, token + " " * TEXT_MAX + "1", "m1").status_code == 200
    ((_, text, outcome),) = stored(wired)
    assert (len(text), outcome) == (TEXT_MAX, "too_long")


@pytest.mark.parametrize("missing", ["id", "from"])
def test_a_message_without_id_or_sender_is_malformed(wired: Wired, missing: str) -> None:
    form = {"id": "m1", "from": ADA, "text": "hello"}
    del form[missing]
    answer = wired.client.post(INBOUND, data=form)
    assert (answer.status_code, answer.content_type) == (400, "text/plain; charset=utf-8")
    assert stored(wired) == []


@pytest.mark.parametrize("path", [INBOUND, RECEIPTS])
def test_a_get_is_answered_too_and_lacks_what_is_posted_here(wired: Wired, path: str) -> None:
    answer = wired.client.get(path, query_string={"id": "m1", "from": ADA, "text": "hello"})
    assert answer.status_code == 400
    assert wired.client.put(path).status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "/sms/africastalking/wrong-secret/inbound",
        "/sms/africastalking/wrong-secret/receipts",
        f"/sms/pigeon/{SECRET}/inbound",
        f"/sms/nobody/{SECRET}/receipts",
    ],
)
def test_a_wrong_secret_or_channel_is_not_there(wired: Wired, path: str) -> None:
    answer = wired.client.post(path, data={"id": "m1", "from": ADA, "text": "hello"})
    assert (answer.status_code, answer.data) == (404, b"not found")
    assert stored(wired) == []


@pytest.mark.parametrize("status", ["Expired", "AbsentSubscriber", "Borked", "Sent", "Success"])
def test_every_word_of_a_report_is_taken(wired: Wired, status: str) -> None:
    assert receipt_in(wired, "ATXid_1", status).status_code == 200
    assert rows_of(wired).reports() == [("ATXid_1", status)]


def test_a_report_moves_its_message(wired: Wired) -> None:
    rows = rows_of(wired)
    rows.add()
    rows.sent(rows.claim()[1])
    assert receipt_in(wired, "ATXid_1", "Expired").status_code == 200
    assert [(m.state, m.reason) for m in rows.all()] == [("failed", "Expired")]


@pytest.mark.parametrize("phone", ["", "MTN"])
def test_a_report_without_a_phone_is_taken(wired: Wired, phone: str) -> None:
    assert receipt_in(wired, "ATXid_1", "Success", phone).status_code == 200


def test_a_report_without_an_id_is_malformed(wired: Wired) -> None:
    body = sample("africastalking/report-no-id.form")
    assert wired.client.post(RECEIPTS, data=body, content_type=FORM).status_code == 400


@pytest.mark.parametrize("path", [INBOUND, RECEIPTS])
def test_a_database_that_is_away_asks_for_a_repeat(clock: SteppedClock, path: str) -> None:
    away = Wired("mysql+pymysql://root@127.0.0.1:9/gateway", clock)
    answer = away.client.post(path, data={"id": "m1", "from": ADA, "text": "hello"})
    assert answer.status_code == 503
    away.close()
