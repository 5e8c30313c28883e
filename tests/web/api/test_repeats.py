"""A request is executed once, whoever races, waits, dies or loses a key meanwhile."""

import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from flask import Flask
from sqlalchemy import Connection, update

from gateway.ledger.store import accounts
from gateway.partners.access import keys
from gateway.partners.access.keys import Access
from gateway.partners.repeats import store
from gateway.tokens.guesses import limits
from gateway.web import requests
from gateway.web.api import routes
from tests.support.clock import SteppedClock
from tests.support.commit_proxy import CommitProxy, Fault
from tests.support.mariadb import MariaDBServer, PrivateMariaDB
from tests.support.partner import Partner, Reply, partner
from tests.support.wired import ADA, BELLO, Wired

TOKEN = {"amount": "100.00", "recipient": ADA}
HIDDEN = {"amount": "100.00", "digits": 11, "deliver": False}
SETTLED = 0.4  # seconds after which a request stands where it is going to wait


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


def hasty(acme: Partner, seconds: float) -> Partner:
    """The same partner at an API whose requests have less time."""
    app = Flask("hasty")
    requests.install(app)
    parts = dataclasses.replace(acme.wired.gateway.api_parts(), seconds_max=seconds)
    app.register_blueprint(routes.blueprint(parts))
    return dataclasses.replace(acme, client=app.test_client())


@contextmanager
def held(wired: Wired, work: Callable[[Connection], object]) -> Iterator[Callable[[], None]]:
    """A transaction that did `work` and stays open until it is let go, at the end at the latest."""
    done, go = threading.Event(), threading.Event()

    def run(connection: Connection) -> None:
        work(connection)
        done.set()
        assert go.wait(30)

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(wired.run, run)
        try:
            assert done.wait(30)

            def let_go() -> None:
                go.set()
                other.result(30)

            yield let_go
        finally:
            go.set()


def busy_float(connection: Connection) -> None:
    """Hold the float's row, as an issue does."""
    mine = update(accounts).where(accounts.c.owner == "acme")
    connection.execute(mine.values(status="active"))


def issued(acme: Partner) -> int:
    """How many tokens the partner has."""
    return len(acme.get("/tokens").json["tokens"])


def later(work: Callable[[], Reply]) -> "Future[Reply]":
    """Do it on a thread, and wait until it stands somewhere."""
    pool = ThreadPoolExecutor(1)
    found = pool.submit(work)
    pool.shutdown(wait=False)
    time.sleep(SETTLED)
    return found


def test_a_key_revoked_while_its_request_waits_does_nothing(acme: Partner) -> None:
    wired, now = acme.wired, acme.wired.clock.now()

    def revoke(connection: Connection) -> None:
        busy_float(connection)
        keys.revoke(connection, acme.key.key_id, "test", "leaked", now)

    other = acme.with_key()
    with held(wired, revoke) as let_go:
        waits = later(lambda: acme.post("/tokens", TOKEN))
        assert not waits.done()
        let_go()
        answer = waits.result(30)
    assert (answer.status_code, answer.json["code"]) == (401, "unauthorized")
    assert issued(other) == 0
    assert other.get("/float").json["balance"] == "10000.00"


