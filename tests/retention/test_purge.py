"""The sweep forgets what is old and over; what is young, waits or proves something stays."""

from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, select

from gateway.outbox import queue
from gateway.outbox.reports.store import delivery_reports
from gateway.outbox.store import State, outbox
from gateway.outbox.tasks import PAYOUT, QUERY
from gateway.partners.events import feed
from gateway.partners.events import store as events
from gateway.partners.repeats.store import api_requests
from gateway.retention import purge
from gateway.settings.keeping import Keeping
from gateway.sms.store import inbound_sms
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, Wired

OVER = [State.SENT, State.DELIVERED, State.FAILED, State.DROPPED]
OPEN = [State.QUEUED, State.SENDING, State.UNKNOWN]


def forget(wired: Wired, chore: str) -> int:
    """What the sweep does."""
    return wired.gateway.chores()[chore]()


def count(wired: Wired, table: Any) -> int:
    """The rows of a table."""
    return int(wired.run(lambda c: c.execute(select(func.count()).select_from(table)).scalar_one()))


def message(wired: Wired, name: str, state: State, line: str = "sms") -> None:
    """A message that stands so since now."""

    def work(connection: Connection) -> None:
        now = wired.clock.now()
        queue.add(connection, name, "redeemed", "K7M29QXD", ADA, "en", now, {}, line=line)

    wired.run(work)
    of_it = outbox.c.cause == name
    wired.run(lambda c: c.execute(outbox.update().where(of_it).values(state=state.value)))


def inbound(wired: Wired, number: int) -> None:
    """An SMS that came in now."""
    values = {
        "channel": "africastalking",
        "message_id": f"mo-{number}",
        "sender": ADA,
        "recipient": "38400",
        "masked_text": "BAL",
        "text_digest": bytes(32),
        "sent_at": None,
        "received_at": wired.clock.now(),
        "outcome": "balance",
    }
    wired.run(lambda c: c.execute(insert(inbound_sms).values(values)))


def request(wired: Wired, number: int) -> None:
    """A partner's request of now."""
    values = {
        "owner": "acme",
        "kid": "p1",
        "request_key": bytes([number] * 32),
        "fingerprint": bytes(32),
        "operation": "POST /api/v1/tokens",
        "status": 201,
        "body": "{}",
        "reveals": None,
        "created_at": wired.clock.now(),
    }
    wired.run(lambda c: c.execute(insert(api_requests).values(values)))


def report(wired: Wired, number: int) -> None:
    """A delivery report of now."""
    values = {
        "channel": "africastalking",
        "message_id": f"mt-{number}",
        "status": "Success",
        "delivery": "delivered",
        "reason": "",
        "received_at": wired.clock.now(),
    }
    wired.run(lambda c: c.execute(insert(delivery_reports).values(recipient=ADA, **values)))


def event(wired: Wired, name: str, *, numbered: bool = True) -> None:
    """An event of now."""
    now: datetime = wired.clock.now()
    wired.run(lambda c: events.add(c, "acme", feed.REDEEMED, "K7M29QXD", name, now, {}))
    if numbered:
        wired.run(lambda c: feed.number(c, "acme"))


def test_messages_that_are_over_go_after_their_days_and_no_others(
    wired: Wired, clock: SteppedClock
) -> None:
    for state in State:
        message(wired, f"old:{state}", state)
        message(wired, f"old:task:{state}", state, QUERY)
    clock.advance(days=400)
    assert forget(wired, "messages_purged") == 0
    for state in State:
        message(wired, f"young:{state}", state)
    clock.advance(seconds=1)
    assert forget(wired, "messages_purged") == 2 * len(OVER)
    left = wired.run(lambda c: c.execute(select(outbox.c.cause, outbox.c.state)).all())
    assert {cause for cause, _ in left if cause.startswith("old")} == {
        f"{kind}{state}" for kind in ("old:", "old:task:") for state in OPEN
    }
    assert len(left) == 2 * len(OPEN) + len(State)


def test_the_row_of_a_payout_stays_however_old_it_is(wired: Wired, clock: SteppedClock) -> None:
    for state in OVER:
        message(wired, f"payout:{state}", state, PAYOUT)
    clock.advance(days=4000)
    assert (forget(wired, "messages_purged"), count(wired, outbox)) == (0, len(OVER))


@pytest.mark.parametrize(
    ("chore", "make", "table", "days"),
    [
        ("inbound_sms_purged", inbound, inbound_sms, 400),
        ("reports_purged", report, delivery_reports, 400),
        ("requests_purged", request, api_requests, 7),
    ],
    ids=["inbound", "reports", "requests"],
)
def test_what_goes_by_its_age_alone_goes_in_batches(
    wired: Wired,
    clock: SteppedClock,
    monkeypatch: pytest.MonkeyPatch,
    chore: str,
    make: Any,
    table: Any,
    days: int,
) -> None:
    monkeypatch.setattr(purge, "BATCH", 2)
    for number in range(5):
        make(wired, number)
    clock.advance(days=days)
    assert forget(wired, chore) == 0
    make(wired, 5)
    clock.advance(seconds=1)
    assert (forget(wired, chore), count(wired, table)) == (5, 1)
    assert forget(wired, chore) == 0


def test_numbered_events_go_and_the_next_number_is_still_the_next(
    wired: Wired, clock: SteppedClock
) -> None:
    event(wired, "one")
    event(wired, "two")
    clock.advance(days=90)
    assert forget(wired, "events_purged") == 0
    clock.advance(seconds=1)
    event(wired, "waiting", numbered=False)
    assert (forget(wired, "events_purged"), count(wired, events.partner_events)) == (2, 1)
    wired.run(lambda c: feed.number(c, "acme"))
    (left,) = wired.run(lambda c: events.page(c, "acme", 0, 10))
    assert left.seq == 3


def test_an_event_without_a_number_stays(wired: Wired, clock: SteppedClock) -> None:
    event(wired, "one", numbered=False)
    clock.advance(days=4000)
    assert forget(wired, "events_purged") == 0


def test_the_days_can_be_set(database_url: str, clock: SteppedClock) -> None:
    whole = Wired(database_url, clock, keeping=Keeping(messages=30, requests=1, events=7))
    inbound(whole, 1)
    request(whole, 1)
    clock.advance(days=2)
    assert (forget(whole, "requests_purged"), forget(whole, "inbound_sms_purged")) == (1, 0)
    clock.advance(days=29)
    assert forget(whole, "inbound_sms_purged") == 1
    whole.close()


def test_two_sweeps_at_once_share_the_work(wired: Wired, clock: SteppedClock) -> None:
    for number in range(20):
        inbound(wired, number)
    clock.advance(days=401)

    def sweep(_: int) -> int:
        return forget(wired, "inbound_sms_purged")

    done = race(4, sweep)
    forgotten = sum(number for number in done if isinstance(number, int))
    assert (forgotten, count(wired, inbound_sms)) == (20, 0)
