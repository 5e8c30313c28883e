"""Stands between a client and MariaDB and loses or refuses one COMMIT, as a bad line would."""

import contextlib
import select
import socket
import socketserver
import threading
from enum import Enum
from types import TracebackType
from typing import Self

COMMIT = b"\x03COMMIT"  # COM_QUERY and its text, after the four bytes of the packet's header
CHUNK_BYTES = 65_536


class Fault(Enum):
    """What happens to the next COMMIT."""

    COMMIT_LOST = "the line is cut before the server has it"
    ANSWER_LOST = "the server does it, the line is cut before its answer"
    ANSWER_HELD = "the server does it, its answer stays away and the line stands"
    REFUSED = "the server never sees it, the client is told of an error"


class CommitProxy:
    """Listens on loopback at `port` and passes everything on, but for the COMMIT set to fail."""

    def __init__(self, server_port: int) -> None:
        self._fault: Fault | None = None
        self._error = b""
        self._server_port = server_port
        proxy = self

        class Line(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError):
                    proxy._carry(self.request)

        self._listener = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Line)
        self._listener.daemon_threads = True
        self._listener.block_on_close = False
        self.port: int = self._listener.server_address[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._listener.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.shutdown()
        self._listener.server_close()

    def fail_next_commit(self, fault: Fault, error_number: int = 1213) -> None:
        """Let the next COMMIT fail in this way, once."""
        self._error = _error_packet(error_number)
        self._fault = fault

    def url(self, server_url: str) -> str:
        """The URL of a database on the server, reached through here."""
        return server_url.replace(f":{self._server_port}/", f":{self.port}/")

    def _carry(self, client: socket.socket) -> None:
        with socket.create_connection(("127.0.0.1", self._server_port)) as server:
            while True:
                readable, _, _ = select.select((client, server), (), ())
                for source in readable:
                    data = source.recv(CHUNK_BYTES)
                    if not data:
                        return
                    if source is server:
                        client.sendall(data)
                    elif not self._passed(data, client, server):
                        return

    def _passed(self, data: bytes, client: socket.socket, server: socket.socket) -> bool:
        """Pass what the client said on; False when the line is to be cut."""
        fault = self._fault if data[4:] == COMMIT else None
        if fault is not None:
            self._fault = None
        if fault is Fault.COMMIT_LOST:
            return False
        if fault is Fault.REFUSED:
            client.sendall(self._error)
            return True
        server.sendall(data)
        if fault in (Fault.ANSWER_LOST, Fault.ANSWER_HELD):
            server.recv(CHUNK_BYTES)
        return fault is not Fault.ANSWER_LOST


def _error_packet(number: int) -> bytes:
    body = b"\xff" + number.to_bytes(2, "little") + b"#HY000refused by the proxy"
    return len(body).to_bytes(3, "little") + b"\x01" + body
