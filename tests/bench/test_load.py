"""The load generator on a small real HTTP server that answers as each test wants."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

from bench.load import Dialogue, Exchange, drive, get, menu_phase, redeem_phase, split_reply

CALLER = Dialogue("ATUid_1", "+2348030000001", "490750293453273258")
SECONDS_MAX = 5.0


@contextmanager
def aggregator_target(answer: Callable[[dict[str, list[str]]], bytes]) -> Iterator[int]:
    """Serve `answer(form)` over kept-open connections; an empty answer closes the connection."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            reply = answer(parse_qs(body, keep_blank_values=True))
            if not reply:
                self.close_connection = True
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the tests' output quiet."""

    class Server(ThreadingHTTPServer):
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


def menu(form: dict[str, list[str]]) -> bytes:
    return b"END paid NGN 1.00" if form["text"][0].count("*") else b"CON menu"


def test_a_dialogue_is_played_in_its_order_with_cumulative_texts() -> None:
    texts: list[str] = []

    def answer(form: dict[str, list[str]]) -> bytes:
        texts.append(form["text"][0])
        return menu(form)

    with aggregator_target(answer) as port:
        menus = drive(port, menu_phase("/ussd", [CALLER]), 1, SECONDS_MAX)
        redeems = drive(port, redeem_phase("/ussd", [CALLER], b"NGN 1.00"), 1, SECONDS_MAX)
    assert texts == ["", "1", f"1*{CALLER.token}"]
    assert (menus.errors, redeems.errors) == (0, 0)
    assert (len(menus.latencies_ms), len(redeems.latencies_ms)) == (2, 1)


def test_every_item_is_played_once_over_many_lanes() -> None:
    seen: list[str] = []

    def answer(form: dict[str, list[str]]) -> bytes:
        seen.append(form["sessionId"][0])
        return menu(form)

    callers = [Dialogue(f"s{number}", "+2348030000001", "1") for number in range(50)]
    with aggregator_target(answer) as port:
        measured = drive(port, redeem_phase("/ussd", callers, b"NGN 1.00"), 4, SECONDS_MAX)
    assert sorted(seen) == sorted(caller.session_id for caller in callers)
    assert measured.errors == 0
    assert measured.per_second > 0


def test_a_wrong_reply_is_an_error_and_ends_its_dialogue() -> None:
    with aggregator_target(lambda _: b"END Please try again.") as port:
        measured = drive(port, menu_phase("/ussd", [CALLER]), 1, SECONDS_MAX)
    assert measured.errors == 1
    assert measured.first_error == "200 b'END Please try again.'"
    assert (measured.right, measured.per_second) == (0, 0.0)


def test_a_closed_connection_counts_everything_that_was_left() -> None:
    with aggregator_target(lambda _: b"") as port:
        measured = drive(port, menu_phase("/ussd", [CALLER] * 3), 1, SECONDS_MAX)
    assert measured.errors == 3
    assert measured.first_error == "000 b'connection closed'"


def test_what_is_left_when_time_is_up_counts_as_errors() -> None:
    with aggregator_target(menu) as port:
        measured = drive(port, menu_phase("/ussd", [CALLER] * 3), 1, seconds_max=0.0)
    assert measured.errors == 3


def test_a_reply_in_two_pieces_is_one_reply() -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nX: y\r\n\r\nCON menu"
    assert [split_reply(whole[:length]) for length in (10, 40, len(whole) - 1)] == [None] * 3
    assert split_reply(whole) == (b"200", b"CON menu")


def test_a_get_names_its_path() -> None:
    assert get("/healthz").startswith(b"GET /healthz HTTP/1.1\r\n")
    assert Exchange(get("/healthz"), b"").contains == b""
