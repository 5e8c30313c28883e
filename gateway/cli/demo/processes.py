"""The demo's processes: one socket, a web server and a worker that live and end together."""

import os
import signal
import socketserver
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import IO

from gateway.clock import monotonic
from gateway.errors import GatewayError, Misconfigured

STOP_SECONDS = 15
GUNICORN_CONF = Path(__file__).parents[3] / "gunicorn.conf.py"

Child = subprocess.Popen[bytes]


class ChildEnded(GatewayError):
    """One of the demo's processes ended by itself; the text names it and its log."""


class Stop:
    """Whether somebody asked the demo to stop, by Ctrl-C or a signal."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True


class Door(socketserver.TCPServer):
    """The listening socket: ours from the first moment on, handed down to gunicorn."""

    allow_reuse_address = True
    request_queue_size = 128


def listening(bind: str) -> Door:
    """The socket that the demo serves at. Raises `Misconfigured`."""
    host, _, port = bind.rpartition(":")
    try:
        return Door((host, int(port)), socketserver.BaseRequestHandler)
    except (OSError, OverflowError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no such address"
        raise Misconfigured(
            f"cannot listen at {bind}: {why}; GATEWAY_BIND may name another"
        ) from None


def started(door: Door, output: IO[bytes]) -> dict[str, Child]:
    """The children by their names; what they say goes to `output`."""
    number = door.fileno()
    web = [sys.executable, "-m", "gunicorn", "--config", str(GUNICORN_CONF)]
    commands = {
        "web": [*web, "--bind", f"fd://{number}", "wsgi:application"],
        "worker": [sys.argv[0], "worker", "--sweep-every", "60"],
    }
    return {
        name: subprocess.Popen(  # noqa: S603 (our own programs, fixed arguments)
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(number,) if name == "web" else (),
            start_new_session=True,  # Ctrl-C is for the demo, which then stops them in order
        )
        for name, command in commands.items()
    }


def supervise(children: Mapping[str, Child], stop: Stop, log: Path) -> None:
    """Until a signal or the end of one child; then end the others. Raises `ChildEnded`."""
    while not stop.asked and all(child.poll() is None for child in children.values()):
        time.sleep(0.2)
    ended = [f"{name} ({child.poll()})" for name, child in children.items() if _over(child)]
    _end(list(children.values()))
    if not stop.asked:
        raise ChildEnded(f"ended by itself: {', '.join(ended)}; see {log}")


def _over(child: Child) -> bool:
    return child.poll() is not None


def _end(children: list[Child]) -> None:
    for child in children:
        if not _over(child):
            child.terminate()
    end = monotonic() + STOP_SECONDS
    for child in children:
        try:
            child.wait(max(0.1, end - monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
