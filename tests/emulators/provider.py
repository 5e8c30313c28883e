"""A money provider's API over real HTTP on loopback: what all of them share, and their faults.

A subclass answers as its provider documents; `script` puts faults before that, one a request.
"""

import json
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.emulators.serving import Serving

IDLE_SECONDS_MAX = 10.0
Said = tuple[int, object]  # HTTP status, and bytes or what becomes JSON


@dataclass(frozen=True, slots=True)
class Request:
    """A request that arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]  # names in lower case
    body: bytes

    @property
    def document(self) -> dict[str, Any]:
        """The JSON object in it."""
        found = json.loads(self.body)
        assert isinstance(found, dict)
        return found


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one request in place of the usual answer, or to the usual answer."""

    says: Said | None = None  # in place of the usual answer
    carried_out: bool = False  # the request has its effect before `says` or silence
    silent: bool = False  # hang up without a word
    wait_seconds: float = 0.0  # before the answer, or before hanging up
    short_by: int = 0  # bytes of the announced length that never come


USUAL = Fault()
HANGS_UP = Fault(silent=True)
PAID_THEN_HANGS_UP = Fault(silent=True, carried_out=True)
BROKEN = Fault(says=(503, b"<html>Service Unavailable</html>"))
PAID_THEN_BROKEN = Fault(says=(500, b"<html>Internal Server Error</html>"), carried_out=True)
CUT_OFF = Fault(carried_out=True, short_by=20)
NO_JSON = Fault(says=(200, b"OK"), carried_out=True)
TOO_MANY = Fault(says=(429, {"message": "Too many requests"}))


class ProviderApi(Serving, ABC):
    """The server; in a test: `with SnippeApi() as api: ...` and `base_url=api.url`."""

    prefix = ""  # of every path, such as /v1

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._script: deque[Fault] = deque()
        self._lock = threading.Lock()
        super().__init__(_Server(("127.0.0.1", 0), self))
        self.url = f"http://127.0.0.1:{self.port}{self.prefix}"

    @abstractmethod
    def answer(self, request: Request) -> Said:
        """What the provider says, with its effect; one call at a time."""

    def exempt(self, request: Request) -> bool:
        """Whether no fault of the script is for this request."""
        return False

    def script(self, *faults: Fault) -> None:
        """Treat the next requests so, in this order, one each."""
        with self._lock:
            self._script.extend(faults)

    def handle(self, request: Request) -> tuple[Fault, Said]:
        """Take a request down and decide on its answer."""
        with self._lock:
            self.requests.append(request)
            scripted = self._script and not self.exempt(request)
            fault = self._script.popleft() if scripted else USUAL
            if fault.says is None and not fault.silent:
                return fault, self.answer(request)
            if fault.carried_out:
                self.answer(request)
            return fault, fault.says or (200, b"")


class _Handler(BaseHTTPRequestHandler):
    """One connection, one request: our client makes a new one for every call."""

    server: "_Server"
    timeout = IDLE_SECONDS_MAX

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        request = Request(
            method=self.command,
            path=parts.path.removeprefix(self.server.api.prefix),
            query=dict(parse_qsl(parts.query)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(int(self.headers.get("Content-Length", "0"))),
        )
        fault, (status, said) = self.server.api.handle(request)
        self.server.api.pause(fault.wait_seconds)
        if fault.silent:
            return
        content = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content) + fault.short_by))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for them
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], api: ProviderApi) -> None:
        super().__init__(address, _Handler)
        self.api = api

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Let a caller hang up; anything else is a fault of this emulator."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)
