"""What arrives over the wire as nobody expects it: through real gunicorn."""

import http.client
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.end_to_end.calls import INBOUND, USSD, form, in_time, is_last_screen, issue, phone, post
from tests.support.databases import SQLiteTemplate
from tests.support.serving import Installed, Web, production_env
from tests.support.wired import SECRET

MEGABYTE = 1024 * 1024
WORKER_MEGABYTES_MAX = 150


@pytest.fixture(scope="module")
def served(
    sqlite_template: SQLiteTemplate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Installed, Web]]:
    """An installation over SQLite and its gunicorn, for all that arrives in this module."""
    folder = tmp_path_factory.mktemp("wire")
    installed = Installed(folder, production_env(sqlite_template.copy_to(folder / "gateway.db")))
    with installed.web(processes=2) as web:
        yield installed, web


@pytest.fixture
def installed(served: tuple[Installed, Web]) -> Installed:
    """The installation."""
    return served[0]


@pytest.fixture
def web(served: tuple[Installed, Web]) -> Web:
    """Its gunicorn."""
    return served[1]


def resident_megabytes(web: Web) -> list[int]:
    """The memory that each worker holds."""
    found = []
    for worker in web.children():
        status = Path(f"/proc/{worker}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        found.append(int(line.split()[1]) // 1024)
    return found


def test_a_worker_stays_small(web: Web) -> None:
    for number in range(40):
        post(web, form("", f"s{number}", phone(number)))
    assert len(resident_megabytes(web)) == 2
    assert max(resident_megabytes(web)) < WORKER_MEGABYTES_MAX


def test_idle_connections_keep_no_caller_waiting(web: Web) -> None:
    with ExitStack() as open_lines:
        for _ in range(40):
            open_lines.enter_context(socket.create_connection(("127.0.0.1", web.port)))
        time.sleep(0.3)
        with in_time():
            assert post(web, form("", "idle")).text.startswith("CON ")


def in_chunks(body: bytes, size: int = 7) -> Iterator[bytes]:
    """The body in small pieces."""
    for start in range(0, len(body), size):
        yield body[start : start + size]


def test_a_body_in_chunks_is_read_as_any_other(installed: Installed, web: Web) -> None:
    token = issue(installed)
    whole = post(web, form("1", "whole"))
    chunked = post(web, in_chunks(urlencode(form("1", "chunked")).encode()))
    assert whole == chunked
    turn = urlencode(form(f"1*{token.digits}", "paid")).encode()
    answer = post(web, in_chunks(turn))
    assert "NGN 500.00" in answer.text
    assert post(web, turn) == answer


def mebibytes(count: int) -> Iterator[bytes]:
    """A form field of so many megabytes, in pieces."""
    yield b"text="
    for _ in range(count):
        yield b"1" * MEGABYTE


def refused_or_cut(web: Web, body: bytes | Iterator[bytes], path: str) -> int:
    """The status; 0 when the server hung up before it had been sent everything."""
    try:
        answer = post(web, body, path)
    except (BrokenPipeError, ConnectionResetError):
        return 0
    if path == USSD:
        assert is_last_screen(answer)
    return answer.status


def test_huge_bodies_are_refused_quickly_with_flat_memory(web: Web) -> None:
    post(web, form("", "huge"))
    before = max(resident_megabytes(web))
    for path, status in ((USSD, 200), (INBOUND, 413)):
        for _ in range(3):
            with in_time():
                assert refused_or_cut(web, b"text=" + b"1" * 20 * MEGABYTE, path) in (status, 0)
            with in_time():
                assert refused_or_cut(web, mebibytes(20), path) in (status, 0)
            with in_time():
                fields = "&".join(f"f{number}=1" for number in range(100_000)).encode()
                assert refused_or_cut(web, fields, path) in (status, 0)
    assert max(resident_megabytes(web)) < before + 15
    padded = {**form("", "padded"), "extra": "x" * 2_000}
    assert post(web, padded).text.startswith("CON ")


# Headers by which a client would like to be somebody or somewhere else.
FORGED: tuple[dict[str, str], ...] = (
    {"X-Forwarded-For": "10.0.0.1"},
    {"X-Forwarded-For": "<script>alert(1)</script>"},
    {"X_Forwarded_For": "10.0.0.1", "X-Forwarded-For": "10.0.0.2"},
    {"X_Signature": "ff"},
    {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"},
    {"X-Forwarded-Proto": "https", "X-Forwarded-Protocol": "http"},
    {"Forwarded": "for=10.0.0.1;host=evil.example"},
    {"SCRIPT_NAME": "/phone", "PATH_INFO": "/phone"},
    {"Script-Name": "/phone", "Path-Info": "/phone"},
    {"X-HTTP-Method-Override": "GET", "X-Original-URL": "/phone", "X-Rewrite-Url": "/phone"},
    {"Host": "evil.example"},
    {"Authorization": "Bearer \xe9", "X-Signature": "\xe9", "X-Api-Key": "\xe9"},
)


@pytest.mark.parametrize("headers", FORGED)
def test_forged_headers_change_nothing(web: Web, headers: dict[str, str]) -> None:
    turn = form("", f"forged-{FORGED.index(headers)}")
    assert post(web, turn, headers=headers) == post(web, turn)


def test_another_address_does_not_lift_a_callers_limit(web: Web) -> None:
    said = [
        post(
            web,
            form("1*123456789012345671", f"limited-{number}", phone(50)),
            headers={"X-Forwarded-For": f"10.0.0.{number}"},
        ).text
        for number in range(8)
    ]
    assert said[0] != said[-1]
    assert said[-1] == said[-2]


def raw(web: Web, request: bytes) -> bytes:
    """Send these bytes; what comes back until the server hangs up."""
    with socket.create_connection(("127.0.0.1", web.port), 5) as line:
        line.sendall(request)
        line.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := line.recv(65536):
            answer += piece
    return answer


BROKEN: tuple[bytes, ...] = (
    b"POST %s HTTP/9.9\r\nHost: x\r\n\r\n",
    b"POST %s?token=902100000000000014 TTP/1.1\r\n\r\n",
    b"POST %s\r\n\r\n",
    b"p\xe9st %s HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnot-a-size\r\n\r\n",
    b"POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: pigeon\r\n\r\n",
    b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\ntext=",
    b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: a/b; \xff\r\nContent-Length: 1\r\n\r\n1",
    b"POST %s" + b"x" * 9_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /ussd/africastalking/\xe9\xff HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
)


def test_broken_requests_are_answered_and_put_no_secret_into_the_log(
    installed: Installed, web: Web
) -> None:
    for request in BROKEN:
        answer = raw(web, request.replace(b"%s", USSD.encode()))
        assert answer == b"" or answer.startswith(b"HTTP/1.")
        assert b"Traceback" not in answer
    assert post(web, form("", "broken")).text.startswith("CON ")
    assert SECRET not in installed.logs()
    assert "902100000000000014" not in installed.logs()


def test_a_callback_over_a_kept_connection_is_answered_turn_by_turn(web: Web) -> None:
    line = http.client.HTTPConnection("127.0.0.1", web.port, timeout=5)
    for text in ("", "1", "1*0"):
        line.request(
            "POST",
            USSD,
            urlencode(form(text, "kept-open")),
            {"Content-Type": "application/x-www-form-urlencoded"},
        )
        assert line.getresponse().read().startswith(b"CON ")
    line.close()
