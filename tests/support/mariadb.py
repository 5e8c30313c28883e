"""A MariaDB server of our own: in a temporary folder, on loopback, gone when it is stopped."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pymysql

START_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 15.0
STARTS_MAX = 3  # another process may take the free port between our look and the server's
SEARCH_PATH = f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin"
DEFAULTS = (
    "--bind-address=127.0.0.1",
    "--skip-networking=OFF",
    "--skip-name-resolve",
    "--character-set-server=utf8mb4",
    "--max-connections=500",
    "--innodb-flush-log-at-trx-commit=2",
    "--innodb-buffer-pool-size=128M",
    "--innodb-log-file-size=16M",
    "--log-bin-trust-function-creators=1",
)


class MariaDBServer:
    """Where a server listens on loopback, for whoever did not start it."""

    def __init__(self, port: int) -> None:
        self.port = port

    def url(self, database: str) -> str:
        """The SQLAlchemy URL of one of its databases."""
        return f"mysql+pymysql://root@127.0.0.1:{self.port}/{database}"

    def create_database(self, name: str) -> None:
        """Make a new, empty database; a database of that name is dropped first."""
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS `{name}`")
            cursor.execute(f"CREATE DATABASE `{name}`")

    def connect(self, database: str | None = None) -> "pymysql.Connection[pymysql.cursors.Cursor]":
        """Open a plain connection as root, in autocommit mode."""
        return pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user="root",
            database=database,
            autocommit=True,
            ssl_disabled=True,  # or each connection reads all the system's certificates
        )


class PrivateMariaDB(MariaDBServer):
    """A `mariadbd` started by us; `options` such as `--long-query-time=1` win over the defaults.

    A test may pause or kill `process`; `start` brings a killed server back with its data, on the
    same port. The server also dies with the thread that started it, however that one ends.
    """

    process: subprocess.Popen[bytes]

    def __init__(self, options: Sequence[str] = ()) -> None:
        super().__init__(port=0)
        self._options = tuple(options)
        self._folder: Path | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Install the data folder the first time, start the server, wait until it answers.

        RuntimeError with the end of the server's log if it does not come up.
        """
        if self._folder is None:
            self._folder = _installed_folder()
        for _ in range(STARTS_MAX):
            self.port = self.port or _free_port()
            self.process = self._spawn(self._folder)
            if self._answers():
                return
            if "Address already in use" not in self._log():
                break
            self.port = 0
        log = self._log()
        self.stop()
        raise RuntimeError(f"mariadbd did not come up; the end of its log:\n{log[-2_000:]}")

    def kill(self) -> None:
        """End the server at once, as a power cut would; `start` brings it back."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Shut the server down and remove its folder; harmless when it is down already."""
        if hasattr(self, "process") and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)  # a paused process would not hear SIGTERM
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.kill()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _spawn(self, folder: Path) -> subprocess.Popen[bytes]:
        command = [
            *_dies_with_us(),
            _binary("mariadbd"),
            "--no-defaults",
            *_as_root(),
            f"--datadir={folder / 'data'}",
            f"--tmpdir={folder / 'tmp'}",
            f"--socket={folder / 'socket'}",
            f"--pid-file={self._pid_file()}",
            f"--port={self.port}",
            *DEFAULTS,
            *self._options,
        ]
        with (folder / "log").open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C in the terminal is for the tests, not for it
            )

    def _answers(self) -> bool:
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with self.connect() as connection, connection.cursor() as cursor:
                    cursor.execute("SELECT @@pid_file")
                    return cursor.fetchone() == (self._pid_file(),)  # and not another's server
            except pymysql.err.OperationalError:
                time.sleep(0.05)
        return False

    def _pid_file(self) -> str:
        return f"{self._folder}/pid"

    def _log(self) -> str:
        return (self._folder / "log").read_text(errors="replace") if self._folder else ""


def _installed_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="mariadb-"))
    temporary = folder / "tmp"  # a server deletes what it takes for its own leavings there
    temporary.mkdir()
    done = subprocess.run(
        [
            _binary("mariadb-install-db"),
            "--no-defaults",
            *_as_root(),
            f"--datadir={folder / 'data'}",
            "--auth-root-authentication-method=normal",
            "--skip-name-resolve",
            "--skip-test-db",
            "--innodb-log-file-size=16M",
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        raise RuntimeError(f"mariadb-install-db failed:\n{(done.stdout + done.stderr)[-2_000:]}")
    return folder


def _binary(name: str) -> str:
    path = shutil.which(name, path=SEARCH_PATH)
    if path is None:
        raise RuntimeError(f"{name} is not installed; `make test` installs it")
    return path


def _as_root() -> list[str]:
    """Root has to say that it means it; anyone else runs the server as themselves."""
    return ["--user=root"] if os.geteuid() == 0 else []


def _dies_with_us() -> list[str]:
    """Linux ends the server when the tests die without a chance to stop it (kill -9)."""
    setpriv = shutil.which("setpriv", path=SEARCH_PATH)
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
