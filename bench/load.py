"""The load: three-step dialogues over kept-open connections, every reply checked and timed."""

import selectors
import socket
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlencode

RECEIVE_BYTES = 65_536
REPLY_SECONDS_MAX = 10.0
OPENING_PAUSE_SECONDS = 0.005


class Exchange(NamedTuple):
    """One request, ready to send, and what its reply has to look like."""

    request: bytes
    begins: bytes
    contains: bytes = b""


class Dialogue(NamedTuple):
    """A caller who redeems one token in a session of their own."""

    session_id: str
    phone: str
    token: str


@dataclass(slots=True)
class Measured:
    """What one phase of load saw; a reply that is wrong, late or missing is an error."""

    seconds: float = 0.0
    latencies_ms: list[float] = field(default_factory=list)
    errors: int = 0
    first_error: str | None = None

    @property
    def right(self) -> int:
        """How many replies were right; only those are timed."""
        return len(self.latencies_ms)

    @property
    def per_second(self) -> float:
        """Right replies a second."""
        return self.right / self.seconds if self.seconds else 0.0

    def fail(self, what: str, count: int = 1) -> None:
        """Count `count` errors and keep the first one's text."""
        self.errors += count
        self.first_error = self.first_error or what


def post(path: str, fields: dict[str, str]) -> bytes:
    r"""Encode a form as Africa's Talking posts it.

    >>> post("/ussd", {"text": "1*2"}).partition(b"\r\n\r\n")[2]
    b'text=1%2A2'
    """
    headers = {
        "User-Agent": "at-ussd-api/1.0",
        "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8",
    }
    return post_bytes(path, headers, urlencode(fields).encode())


def post_bytes(path: str, headers: Mapping[str, str], body: bytes) -> bytes:
    """Encode a POST of these bytes."""
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        *(f"{name}: {value}" for name, value in headers.items()),
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def get(path: str) -> bytes:
    """Encode a GET without a body."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def step(path: str, dialogue: Dialogue, text: str) -> bytes:
    """Encode one turn of a dialogue: `text` holds all inputs so far, joined with `*`."""
    return post(
        path,
        {
            "phoneNumber": dialogue.phone,
            "serviceCode": "*384*44135#",
            "text": text,
            "sessionId": dialogue.session_id,
            "networkCode": "62130",
        },
    )


def menu_phase(path: str, dialogues: Iterable[Dialogue]) -> list[list[Exchange]]:
    """Return each dialogue's two menu steps: the first dial and the choice of Redeem."""
    return [
        [Exchange(step(path, one, ""), b"CON "), Exchange(step(path, one, "1"), b"CON ")]
        for one in dialogues
    ]


def redeem_phase(path: str, dialogues: Iterable[Dialogue], success: bytes) -> list[list[Exchange]]:
    """Return each dialogue's last step, whose reply must end the session with `success` in it."""
    return [[Exchange(step(path, one, f"1*{one.token}"), b"END ", success)] for one in dialogues]


def split_reply(received: bytes) -> tuple[bytes, bytes] | None:
    r"""Return status and body of one complete HTTP reply, None while bytes are missing.

    >>> split_reply(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    (b'200', b'hi')
    >>> split_reply(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh") is None
    True
    >>> split_reply(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    Traceback (most recent call last):
        ...
    ValueError: a reply without a Content-Length
    """
    head, separator, body = received.partition(b"\r\n\r\n")
    if not separator:
        return None
    _, found, length = head.lower().partition(b"\r\ncontent-length:")
    if not found:
        raise ValueError("a reply without a Content-Length")
    if len(body) < int(length.partition(b"\r\n")[0]):
        return None
    return head[9:12], body


def fault(exchange: Exchange, status: bytes, body: bytes) -> str | None:
    """Say what is wrong with a reply, None when it is right.

    >>> fault(Exchange(b"", b"END ", b"NGN 1.00"), b"200", b"END You received NGN 1.00.")
    >>> fault(Exchange(b"", b"END ", b"NGN 1.00"), b"200", b"END Please try again.")
    "200 b'END Please try again.'"
    """
    right = status == b"200" and body.startswith(exchange.begins) and exchange.contains in body
    return None if right else f"{status.decode()} {body[:120]!r}"


class Lane:
    """One kept-open connection that works through items, one exchange at a time."""

    def __init__(self, port: int, pause_seconds: float = OPENING_PAUSE_SECONDS) -> None:
        self._port = port
        self.socket = self._connect(pause_seconds)
        self.open = True
        self._todo: deque[Exchange] = deque()
        self._received = b""
        self._sent_at = 0.0

    def begin(self, item: Sequence[Exchange], due: float | None = None) -> None:
        """Send the first exchange of an item; its time counts from `due`, or else from now."""
        self._todo.extend(item)
        self._send()
        self._sent_at = self._sent_at if due is None else due

    def read(self, measured: Measured) -> bool:
        """Take in what has arrived; True when the item is finished or has failed."""
        try:
            arrived = self.socket.recv(RECEIVE_BYTES)
        except ConnectionError:
            arrived = b""
        self.open = bool(arrived)
        self._received += arrived
        reply = split_reply(self._received) if arrived else (b"000", b"connection closed")
        if reply is None:
            return False
        took_ms = (time.perf_counter() - self._sent_at) * 1_000
        wrong = fault(self._todo.popleft(), *reply)
        if wrong is None:
            measured.latencies_ms.append(took_ms)
        else:
            measured.fail(wrong)
            self._todo.clear()
        if self._todo:
            self._send()
        return not self._todo

    def _send(self) -> None:
        self._received = b""
        self._sent_at = time.perf_counter()
        self.socket.sendall(self._todo[0].request)

    def _connect(self, pause_seconds: float) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self._port), REPLY_SECONDS_MAX)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Opened in one burst, all connections can end up in one of the two worker processes.
        time.sleep(pause_seconds)
        return connection


def drive(
    port: int, items: Sequence[Sequence[Exchange]], lanes: int, seconds_max: float
) -> Measured:
    """Work through `items` over `lanes` connections in this one thread, at most `seconds_max`."""
    measured = Measured()
    waiting = deque(items)
    with selectors.DefaultSelector() as selector, ExitStack() as sockets:
        opened = [Lane(port) for _ in range(min(lanes, len(items)))]
        started = time.perf_counter()
        for lane in opened:
            sockets.enter_context(lane.socket)
            selector.register(lane.socket, selectors.EVENT_READ, lane)
            lane.begin(waiting.popleft())
        while selector.get_map() and time.perf_counter() - started < seconds_max:
            for key, _ in selector.select(REPLY_SECONDS_MAX):
                finished = key.data.read(measured)
                if finished and waiting and key.data.open:
                    key.data.begin(waiting.popleft())
                elif finished:
                    selector.unregister(key.fileobj)
        measured.seconds = time.perf_counter() - started
        unfinished = len(selector.get_map()) + len(waiting)
    if unfinished:
        measured.fail(f"{unfinished} left after {measured.seconds:.1f} s", unfinished)
    return measured
