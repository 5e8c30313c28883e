"""Partners at real gunicorn processes: racing repeats, raw requests, and a day without a trace."""

import http.client
import json
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Connection, text

from gateway.clock import Clock
from gateway.partners.access.keys import NewKey
from tests.end_to_end.leaks import files_of, leaks, lines_of, rows_of
from tests.support.partner import new_key, partner
from tests.support.races import race
from tests.support.serving import Installed, Web
from tests.support.wired import ADA, BELLO, Wired

RACERS, ROUNDS = 8, 4
TOKEN = {"amount": "10.00", "recipient": ADA}
HIDDEN = {"amount": "10.00", "deliver": False}
UNKNOWN = ("902100000000000014", "76543210983")  # valid digits that were never issued


class Said(NamedTuple):
    """What a process answered."""

    status: int
    json: Any
    headers: dict[str, str]


class Program:
    """A partner's program, at the real server."""

    def __init__(self, web: Web, key: NewKey) -> None:
        self.web, self.key = web, key

    def headers(self, name: str) -> dict[str, str]:
        """What a POST carries."""
        return {
            "Authorization": f"Bearer {self.key.key_id}.{self.key.secret}",
            "Idempotency-Key": name,
            "Content-Type": "application/json",
        }

    def call(self, method: str, path: str, name: str = "", body: Any = None) -> Said:
        """One request on a line of its own."""
        line = http.client.HTTPConnection("127.0.0.1", self.web.port, timeout=30)
        try:
            raw = None if body is None else json.dumps(body).encode()
            line.request(method, f"/api/v1{path}", raw, self.headers(name))
            answer = line.getresponse()
            return Said(answer.status, json.loads(answer.read()), dict(answer.getheaders()))
        finally:
            line.close()

    def post(self, path: str, name: str, body: Any) -> Said:
        """One POST."""
        return self.call("POST", path, name, body)

    def raw(self, lines: list[bytes], body: bytes = b"") -> bytes:
        """Whatever these lines are answered."""
        with socket.create_connection(("127.0.0.1", self.web.port), 10) as line:
            line.sendall(b"\r\n".join([*lines, b"Connection: close", b"", body]))
            found = b""
            while chunk := line.recv(65_536):
                found += chunk
        return found


@pytest.fixture
def wired(installed: Installed) -> Iterator[Wired]:
    """The installation's database, with a partner `acme` that has a float."""
    whole = Wired(installed.env["GATEWAY_DATABASE_URL"], Clock())
    partner(whole, "Acme")
    yield whole
    whole.close()


def raced(program: Program) -> Counter[str]:
    """How many tokens came of each name, under which everybody asks for one at once."""
    made: Counter[str] = Counter()
    for number in range(ROUNDS):
        name = f"race-{number}"

        def ask(_: int, name: str = name) -> Said:
            return program.post("/tokens", name, TOKEN)

        answers = [answer for answer in race(RACERS, ask) if isinstance(answer, Said)]
        assert len(answers) == RACERS
        serials = {answer.json["serial"] for answer in answers if answer.status == 201}
        assert {answer.status for answer in answers} <= {201, 409}
        made[name] = len(serials)
    return made


def test_requests_that_race_at_two_processes_execute_once(
    installed: Installed, wired: Wired
) -> None:
    with installed.web(processes=2) as web:
        program = Program(web, new_key(wired, "acme"))
        assert set(raced(program).values()) == {1}
        left = program.call("GET", "/float").json["balance"]
    assert left == f"{10_000 - 10 * ROUNDS}.00"
    assert wired.breaches() == []


@contextmanager
def without_the_index(wired: Wired) -> Iterator[None]:
    """The table of requests without its guard."""

    def do(*statements: str) -> None:
        def work(connection: Connection) -> None:
            for statement in statements:
                connection.execute(text(statement))

        wired.run(work)

    name = "uq_api_requests_request_key"
    do(f"ALTER TABLE api_requests DROP INDEX {name}")
    try:
        yield
    finally:
        do("DELETE FROM api_requests", f"ALTER TABLE api_requests ADD UNIQUE {name} (request_key)")


def test_without_the_unique_index_they_would_execute_more_often(on_mariadb: Installed) -> None:
    wired = Wired(on_mariadb.env["GATEWAY_DATABASE_URL"], Clock())
    key = new_key(wired, partner(wired, "Acme").code)
    with without_the_index(wired), on_mariadb.web(processes=2) as web:
        Program(web, key).post("/tokens", "first", TOKEN)  # it alone notes the key of all digests
        answers = race(RACERS, lambda _: Program(web, key).post("/tokens", "race", TOKEN))
    made = [one for one in answers if isinstance(one, Said) and one.status == 201]
    assert len({one.json["serial"] for one in made}) > 1
    wired.close()


