"""Races about events: no reader misses one, none is told twice, one replay a key."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from sqlalchemy import Connection, select

from gateway.api import events
from gateway.api.undelivered.store import Undelivered
from gateway.database.engine import Database
from gateway.partners.endpoints import queueing
from gateway.partners.events import feed, store
from gateway.partners.events.store import partner_events
from tests.emulators.receiver import Receiver
from tests.partners.told import Told, told
from tests.support.clock import SteppedClock
from tests.support.partner import Partner
from tests.support.races import race
from tests.support.wired import Wired


@pytest.fixture
def acme(wired: Wired) -> Told:
    return told(wired)


def write(connection: Connection, number: int) -> None:
    """An event, as a change writes it."""
    now = SteppedClock().now()
    store.add(connection, "acme", feed.EXPIRED, f"S{number}", f"test:{number}", now, {})


def by_id(connection: Connection, after: int) -> list[int]:
    """The guard off: reading by the row's number instead of a number given after the commit."""
    query = select(partner_events.c.id).where(partner_events.c.id > after)
    return [int(row[0]) for row in connection.execute(query.order_by(partner_events.c.id))]


class SlowChange:
    """A change that has written its event and is committed when it is let go."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._wrote, self._let_go = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        def work(connection: Connection) -> None:
            write(connection, 1)
            connection.execute(select(partner_events.c.id).limit(1))  # what waits is sent
            self._wrote.set()
            self._let_go.wait(20)

        self._database.run(work)

    def start(self) -> None:
        self._thread.start()
        assert self._wrote.wait(20)

    def commit(self) -> None:
        self._let_go.set()
        self._thread.join()


def test_a_reader_by_row_misses_the_event_of_a_slower_change(mariadb_url: str) -> None:
    """The race itself; SQLite writes one transaction at a time and has it not."""
    database = Database(mariadb_url)
    slow = SlowChange(database)
    slow.start()
    database.run(lambda c: write(c, 2))
    seen = database.run(lambda c: by_id(c, 0))
    slow.commit()
    later = database.run(lambda c: by_id(c, seen[-1]))
    assert (len(seen), later) == (1, [])  # two were written, one is never read
    database.dispose()


def test_a_reader_by_number_misses_none(mariadb_url: str) -> None:
    database = Database(mariadb_url)
    slow = SlowChange(database)
    slow.start()
    database.run(lambda c: write(c, 2))
    assert database.run(lambda c: feed.number(c, "acme")) == 1
    seen = database.run(lambda c: store.page(c, "acme", 0, 10))
    slow.commit()
    assert database.run(lambda c: feed.number(c, "acme")) == 1
    later = database.run(lambda c: store.page(c, "acme", seen[-1].seq or 0, 10))
    assert [(one.serial, one.seq) for one in (*seen, *later)] == [("S2", 1), ("S1", 2)]
    database.dispose()


def test_followers_of_a_busy_feed_read_every_event_once_and_in_order(wired: Wired) -> None:
    database, writers, each = wired.gateway.database, 4, 15
    done = threading.Event()

    def follow() -> list[str]:
        read: list[str] = []
        after = 0
        while True:
            over = done.is_set()
            database.run(lambda c: feed.number(c, "acme"))
            with database.snapshot() as connection:
                page = store.page(connection, "acme", after, 7)
            read += [event.serial for event in page]
            after = page[-1].seq or 0 if page else after
            if over and not page:
                return read

    def act(number: int) -> None:
        for n in range(each):
            database.run(partial(write, number=number * 100 + n))

    with ThreadPoolExecutor(2) as pool:
        followers = [pool.submit(follow) for _ in range(2)]
        assert race(writers, act) == [None] * writers
        done.set()
        first, second = (one.result(60) for one in followers)
    assert first == second
    assert sorted(first) == sorted(f"S{n * 100 + m}" for n in range(writers) for m in range(each))


def test_racing_numberers_give_each_event_one_number(wired: Wired) -> None:
    for number in range(20):
        wired.run(partial(write, number=number))
    database = wired.gateway.database
    numbered = race(6, lambda _: database.run(partial(feed.number, owner="acme")))
    assert sum(n for n in numbered if isinstance(n, int)) == 20
    found = wired.run(lambda c: store.page(c, "acme", 0, 50))
    assert [event.seq for event in found] == list(range(1, 21))


def test_racing_redemptions_leave_one_event(acme: Told) -> None:
    _, token = acme.token()
    race(6, lambda number: acme.wired.redeem(token, f"+23480300001{number:02}"))
    assert [event.kind for event in acme.events()] == [feed.REDEEMED]
    assert acme.wired.breaches() == []


def test_a_redemption_and_a_cancel_that_race_leave_the_event_of_the_winner(acme: Told) -> None:
    serial, token = acme.token()
    app = acme.wired.app

    def one(number: int) -> object:
        if number % 2:
            return acme.wired.redeem(token, f"+23480300001{number:02}")
        line = Partner(acme.wired, app.test_client(), acme.acme.key, "acme")
        return line.post(f"/tokens/{serial}/cancel")

    race(4, one)
    status = acme.wired.token(serial).status
    assert [event.kind for event in acme.events()] == [f"token.{status}"]


def test_racing_looks_at_a_failed_message_tell_it_once(acme: Told) -> None:
    one = Undelivered("deliver:X", "acme", "X", acme.wired.issue().amount, "NGN", "r")
    database, now = acme.wired.gateway.database, acme.wired.clock.now()
    told_ = race(4, lambda _: database.run(lambda c: events._tell([one], now, c)))
    assert sum(n for n in told_ if isinstance(n, int)) == 1
    assert len(acme.events()) == 1


def test_racing_workers_queue_each_event_once(acme: Told) -> None:
    with Receiver(clock=acme.clocked()) as receiver:
        acme.endpoint(receiver)
        acme.ended(5)
        gateway = acme.wired.gateway
        race(4, lambda _: queueing.advance(gateway.database, gateway.clock))
        assert len(acme.rows()) == 5
        race(3, lambda _: acme.turn())
        assert sorted(receiver.seqs) == [1, 2, 3, 4, 5]


def test_racing_replays_under_one_key_are_one_and_two_keys_are_two(acme: Told) -> None:
    app = acme.wired.app
    with Receiver(clock=acme.clocked()) as receiver:
        acme.endpoint(receiver)
        acme.ended()
        acme.turn()

        def send(_: int) -> int:
            line = Partner(acme.wired, app.test_client(), acme.acme.key, "acme")
            return line.post("/events/1/replay", {}, "again").status_code

        assert race(5, send) == [202] * 5
        acme.turn()
        assert receiver.seqs == [1, 1]
        assert acme.acme.post("/events/1/replay").json == {"queued": 1}
        acme.turn()
        assert receiver.seqs == [1, 1, 1]
        assert len({hook.name for hook in receiver.hooks}) == 1
