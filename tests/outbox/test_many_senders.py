"""Many senders at once: each message is handed over once; an outcome outlives its database."""

import time
from collections import Counter
from contextlib import ExitStack

import pytest

from gateway.channels.africastalking import AfricasTalkingChannel
from gateway.channels.base import Handover
from gateway.errors import CommitUnknown, TryAgain
from gateway.settings import AfricasTalking
from tests.emulators.africastalking_answers import slow
from tests.outbox.senders import API_KEY, channel, emulated, rows_of, sender, sending_threads, until
from tests.support.clock import SteppedClock
from tests.support.databases import migrate
from tests.support.mariadb import PrivateMariaDB
from tests.support.wired import Wired

MESSAGES, SENDERS = 20, 8


def test_a_slow_aggregator_gets_each_message_once_from_many_senders(wired: Wired) -> None:
    rows = rows_of(wired)
    for _ in range(MESSAGES):
        rows.add()
    with ExitStack() as open_:
        api = open_.enter_context(emulated())
        api.usual = slow(0.2)
        senders = [sender(wired, [channel(api.url)], worker=f"w{n}") for n in range(SENDERS)]
        open_.enter_context(sending_threads(senders))
        until(lambda: rows.states() == ["sent"] * MESSAGES)
    assert len(api.requests) == MESSAGES
    assert [message.attempts for message in rows.all()] == [1] * MESSAGES


def test_slow_answers_beyond_the_limit_are_not_repeated_while_a_report_may_come(
    wired: Wired, clock: SteppedClock
) -> None:
    rows = rows_of(wired)
    for _ in range(MESSAGES):
        rows.add()
    with ExitStack() as open_:
        api = open_.enter_context(emulated())
        api.usual = slow(1.0)  # longer than the SDK waits
        senders = [
            sender(wired, [channel(api.url, read_seconds=0.4)], worker=f"w{n}")
            for n in range(SENDERS)
        ]
        open_.enter_context(sending_threads(senders))

        def all_are_out() -> bool:
            clock.advance(seconds=1)  # a channel that does not answer rests for a while
            return rows.states() == ["unknown"] * MESSAGES

        until(all_are_out)
        clock.advance(minutes=9)
        rows.settle()
        time.sleep(0.2)
    assert len(api.requests) == MESSAGES


def test_four_threads_send_faster_than_a_fast_aggregator_answers_one(wired: Wired) -> None:
    rows = rows_of(wired)
    for _ in range(40):
        rows.add()
    with ExitStack() as open_:
        api = open_.enter_context(emulated())
        api.usual = slow(0.05)
        senders = [sender(wired, [channel(api.url)], worker=f"w{n}") for n in range(4)]
        began = time.monotonic()
        open_.enter_context(sending_threads(senders))
        until(lambda: rows.states() == ["sent"] * 40)
        took = time.monotonic() - began
    assert Counter(request.message_id for request in api.requests).most_common(1)[0][1] == 1
    assert 40 / took > 5  # a machine under load; a quiet one does ten times as many


class Unplugs(AfricasTalkingChannel):
    """Sends, and takes the database away before the outcome can be recorded."""

    def __init__(self, url: str, server: PrivateMariaDB) -> None:
        super().__init__(AfricasTalking("wallet", API_KEY, base_url=url))
        self._server = server

    def send(self, to: str, text: str, *, reference: str, sender_id: str | None) -> Handover:
        taken = super().send(to, text, reference=reference, sender_id=sender_id)
        self._server.kill()
        return taken


def test_an_outcome_is_recorded_once_the_database_is_back(
    private_mariadb: PrivateMariaDB, clock: SteppedClock
) -> None:
    private_mariadb.create_database("gateway")
    url = private_mariadb.url("gateway")
    migrate(url)
    wired = Wired(url, clock)
    rows = rows_of(wired)
    rows.add()
    with emulated() as api:
        sends = sender(wired, [Unplugs(api.url, private_mariadb)])
        with pytest.raises((TryAgain, CommitUnknown)):
            sends.send_next()
        with pytest.raises((TryAgain, CommitUnknown)):
            sends.send_next()
        private_mariadb.start()
        clock.advance(minutes=2)
        rows.settle()
        assert rows.states() == ["unknown"]
        assert not sends.send_next()
    assert rows.states() == ["sent"]
    assert rows.all()[0].message_id == api.messages[0].message_id
    wired.close()