def test_headers_that_come_twice_or_hide_others_open_nothing(
    on_sqlite: Installed,
) -> None:
    wired = Wired(on_sqlite.env["GATEWAY_DATABASE_URL"], Clock())
    program_key = new_key(wired, partner(wired, "Acme").code)
    body = json.dumps(TOKEN).encode()
    with on_sqlite.web() as web:
        program = Program(web, program_key)
        bearer = f"Authorization: Bearer {program_key.key_id}.{program_key.secret}".encode()
        begin = [b"POST /api/v1/tokens HTTP/1.1", b"Host: x", b"Content-Type: application/json"]
        length = f"Content-Length: {len(body)}".encode()
        for more, status in (
            ([bearer, b"Idempotency-Key: a", b"Idempotency-Key: b", length], b"422"),
            ([bearer, bearer, b"Idempotency-Key: a", length], b"401"),
            ([bearer, b"Idempotency-Key: a\x0b", length], b"4"),
            ([bearer, b"Idempotency-Key: a\x00b", length], b"4"),
            ([bearer, b"Idempotency-Key: a", length, b"Content-Length: 1"], b"400"),
            ([bearer, b"Idempotency-Key: a", length, b"Transfer-Encoding: chunked"], b"400"),
            ([bearer, b"Idempotency_Key: a", length], b"422"),
            ([b"Authorization : " + bearer[15:], b"Idempotency-Key: a", length], b"4"),
            ([bearer, b"Idempotency-Key: a", b"Content-Length: 70000"], b"413"),
        ):
            answer = program.raw([*begin, *more], body)
            assert answer.split(b" ", 2)[1].startswith(status), (more, answer[:200])
            assert b"\r\nX-Evil" not in answer
        forged = [bearer, b"Idempotency-Key: a", length, b"X-Request-Id: a%0d%0aX-Evil: 1"]
        assert b" 201 " in program.raw([*begin, *forged], body).split(b"\r\n")[0]
        assert len(program.call("GET", "/tokens").json["tokens"]) == 1
    wired.close()


def played(program: Program) -> list[str]:
    """A day of a partner that writes tokens wherever they do not belong; their digits."""
    shown = [
        program.post(
            "/tokens", f"k{digits}", HIDDEN | {"digits": digits, "issue_ref": f"r{digits}"}
        )
        for digits in (18, 11)
    ]
    digits = [answer.json["token"] for answer in shown]
    again = program.post("/tokens", "k11", HIDDEN | {"digits": 11, "issue_ref": "r11"})
    assert again.json["token"] == digits[1]
    for one in (*digits, *UNKNOWN):
        spaced = f"{one[:4]} {one[4:8]}-{one[8:]}"
        program.post("/lookups", one, {"token": one})
        program.post("/lookups", f"again-{one}", {"token": spaced})
        program.post("/lookups", f"wrong-{one}", {"token": one, one: one})
        program.post("/redemptions", f"phone-{one}", {"token": one, "payee": one})
        program.post(f"/tokens/{one}/cancel", f"cancel-{one}", {"reason": f"it is {spaced}"})
        program.call("GET", f"/tokens/{one}")
        program.call("GET", f"/tokens?after={one}&recipient={one}")
        program.call("GET", f"/nothing/{one}")
    serial = shown[0].json["serial"]
    program.post(f"/tokens/{serial}/suspend", "stop", {"reason": f"{digits[0]} was overheard"})
    program.post(f"/tokens/{serial}/resume", "go-on", {})
    for one, phone in zip(digits, (ADA, BELLO), strict=True):
        done = program.post("/redemptions", f"pay-{one}", {"token": one, "payee": phone})
        assert done.status == 201, done.json
    return [*digits, *UNKNOWN]


def test_a_partners_day_leaves_no_digits_and_no_secret_in_database_or_logs(
    installed: Installed, wired: Wired, tmp_path: Path
) -> None:
    url = installed.env["GATEWAY_DATABASE_URL"]
    with installed.web() as web, installed.worker():
        real, test = new_key(wired, "acme"), new_key(wired, "acme", test=True)
        digits = played(Program(web, real)) + played(Program(web, test))
    everything = [*rows_of(url), *files_of(url), *lines_of(tmp_path)]
    assert {place for place, _ in everything} >= {"web.log", "api_requests.body"}
    places = {leak.place for leak in leaks(everything, [*digits, real.secret, test.secret])}
    assert not places, ", ".join(sorted(places))
    assert leaks(lines_of(tmp_path), [phone.lstrip("+") for phone in (ADA, BELLO)]) == []
    assert wired.breaches() == []
