"""A partner's receiver of webhooks over real HTTP on loopback, which trusts nothing unsigned.

It checks signatures with code of its own, written from the Standard Webhooks specification.
"""

import base64
import hashlib
import hmac
import json
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.emulators.serving import Serving

TOLERANCE_SECONDS = 300
IDLE_SECONDS_MAX = 10.0


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook that came in, its signature good."""

    name: str
    at: int
    body: dict[str, Any]
    headers: dict[str, str]  # names in lower case


def is_signed(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """Whether one of the signatures is made with this secret."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(one, f"v1,{wanted}") for one in given)


class Receiver(Serving):
    """The server; `secret` may be exchanged while it runs, `script` says the next answers."""

    def __init__(
        self,
        port: int = 0,
        secret: str = "",
        clock: Callable[[], float] = time.time,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.secret = secret
        self.hooks: list[Hook] = []
        self.refused: list[str] = []  # what was wrong with those that were not taken
        self._clock = clock
        self._script: deque[tuple[int, dict[str, str], float]] = deque()
        self._lock = threading.Lock()
        super().__init__(_Server(("127.0.0.1", port), self))
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.url = f"http://127.0.0.1:{self.port}/hooks?for=acme"

    def answers(
        self, *statuses: int, headers: dict[str, str] | None = None, wait: float = 0.0
    ) -> None:
        """Answer the next webhooks so, in this order, after a wait."""
        with self._lock:
            self._script.extend((status, headers or {}, wait) for status in statuses)

    @property
    def seqs(self) -> list[int]:
        """The numbers of what was taken, in the order it came in."""
        return [hook.body["seq"] for hook in self.hooks]

    def take(self, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], float]:
        """Decide on a webhook."""
        with self._lock:
            fault = self._fault(headers, body)
            if fault:
                self.refused.append(fault)
                return 400, {}, 0.0
            answer = self._script.popleft() if self._script else (204, {}, 0.0)
            if 200 <= answer[0] < 300:
                stamp = int(headers["webhook-timestamp"])
                known = json.loads(body)
                self.hooks.append(Hook(headers["webhook-id"], stamp, known, headers))
            return answer

    def _fault(self, headers: dict[str, str], body: bytes) -> str:
        if not is_signed(headers, body, self.secret):
            return "signature"
        if abs(int(headers["webhook-timestamp"]) - self._clock()) > TOLERANCE_SECONDS:
            return "timestamp"
        return ""


class _Handler(BaseHTTPRequestHandler):
    """One connection, one request."""

    server: "_Server"
    timeout = IDLE_SECONDS_MAX

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        status, more, wait = self.server.receiver.take(headers, body)
        self.server.receiver.pause(wait)
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for them
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], receiver: Receiver) -> None:
        super().__init__(address, _Handler)
        self.receiver = receiver

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller may hang up."""
