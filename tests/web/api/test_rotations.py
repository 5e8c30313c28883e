"""Requests are remembered, and webhooks signed, across rotations of the lookup key."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import Connection

from gateway.api.issuing import Issuing
from gateway.tokens.issue import Issued, Order
from gateway.tokens.keys import rotation, store
from gateway.tokens.keys.rings import LOOKUP
from tests.support.clock import SteppedClock
from tests.support.partner import Partner, partner
from tests.support.wired import ADA, LOOKUP_KEY, Wired
from tests.tokens.keyed import rotate

OLD, NEW = f"p1:{LOOKUP_KEY}", f"p2:{'ab' * 32}"
BOTH = f"{OLD},{NEW}"
BODY = {"amount": "100.00", "recipient": ADA}
SETTLED = 0.5  # seconds after which a request stands where it is going to wait
Process = Callable[[str], Wired]


@pytest.fixture
def process(database_url: str, clock: SteppedClock) -> Iterator[Process]:
    """Makes processes of one gateway, each with its own ring of lookup keys."""
    made: list[Wired] = []

    def one(lookup_keys: str) -> Wired:
        made.append(Wired(database_url, clock, lookup_keys=lookup_keys))
        return made[-1]

    yield one
    for wired in made:
        wired.close()


def at(acme: Partner, wired: Wired) -> Partner:
    """The same partner at another process."""
    return Partner(wired, wired.client, acme.key, acme.code)


def remembered(process: Process) -> tuple[Partner, str]:
    """A request whose token is gone, remembered under the key before the one written with."""
    both = process(BOTH)
    rotate(both, LOOKUP, "p1")
    acme = partner(both)
    serial = acme.post("/tokens", BODY, "order-1").json["serial"]
    assert acme.post(f"/tokens/{serial}/cancel").status_code == 200
    rotate(both, LOOKUP, "p2")
    return acme, serial


def test_a_process_without_the_key_of_remembered_requests_executes_none_anew(
    process: Process, clock: SteppedClock
) -> None:
    acme, serial = remembered(process)
    clock.advance(minutes=30)
    later = process(NEW)
    later.gateway.report_keys("web")  # which strikes off what nothing needs
    assert later.gateway.obstacles() == ["key missing: lookup:p1"]
    assert later.run(lambda c: store.written(c, LOOKUP)).keys() == {"p1", "p2"}
    again = at(acme, later).post("/tokens", BODY, "order-1")
    assert (again.status_code, again.json["code"]) == (503, "temporarily_unavailable")
    assert acme.post("/tokens", BODY, "order-1").json["serial"] == serial


def test_a_key_is_let_go_when_the_requests_are_forgotten(
    process: Process, clock: SteppedClock
) -> None:
    acme, _ = remembered(process)
    clock.advance(days=8)
    assert acme.wired.gateway.chores()["requests_purged"]() > 0
    later = process(NEW)
    later.gateway.report_keys("web")
    assert later.gateway.obstacles() == []
    assert at(acme, later).post("/tokens", BODY, "order-2").status_code == 201


def test_a_key_is_needed_while_it_seals_a_webhooks_secret(
    process: Process, clock: SteppedClock
) -> None:
    both = process(BOTH)
    rotate(both, LOOKUP, "p1")
    acme = partner(both)
    endpoints, now = both.gateway.money.events.endpoints, clock.now()
    url = "https://hooks.acme.example/"
    both.run(lambda c: endpoints.set_url(c, acme.code, False, url, "test", now))
    rotate(both, LOOKUP, "p2")
    clock.advance(minutes=30)
    later = process(NEW)
    later.gateway.report_keys("web")
    assert later.gateway.obstacles() == ["key missing: lookup:p1"]
    assert both.gateway.chores()["webhook_secrets_resealed"]() == 1
    later.gateway.report_keys("web")
    assert later.gateway.obstacles() == []


class Slow:
    """Lets the first issue stand where nothing is committed yet, until it may go on."""

    def __init__(self, real: Callable[..., Issued]) -> None:
        self._real = real
        self._lock = threading.Lock()
        self.inside, self.go = threading.Event(), threading.Event()

    def issue(self, issuing: Issuing, connection: Connection, order: Order, now: datetime) -> Any:
        with self._lock:
            first = not self.inside.is_set()
            self.inside.set()
        if first:
            assert self.go.wait(20)
        return self._real(issuing, connection, order, now)


def executed(process: Process, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many tokens one request makes that comes to two processes while keys are rotated."""
    one, two = process(BOTH), process(BOTH)
    rotate(one, LOOKUP, "p1")
    acme, slow = partner(one), Slow(Issuing.issue)
    monkeypatch.setattr(Issuing, "issue", lambda *args: slow.issue(*args))
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(acme.post, "/tokens", BODY, "order-1")
        assert slow.inside.wait(20)
        turn = pool.submit(rotate, two, LOOKUP, "p2")
        wait([turn], SETTLED)
        second = pool.submit(at(acme, two).post, "/tokens", BODY, "order-1")
        wait([second], SETTLED)
        slow.go.set()
        answers = [first.result(20), second.result(20)]
        turn.result(20)
    assert [answer.status_code for answer in answers] == [201, 201], answers
    assert two.run(lambda c: store.write_kid(c, LOOKUP)) == "p2"
    return len(acme.get("/tokens").json["tokens"])


def test_a_request_is_executed_once_while_keys_are_rotated(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert executed(process, monkeypatch) == 1


def test_it_would_be_executed_twice_if_a_rotation_did_not_wait(
    mariadb_url: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, made = rotation.write_kid, list[Wired]()

    def unheld(*args: Any, held: bool = False) -> str:
        return real(*args)

    def process(lookup_keys: str) -> Wired:
        made.append(Wired(mariadb_url, clock, lookup_keys=lookup_keys))
        return made[-1]

    monkeypatch.setattr(rotation, "write_kid", unheld)
    assert executed(process, monkeypatch) == 2
    for wired in made:
        wired.close()