def test_without_the_last_look_at_it_a_revoked_key_would_still_issue(
    mariadb_url: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unseen(_connection: Connection, _access: Access, _now: object) -> None:
        """The guard, off."""

    monkeypatch.setattr(keys, "note_use", unseen)
    wired = Wired(mariadb_url, clock)
    acme = partner(wired)
    with held(wired, busy_float) as let_go:
        waits = later(lambda: acme.post("/tokens", TOKEN))
        now = clock.now()
        wired.run(lambda c: keys.revoke(c, acme.key.key_id, "test", "leaked", now))
        let_go()
        assert waits.result(30).status_code == 201
    wired.close()


def test_a_copy_that_waits_too_long_for_the_first_is_told_to_come_back(
    mariadb_url: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    wired = Wired(mariadb_url, clock)
    acme, written, add = partner(wired), threading.Event(), store.add
    acme.post("/tokens", TOKEN)  # the very first request of all notes the key it is kept under

    def told(connection: Connection, values: dict[str, object]) -> int:
        row = add(connection, values)
        written.set()
        return row

    monkeypatch.setattr(store, "add", told)
    with held(wired, busy_float) as let_go:
        first = later(lambda: acme.post("/tokens", TOKEN, "same"))
        assert written.wait(30)  # else the copy may come before the row that it waits for
        copy = hasty(acme, 1.0).post("/tokens", TOKEN, "same")
        assert (copy.status_code, copy.json["code"]) == (409, "in_progress"), copy.text
        assert copy.headers["Retry-After"] == "1"
        let_go()
        done = first.result(30)
    again = acme.post("/tokens", TOKEN, "same")
    assert (again.json, again.headers["Idempotent-Replayed"]) == (done.json, "true")
    assert issued(acme) == 2
    wired.close()


def test_a_request_that_waits_too_long_for_anything_else_changes_nothing(acme: Partner) -> None:
    with held(acme.wired, busy_float):
        answer = hasty(acme, 0.5).post("/tokens", TOKEN, "same")
    assert (answer.status_code, answer.json["code"]) == (503, "temporarily_unavailable")
    assert int(answer.headers["Retry-After"]) >= 1
    assert "Idempotent-Replayed" not in acme.post("/tokens", TOKEN, "same").headers
    assert issued(acme) == 1
    assert acme.wired.breaches() == []


def test_two_partners_may_call_their_requests_the_same(acme: Partner) -> None:
    other = partner(acme.wired, "Other")
    first = acme.post("/tokens", TOKEN, "order-1")
    second = other.post("/tokens", TOKEN, "order-1")
    played = acme.with_key(test=True).post("/tokens", TOKEN, "order-1")
    assert len({answer.json["serial"] for answer in (first, second, played)}) == 3
    assert all("Idempotent-Replayed" not in one.headers for one in (first, second, played))


def test_one_key_names_one_request_of_all_operations(acme: Partner) -> None:
    serial = acme.post("/tokens", TOKEN, "same").json["serial"]
    for path, body in (
        (f"/tokens/{serial}/suspend", {}),
        (f"/tokens/{serial}/cancel", {}),
        ("/lookups", {"token": "490750293453273258"}),
        ("/tokens", TOKEN | {"recipient": BELLO}),
    ):
        answer = acme.post(path, body, "same")
        assert (answer.status_code, answer.json["code"]) == (409, "key_reused"), path
    assert acme.get(f"/tokens/{serial}").json["status"] == "issued"


def test_an_answer_with_digits_is_repeated_with_them_also_once_the_token_is_cancelled(
    acme: Partner,
) -> None:
    first = acme.post("/tokens", HIDDEN, "same")
    assert acme.post(f"/tokens/{first.json['serial']}/cancel").status_code == 200
    again = acme.post("/tokens", HIDDEN, "same")
    assert (again.status_code, again.json) == (201, first.json)
    found = acme.post("/lookups", {"token": again.json["token"]})
    assert (found.status_code, found.json["code"]) == (410, "cancelled")


def test_digits_are_not_repeated_to_a_key_that_may_not_see_them(acme: Partner) -> None:
    first = acme.post("/tokens", HIDDEN, "same")
    again = acme.with_key(*keys.USUAL).post("/tokens", HIDDEN, "same")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json == {k: v for k, v in first.json.items() if k != "token"}


def test_a_refusal_that_changed_nothing_is_not_remembered(acme: Partner) -> None:
    poor = partner(acme.wired, "Poor", fund="50.00")
    refused = poor.post("/tokens", TOKEN, "same")
    assert refused.json["code"] == "insufficient_funds"
    right = poor.post("/tokens", TOKEN | {"amount": "50.00"}, "same")
    assert right.status_code == 201


@pytest.mark.parametrize("fault", list(Fault))
def test_whatever_becomes_of_a_commit_the_same_key_tells_and_nothing_happens_twice(
    fault: Fault, mariadb_server: MariaDBServer, mariadb_url: str, clock: SteppedClock
) -> None:
    with CommitProxy(mariadb_server.port) as line:
        wired = Wired(line.url(mariadb_url), clock)
        acme = partner(wired)
        line.fail_next_commit(fault)
        first = hasty(acme, 1.0).post("/tokens", HIDDEN, "same")
        assert first.status_code in (201, 503), first.text
        again = acme.post("/tokens", HIDDEN, "same")
        assert again.status_code == 201
        if first.status_code == 201:
            assert again.json == first.json
        else:
            assert first.json["code"] == "temporarily_unavailable"
        assert issued(acme) == 1
        assert acme.get("/float").json["balance"] == "9900.00"
        assert wired.breaches() == []
        wired.close()


def test_a_database_that_is_away_is_told_as_such_and_nothing_is_half_done(
    private_mariadb: PrivateMariaDB, clock: SteppedClock
) -> None:
    private_mariadb.create_database("gateway")
    wired = Wired(private_mariadb.url("gateway"), clock)
    wired.gateway.database.upgrade()
    acme = partner(wired)
    assert acme.post("/tokens", TOKEN, "before").status_code == 201
    private_mariadb.kill()
    away = hasty(acme, 1.0)
    for answer in (away.post("/tokens", TOKEN, "same"), away.get("/float")):
        assert (answer.status_code, answer.json["code"]) == (503, "temporarily_unavailable")
        assert answer.content_type == "application/problem+json"
    private_mariadb.start()
    assert acme.post("/tokens", TOKEN, "same").status_code == 201
    assert acme.get("/float").json["balance"] == "9800.00"
    assert wired.breaches() == []
    wired.close()


def test_what_was_withheld_or_limited_is_asked_anew_by_its_repeat(
    acme: Partner, clock: SteppedClock
) -> None:
    foreign, now = acme.wired.issue(digits=11, to=None).reveal(), clock.now()

    def close(connection: Connection) -> None:
        for _ in range(limits.breaker_budget(0).a_day):
            limits.miss(connection, "api", 11, now)

    acme.wired.run(close)
    withheld = acme.post("/lookups", {"token": foreign}, "same")
    assert (withheld.status_code, withheld.json["code"]) == (503, "temporarily_unavailable")
    clock.advance(days=2)
    assert acme.post("/lookups", {"token": foreign}, "same").status_code == 200
