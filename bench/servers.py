"""Starts gunicorn with the same settings for floor and product, and stops it by its pid."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CONFIG = Path(__file__).parent / "gunicorn_settings.py"  # for both sides the same
READY_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 10.0


@dataclass(frozen=True, slots=True)
class Server:
    """A running gunicorn: where it listens and the pid of its master."""

    port: int
    pid: int

    def worker_memory_mb(self) -> list[float]:
        """Resident memory of each worker in MB, from /proc."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [resident_mb(Path(f"/proc/{child}/status").read_text()) for child in children]


def resident_mb(status: str) -> float:
    r"""Read the resident memory from a /proc/<pid>/status text, in MB of 1,000,000 bytes.

    >>> resident_mb("Name:\tgunicorn\nVmRSS:\t   50000 kB\nThreads:\t9\n")
    51.2
    >>> resident_mb("Name:\tzombie\n")
    Traceback (most recent call last):
        ...
    ValueError: no VmRSS in the status text
    """
    return _megabytes(status, "VmRSS")


def largest_resident_mb(status: str) -> float:
    r"""Read the peak of the resident memory from a /proc/<pid>/status text, in MB.

    >>> largest_resident_mb("VmHWM:\t   50000 kB\nVmRSS:\t   40000 kB\n")
    51.2
    """
    return _megabytes(status, "VmHWM")


def _megabytes(status: str, name: str) -> float:
    for line in status.splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1_024 / 1_000_000
    raise ValueError(f"no {name} in the status text")


@contextmanager
def serving(application: str, env: Mapping[str, str], log: Path) -> Iterator[Server]:
    """Run `application` under gunicorn on a free loopback port while the block runs.

    Its output goes to the file `log`; RuntimeError with the log's end when it does not come up.
    """
    port = _free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            _command(application, port),
            env={**os.environ, **env},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_ready(process, port, log)
            yield Server(port, process.pid)
        finally:
            _stop(process)


def _command(application: str, port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", application),
        *("--config", str(CONFIG)),
        *("--bind", f"127.0.0.1:{port}"),
    ]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait for an HTTP answer, which a worker gives only once it has loaded the application."""
    deadline = time.monotonic() + READY_SECONDS_MAX
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), 1.0) as connection:
                connection.settimeout(READY_SECONDS_MAX)
                connection.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
                if connection.recv(1):
                    return
        except ConnectionError:
            time.sleep(0.1)
    tail = log.read_text(errors="replace")[-3_000:]
    raise RuntimeError(f"the server did not come up; the end of its log:\n{tail}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
