"""A server of the tests on loopback: it begins and ends with its `with`."""

import threading
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Self


class Serving:
    """What every emulator does besides its answers."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._stopping = threading.Event()
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        self.port = int(server.server_address[1])

    def pause(self, seconds: float) -> None:
        """Wait so long, or until the server stops."""
        self._stopping.wait(seconds)

    def __enter__(self) -> Self:
        """Serve."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Stop, letting go of whoever still waits."""
        self._stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
