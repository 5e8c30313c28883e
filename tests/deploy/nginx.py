"""A real nginx with the configuration of deploy/nginx, in a folder of its own, on loopback."""

import http.client
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.house import ROOT
from tests.support.serving import free_port

CONFIGURATION = ROOT / "deploy/nginx/gateway.conf"
NAME = "gateway.example.com"
SEARCH_PATH = f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin"
READY_SECONDS_MAX = 10.0
ERRORS = "emerg"  # the level of the example's error log
# What Debian's own nginx.conf has around it; every temporary file has a folder of the test's.
AROUND = """
{user}daemon off;
pid {folder}/nginx.pid;
error_log {folder}/main.error.log info;
events {{ worker_connections 256; }}
http {{
    access_log {folder}/other.access.log;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/gateway.conf;
}}
"""


class Said(NamedTuple):
    """What nginx answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Nginx:
    """Where it listens, and what it writes."""

    folder: Path
    tls: int  # the port with TLS
    clear: int  # the port without

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        plain: bool = False,
    ) -> Said:
        """One request, over TLS but where it is to be `plain`."""
        line = self._line(plain)
        try:
            line.request(method, path, body, {"Host": NAME, **(headers or {})})
            answer = line.getresponse()
            return Said(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            line.close()

    def raw(self, sent: bytes, port: int | None = None) -> bytes:
        """What is answered to these bytes, over a line without TLS."""
        with socket.create_connection(("127.0.0.1", port or self.clear), 5) as line:
            line.sendall(sent)
            return line.recv(4096)

    def logs(self) -> str:
        """All that it wrote, anywhere in its folder."""
        files = (file for file in self.folder.rglob("*") if file.is_file())
        kept = (file for file in files if file.suffix not in (".conf", ".pem"))
        return "\n".join(file.read_text(errors="replace") for file in kept)

    def access(self) -> str:
        """The access log, once the last answer's line is in it."""
        time.sleep(0.2)
        return (self.folder / "gateway.access.log").read_text()

    def _line(self, plain: bool) -> http.client.HTTPConnection:
        if plain:
            return http.client.HTTPConnection("127.0.0.1", self.clear, timeout=15)
        trusting = ssl.create_default_context()
        trusting.check_hostname = False
        trusting.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self.tls, timeout=15, context=trusting)


@contextmanager
def served(folder: Path, upstream: int, errors: str = ERRORS) -> Iterator[Nginx]:
    """nginx while the block runs, in front of what listens at a port; `errors` it writes down."""
    nginx = Nginx(folder, free_port(), free_port())
    _certificate(folder)
    text = configured(nginx, upstream)
    (folder / "gateway.conf").write_text(text.replace(f" {ERRORS};", f" {errors};"))
    user = "user root;\n" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=user))
    command = [_binary(), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with (folder / "stderr.log").open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=output)
    try:
        _await(nginx, process)
        yield nginx
    finally:
        process.send_signal(signal.SIGQUIT)
        process.wait(READY_SECONDS_MAX)


def configured(nginx: Nginx, upstream: int) -> str:
    """The example with what a person has to change, changed; each of it is there."""
    text = CONFIGURATION.read_text()
    changes = {
        "server 127.0.0.1:8000;": f"server 127.0.0.1:{upstream};",
        "listen 80;": f"listen 127.0.0.1:{nginx.clear};",
        "listen 443 ssl;": f"listen 127.0.0.1:{nginx.tls} ssl;",
        "/etc/ssl/gateway/": f"{nginx.folder}/",
        "/var/log/nginx/": f"{nginx.folder}/",
    }
    for example, ours in changes.items():
        assert example in text, example
        text = text.replace(example, ours)
    return text


def _binary() -> str:
    found = shutil.which("nginx", path=SEARCH_PATH)
    if found is None:
        raise RuntimeError("nginx is not installed; `make test` installs it")
    return found


def _await(nginx: Nginx, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + READY_SECONDS_MAX
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", nginx.tls), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"nginx did not come up: {nginx.logs()}")


def _certificate(folder: Path) -> None:
    """One that nobody trusts, for a day."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (folder / "fullchain.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8)
    (folder / "privkey.pem").write_bytes(key.private_bytes(*form, serialization.NoEncryption()))
