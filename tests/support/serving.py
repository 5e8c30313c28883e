"""The gateway as it is installed: real gunicorn, worker and command processes on the loopback."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.emulators.dialer import Dialer
from tests.support.house import ROOT
from tests.support.wired import GENERATE_KEY, LOOKUP_KEY, SECRET

BIN = Path(sys.executable).parent
READY_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 20.0
COMMAND_SECONDS_MAX = 60.0
STARTS_MAX = 3  # another process may take the free port between our look and gunicorn's


def production_env(url: str, sms_api: str = "http://127.0.0.1:9") -> dict[str, str]:
    """All that production requires and nothing more; `sms_api` is where the SDK posts to."""
    return {
        "GATEWAY_DATABASE_URL": url,
        "GATEWAY_TOKEN_KEYS": f"k1:{GENERATE_KEY}",
        "GATEWAY_LOOKUP_KEYS": f"p1:{LOOKUP_KEY}",
        "GATEWAY_CALLBACK_SECRET": SECRET,
        "GATEWAY_SESSION_KEY": "test-session-key-32-characters--",
        "GATEWAY_PIN_PEPPER": "test-pin-pepper-32-characters---",
        "GATEWAY_SMS_CHANNELS": "africastalking",
        "AFRICASTALKING_USERNAME": "sandbox",
        "AFRICASTALKING_API_KEY": "test-api-key",
        "AFRICASTALKING_BASE_URL": sms_api,
    }


def clean_env(wanted: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without any setting of the gateway, and the wanted ones."""
    ours = ("GATEWAY_", "AFRICASTALKING_", "KANNEL_", "GUNICORN_", "WEB_CONCURRENCY")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, **wanted}


class Process:
    """A process of ours with its log; it is stopped by its pid."""

    def __init__(self, command: list[str], env: Mapping[str, str], log: Path, cwd: Path) -> None:
        self.log = log
        with log.open("ab") as output:
            self.popen = subprocess.Popen(
                command,
                env=clean_env(env),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @property
    def pid(self) -> int:
        """The process's id."""
        return self.popen.pid

    def text(self) -> str:
        """Everything it wrote."""
        return self.log.read_text(errors="replace")

    def children(self) -> list[int]:
        """The processes it started that live."""
        return children_of(self.pid)

    def wait_for(self, words: str, seconds: float = READY_SECONDS_MAX) -> None:
        """Return when it has written the words; RuntimeError with its log otherwise."""
        end = time.monotonic() + seconds
        while words not in self.text():
            if self.popen.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"never wrote {words!r}; its log:\n{self.text()[-3_000:]}")
            time.sleep(0.05)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop and wait; the exit code. Killed when it does not."""
        if self.popen.poll() is None:
            self.popen.send_signal(number)
        try:
            return self.popen.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
            raise


class Web(Process):
    """gunicorn with its workers, listening on `port`."""

    port: int

    @property
    def url(self) -> str:
        """Where it listens, without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def dialer(self) -> Dialer:
        """Africa's Talking, dialling this server."""
        return Dialer(self.url, SECRET)


class Installed:
    """One installation: a database, its settings, and the processes a test starts from it."""

    def __init__(self, folder: Path, env: Mapping[str, str], cwd: Path = ROOT) -> None:
        self.folder = folder
        self.env = dict(env)
        self.cwd = cwd
        self.commands_log = folder / "commands.log"

    @contextmanager
    def web(self, name: str = "web", *, processes: int = 1) -> Iterator[Web]:
        """`gunicorn wsgi:application` while the block runs, once a worker answers.

        Each process takes a second to start: what is about races and kills asks for two.
        """
        web = self._started_web(self.folder / f"{name}.log", processes)
        try:
            yield web
        finally:
            web.stop()

    @contextmanager
    def worker(self, *options: str, name: str = "worker") -> Iterator[Process]:
        """`gateway worker` while the block runs, once its threads are up."""
        log = self.folder / f"{name}.log"
        worker = Process([str(BIN / "gateway"), "worker", *options], self.env, log, self.cwd)
        try:
            worker.wait_for("worker_started")
            yield worker
        finally:
            worker.stop()

    def command(
        self, *words: str, stdin: str | None = None, **changes: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run `gateway …` to its end; what it printed, stderr is kept for the logs too."""
        done = subprocess.run(
            [str(BIN / "gateway"), *words],
            env=clean_env({**self.env, **changes}),
            cwd=self.cwd,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS_MAX,
            check=False,
        )
        with self.commands_log.open("a") as log:
            log.write(done.stderr)
        return done

    def json(self, *words: str, stdin: str | None = None) -> Any:
        """What `gateway … --json` says: exactly one document, and exit code 0."""
        done = self.command(*words, "--json", stdin=stdin)
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout)

    def logs(self) -> str:
        """Every log of every process so far."""
        return "\n".join(log.read_text(errors="replace") for log in self.folder.glob("*.log"))

    def _started_web(self, log: Path, processes: int) -> Web:
        for _ in range(STARTS_MAX):
            port = free_port()
            ours = {"GATEWAY_BIND": f"127.0.0.1:{port}", "WEB_CONCURRENCY": str(processes)}
            env = {**self.env, **ours}
            web = Web([str(BIN / "gunicorn"), "wsgi:application"], env, log, self.cwd)
            web.port = port
            if _answers(web):
                return web
            web.stop()
            if "in use" not in web.text():
                break
        raise RuntimeError(f"the web server did not come up; its log:\n{log.read_text()[-3_000:]}")


def children_of(pid: int) -> list[int]:
    """The living children of a process."""
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [int(child) for child in listed]


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that waits to be reaped has."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(web: Web) -> bool:
    """Wait for an HTTP answer, which a worker gives only once it has loaded the application."""
    end = time.monotonic() + READY_SECONDS_MAX
    while time.monotonic() < end and web.popen.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", web.port), 1.0) as line:
                line.settimeout(READY_SECONDS_MAX)
                line.sendall(b"GET / HTTP/1.0\r\n\r\n")
                if line.recv(1):
                    return True
        except OSError:
            time.sleep(0.05)
    return False
