"""The line to a provider over real sockets: what is known of a request that failed."""

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from gateway.errors import OutcomeUnknown, SendFailed, Unreachable
from gateway.providers.base.http import BODY_BYTES_MAX, Line, Reply

SECONDS = (1.0, 0.3)  # to connect, between bytes
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Behaviour = Callable[[socket.socket], object]


@contextmanager
def server(behave: Behaviour) -> Iterator[tuple[str, list[bytes]]]:
    """Treats each connection so, once its request is read; and the requests."""
    requests: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    requests.append(_request(connection))
                    if requests[-1]:
                        behave(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", requests
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def _request(connection: socket.socket) -> bytes:
    read = b""
    while b"\r\n\r\n" not in read:
        more = connection.recv(65536)
        if not more:
            return b""
        read += more
    head, _, body = read.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            while len(body) < int(line.split(b":")[1]):
                body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def says(answer: bytes) -> Behaviour:
    """Sends these bytes and hangs up; a caller may have gone before."""

    def behave(connection: socket.socket) -> None:
        try:
            connection.sendall(answer)
        except OSError:
            return

    return behave


def drips(connection: socket.socket) -> None:
    """Never silent for long, and never done."""
    try:
        connection.sendall(OK + b"Content-Length: 1000\r\n\r\n")
        for _ in range(100):
            connection.sendall(b" ")
            time.sleep(0.05)
    except OSError:
        return


def post(url: str) -> Reply:
    headers = {"Content-Type": "application/json"}
    return Line(url, SECONDS).post("/pay", body=b'{"a":1}', headers=headers)


def whole(body: bytes, more: bytes = b"") -> bytes:
    return OK + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


def test_the_bytes_go_out_as_they_were_signed() -> None:
    with server(says(whole(b'{"b": 2}'))) as (url, requests):
        reply = Line(f"{url}/v1/", SECONDS).post(
            "/pay", body=b'{ "a":1 }', headers={"X-Digest": "d"}
        )
    assert (reply.status, reply.body, reply.document()) == (200, b'{"b": 2}', {"b": "2"})
    assert requests[0].startswith(b"POST /v1/pay HTTP/1.1\r\n")
    assert b"X-Digest: d" in requests[0]
    assert requests[0].endswith(b'\r\n\r\n{ "a":1 }')


def test_a_question_carries_its_parameters() -> None:
    with server(says(whole(b"{}"))) as (url, requests):
        Line(url, SECONDS).get("/ask", params={"id": "a b&c"}, headers={"X-Key": "k"})
    assert requests[0].startswith(b"GET /ask?id=a+b%26c HTTP/1.1\r\n")


@pytest.mark.parametrize("status", [201, 400, 401, 404, 409, 429, 500, 503])
def test_any_status_is_an_answer(status: int) -> None:
    answer = b"HTTP/1.1 %d X\r\nContent-Length: 2\r\n\r\n{}" % status
    with server(says(answer)) as (url, _):
        assert post(url) == Reply(status, b"{}")


def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    answer = b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    with server(says(answer)) as (url, requests):
        assert post(url).status == 302
    assert len(requests) == 1


def test_a_compressed_answer_is_read() -> None:
    body = gzip.compress(b'{"a":"b"}')
    with server(says(whole(body, b"Content-Encoding: gzip\r\n"))) as (url, _):
        assert post(url).document() == {"a": "b"}


def test_an_answer_in_chunks_is_read_whole() -> None:
    chunks = b'5\r\n{"a":\r\n4\r\n"b"}\r\n0\r\n\r\n'
    with server(says(OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)) as (url, _):
        assert post(url).document() == {"a": "b"}


def no_answer(connection: socket.socket) -> None:
    time.sleep(1.0)


@pytest.mark.parametrize(
    "behave",
    [
        says(b""),
        no_answer,
        says(b"HTTP/1.1 200"),
        says(b"garbage\r\n\r\n"),
        says(OK),
        says(OK + b"Content-Length: 100\r\n\r\n{}"),
        says(OK + b"Transfer-Encoding: chunked\r\n\r\n64\r\n{}"),
        says(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
        says(whole(b"not gzip", b"Content-Encoding: gzip\r\n")),
        says(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 200 + b"\r\n"),
        says(b"HTTP/1.1 200 OK\r\nX-A: " + b"a" * 70_000 + b"\r\n\r\n"),
    ],
    ids=[
        *("hangs up", "silent", "half a line", "garbage", "no end of headers", "too short"),
        *("a chunk too short", "no chunk", "no gzip", "many headers", "a long header"),
    ],
)
def test_without_a_whole_answer_the_outcome_is_unknown(behave: Behaviour) -> None:
    with server(behave) as (url, requests), pytest.raises(OutcomeUnknown):
        post(url).document()
    assert len(requests) == 1


def test_a_request_that_was_dropped_is_not_sent_again() -> None:
    with server(says(b"")) as (url, requests):
        for _ in range(2):
            with pytest.raises(OutcomeUnknown):
                post(url)
    assert len(requests) == 2


def test_an_answer_without_an_end_is_cut_at_a_limit() -> None:
    body = b"[" + b"1," * BODY_BYTES_MAX
    with server(says(whole(body))) as (url, _):
        reply = post(url)
    assert len(reply.body) == BODY_BYTES_MAX
    with pytest.raises(OutcomeUnknown):
        reply.document()


def test_a_small_answer_that_unpacks_to_much_is_cut_as_well() -> None:
    body = gzip.compress(b"[" + b"1," * BODY_BYTES_MAX)
    with server(says(whole(body, b"Content-Encoding: gzip\r\n"))) as (url, _):
        assert len(post(url).body) <= BODY_BYTES_MAX


def test_an_answer_that_drips_is_left_in_the_end() -> None:
    with server(drips) as (url, _):
        began = time.monotonic()
        with pytest.raises(OutcomeUnknown):
            Line(url, SECONDS, answer_seconds=0.5).post("/pay", body=b"{}", headers={})
        assert time.monotonic() - began < 3.0


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "no-such-host.invalid"])
def test_without_a_connection_nothing_was_handed_over(host: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://{host}:{unused.getsockname()[1]}"
    with pytest.raises(Unreachable) as raised:
        post(url)
    assert "127.0.0.1" not in str(raised.value)


def test_a_handshake_that_fails_is_an_error_of_the_family() -> None:
    with server(says(b"no TLS")) as (url, _), pytest.raises(SendFailed):
        post(url.replace("http://", "https://"))


@pytest.mark.parametrize("body", [b"", b"OK", b"[]", b"null", b'{"a":1,"a":2}', b"[" * 100_000])
def test_an_answer_that_is_no_object_leaves_the_outcome_unknown(body: bytes) -> None:
    with pytest.raises(OutcomeUnknown) as raised:
        Reply(200, body).document()
    assert raised.value.reason == "unreadable answer, HTTP 200"


def test_a_reply_shows_nothing_of_what_it_holds() -> None:
    assert "secret" not in repr(Reply(200, json.dumps({"access_token": "secret"}).encode()))
