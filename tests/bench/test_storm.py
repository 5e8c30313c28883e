"""The storm on a small real HTTP server: racing copies, and repeats of what is not answered."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bench import storm
from bench.load import Exchange, post_bytes
from bench.storm import COPIES, REPEAT_SECONDS, arrivals, let_loose

FAST = 100_000.0  # deliveries a second: all at once


@pytest.fixture(autouse=True)
def few_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer than the copies, so that some deliveries open their own connection."""
    monkeypatch.setattr(storm, "LANES_OPEN", 4)


@contextmanager
def provider_target(answer: Callable[[bytes], bytes]) -> Iterator[int]:
    """Serve `answer(body)` over kept-open connections."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            reply = answer(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the tests' output quiet."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 64

        def handle_error(self, request: object, client_address: object) -> None:
            """A caller that hangs up is part of these tests."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def event(name: str) -> Exchange:
    return Exchange(post_bytes("/webhooks/x", {}, name.encode()), b"taken")


def test_every_event_is_delivered_in_all_its_copies() -> None:
    seen: Counter[bytes] = Counter()

    def answer(body: bytes) -> bytes:
        seen[body] += 1
        return b"taken"

    with provider_target(answer) as port:
        done = let_loose(port, [event("a"), event("b")], FAST)
    assert (seen[b"a"] >= COPIES, seen[b"b"] >= COPIES) == (True, True)
    assert sum(seen.values()) == 2 * COPIES + done.repeats
    assert (done.measured.right, done.measured.errors) == (sum(seen.values()), 0)


def test_what_waits_is_repeated_and_the_slow_answer_still_counts() -> None:
    released, calls = threading.Event(), Counter[str]()

    def answer(body: bytes) -> bytes:
        calls["all"] += 1
        if calls["all"] > COPIES:  # a repeat has come
            released.set()
        released.wait(10)
        return b"taken"

    with provider_target(answer) as port:
        done = let_loose(port, [event("a")], FAST)
    assert done.repeats >= 1
    assert done.measured.right == COPIES + done.repeats
    assert done.slowest_seconds >= REPEAT_SECONDS


def test_a_wrong_answer_is_an_error_and_is_not_repeated() -> None:
    with provider_target(lambda _: b"try again") as port:
        done = let_loose(port, [event("a")], FAST)
    assert (done.measured.right, done.measured.errors) == (0, COPIES + done.repeats)


def test_events_arrive_at_the_same_moments_in_every_run() -> None:
    assert arrivals(50, 10.0) == arrivals(50, 10.0)
    assert arrivals(2, 10.0)[0] > 0
