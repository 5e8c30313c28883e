"""A Kannel of our own: Debian's bearerbox and smsbox with the fake SMSC, in a temporary folder.

It runs the configuration of docs/kannel.md, with free ports and the fake SMSC for the line.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from werkzeug.serving import make_server

from gateway.settings.kannel import Kannel as KannelSettings
from tests.support.house import ROOT
from tests.support.mariadb import SEARCH_PATH
from tests.support.serving import free_port
from tests.support.wired import SECRET

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SECONDS_MAX = 15.0
STARTS_MAX = 3
STOP_SECONDS_MAX = 8.0
FAKE_SMSC = "/usr/lib/kannel/test/fakesmsc"
LINE = """group = smsc
smsc = fake
smsc-id = FAKE
port = {port}
connect-allow-ip = 127.0.0.1
allowed-prefix = "+234;234"
"""
BLOCK = re.compile(r"```conf\n(.*?)```", re.DOTALL)
ARRIVED = re.compile(r"Got message \d+: <(.*)>$", re.MULTILINE)
PASSED_ON = "fakesmsc: sent message"
USERNAME, PASSWORD = "KANNEL-USERNAME", "KANNEL-PASSWORD"


class Callbacks:
    """An address on loopback at which an application of the moment answers; 503 without one."""

    def __init__(self) -> None:
        self.application: WSGIApplication | None = None
        self.turned_away = 0  # calls that found none
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self.url = f"http://127.0.0.1:{self._server.port}"

    def _answer(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        application = self.application
        if application is None:
            self.turned_away += 1
            start("503 Service Unavailable", [])
            return []
        return application(environ, start)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Kannel:
    """bearerbox, smsbox and the SMSC, which stands for all phones; each is ended by its id."""

    def __init__(self, callback_url: str) -> None:
        self.callback_url = callback_url
        self.folder = Path(tempfile.mkdtemp(prefix="kannel-"))
        self._ports: dict[str, int] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._lines = 0  # how often the SMSC was connected; each time has a file of its own

    @property
    def settings(self) -> KannelSettings:
        """What the gateway needs to know."""
        sendsms = f"http://127.0.0.1:{self._ports['13013']}/cgi-bin/sendsms"
        return KannelSettings(sendsms, USERNAME, PASSWORD, "POWER", self.callback_url)

    def __enter__(self) -> Self:
        (self.folder / "spool").mkdir()
        for _ in range(STARTS_MAX):
            self._ports = {name: free_port() for name in ("13000", "13001", "13013", "smsc")}
            (self.folder / "kannel.conf").write_text(self._configuration())
            try:
                self.ready()
            except RuntimeError:
                self.cut_power()  # another process took a port between our look and its start
            else:
                return self
        raise RuntimeError(f"Kannel did not come up:\n{self.logs()[-3_000:]}")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.cut_power()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start what is not running of the two boxes; return when they listen."""
        for name, ports in (("bearerbox", ("13001", "smsc")), ("smsbox", ("13013",))):
            if not self._runs(name):
                self._spawn(name, [_binary(name), "-v", "2", "kannel.conf"])
            for port in ports:
                self._wait_for_port(name, self._ports[port])

    def ready(self) -> None:
        """Start what is not running, whatever a test has done to it."""
        self.start()
        if not self._runs("fakesmsc"):
            self.connect()

    def freeze(self, name: str) -> None:
        """Let a process hear and answer nothing; its port still takes connections."""
        self._processes[name].send_signal(signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let it go on where it was."""
        self._processes[name].send_signal(signal.SIGCONT)

    def stop(self, name: str) -> None:
        """Ask a box to end; one that does not is killed."""
        process = self._processes.pop(name)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def restart(self) -> None:
        """Stop both boxes as a service manager does, and start them; the SMSC is gone then."""
        self.stop("smsbox")
        self.stop("bearerbox")
        self.disconnect()
        self.start()

    def cut_power(self) -> None:
        """Kill everything; smsbox first, or it would start a process that nobody knows."""
        for name in ("smsbox", "bearerbox", "fakesmsc"):
            self._kill(name)

    def connect(self) -> None:
        """Let the SMSC connect, which then takes what waits."""
        self._lines += 1
        at = ["-H", "127.0.0.1", "-r", str(self._ports["smsc"]), "-i", "0.01"]
        self._spawn("fakesmsc", [FAKE_SMSC, *at])
        until(lambda: "Entering interactive" in self._smsc_log(), "the SMSC never connected")

    def disconnect(self) -> None:
        """Take the SMSC away."""
        self._kill("fakesmsc")

    def say(self, sender: str, text: str, to: str = "38400") -> None:
        """A phone sends a text; the SMSC reads one at a time."""
        line = self._processes["fakesmsc"].stdin
        assert line is not None
        before = self._smsc_log().count(PASSED_ON)
        line.write(f"{sender} {to} text {text}\n".encode())
        line.flush()
        until(lambda: self._smsc_log().count(PASSED_ON) > before, "the SMSC passed nothing on")

    def arrived(self) -> list[str]:
        """What reached phones since the first connection: sender, phone, kind, text."""
        logs = [self.folder / f"fakesmsc-{n}.log" for n in range(1, self._lines + 1)]
        return [found for log in logs for found in ARRIVED.findall(log.read_text("utf-8"))]

    def logs(self) -> str:
        """Everything the two boxes wrote."""
        names = ("bearerbox", "smsbox")
        files = [path for path in self.folder.glob("*.log") if not path.name.startswith("fakesmsc")]
        assert {f"{name}.log" for name in names} <= {path.name for path in files}
        return "\n".join(path.read_text(errors="replace") for path in files)

    def _kill(self, name: str) -> None:
        process = self._processes.pop(name, None)
        if process is not None:
            process.kill()
            process.wait()
            if process.stdin:
                process.stdin.close()

    def _configuration(self) -> str:
        core, _, boxes = BLOCK.findall((ROOT / "docs" / "kannel.md").read_text())
        line = LINE.format(port=self._ports["smsc"])
        text = "\n".join((core, line, boxes))
        for old, new in (
            *((name, str(port)) for name, port in self._ports.items() if name != "smsc"),
            ("/var/spool/kannel", str(self.folder / "spool")),
            ("/var/log/kannel", str(self.folder)),
            ("http://127.0.0.1:8000", self.callback_url),
            ("/SECRET/", f"/{SECRET}/"),
            ("http-queue-delay = 10", "http-queue-delay = 1"),
        ):
            assert old in text, f"docs/kannel.md lacks {old}"
            text = text.replace(old, new)
        return text

    def _spawn(self, name: str, command: list[str]) -> None:
        setpriv = shutil.which("setpriv", path=SEARCH_PATH)
        dies_with_us = [setpriv, "--pdeathsig", "KILL"] if setpriv else []
        log = f"fakesmsc-{self._lines}.log" if name == "fakesmsc" else f"{name}.out.log"
        with (self.folder / log).open("ab") as output:
            self._processes[name] = subprocess.Popen(
                [*dies_with_us, *command],
                cwd=self.folder,
                stdin=subprocess.PIPE if name == "fakesmsc" else subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C in the terminal is for the tests, not for it
                env={**os.environ, "LC_ALL": "C.UTF-8"},
            )

    def _runs(self, name: str) -> bool:
        process = self._processes.get(name)
        return process is not None and process.poll() is None

    def _wait_for_port(self, name: str, port: int) -> None:
        def listens() -> bool:
            if not self._runs(name):
                raise RuntimeError(f"{name} ended:\n{self.logs()[-3_000:]}")
            try:
                socket.create_connection(("127.0.0.1", port), 1.0).close()
            except OSError:
                return False
            return True

        until(listens, f"{name} never listened")

    def _smsc_log(self) -> str:
        return (self.folder / f"fakesmsc-{self._lines}.log").read_text("utf-8")


def _binary(name: str) -> str:
    path = shutil.which(name, path=SEARCH_PATH)
    if path is None:
        raise RuntimeError(f"{name} is not installed; `make test` installs it")
    return path


def until(condition: Callable[[], object], otherwise: str, seconds: float = SECONDS_MAX) -> None:
    """Return once it holds; raises `TimeoutError` with what is wrong."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(otherwise)
        time.sleep(0.02)
