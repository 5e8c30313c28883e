"""A webhook in chunks through real gunicorn: the same bytes, so that its signature verifies."""

import http.client
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.database.engine import Database
from gateway.deposits.callbacks.store import callbacks
from tests.deposits.staging import snippe_body, snippe_headers
from tests.support.serving import Installed, Web, production_env

SECRET = "snippe-secret"


@pytest.fixture
def web(sqlite_url: str, tmp_path: Path) -> Iterator[Web]:
    """gunicorn with Snippe's webhook set up, and nothing else of it."""
    env = {**production_env(sqlite_url), "GATEWAY_SNIPPE_WEBHOOK_SECRET": SECRET}
    installed = Installed(tmp_path, env)
    installed.command("keys", "rotate", "lookup", "p1")
    with installed.web() as started:
        yield started


def in_chunks(body: bytes, size: int = 7) -> Iterator[bytes]:
    """The body in small pieces."""
    for start in range(0, len(body), size):
        yield body[start : start + size]


def sent(web: Web, body: bytes, headers: dict[str, str], *, chunked: bool) -> int:
    """The status of the answer."""
    line = http.client.HTTPConnection("127.0.0.1", web.port, timeout=10)
    try:
        data = in_chunks(body) if chunked else body
        line.request("POST", "/webhooks/snippe", data, headers, encode_chunked=chunked)
        return line.getresponse().status
    finally:
        line.close()


def test_a_chunked_body_verifies_and_settles_as_a_whole_one(web: Web, sqlite_url: str) -> None:
    body = snippe_body("ORD-1001")
    stamp = str(int(datetime.now(UTC).timestamp()))
    headers = dict(snippe_headers(body, stamp, SECRET))
    chunked = {**headers, "Transfer-Encoding": "chunked"}
    assert sent(web, body, chunked, chunked=True) == 200
    assert sent(web, body, headers, chunked=False) == 200
    assert sent(web, body[:-1], {**chunked}, chunked=True) == 401
    database = Database(sqlite_url)
    query = callbacks.select().order_by(callbacks.c.id)
    kept = database.run(lambda c: list(c.execute(query).mappings()))
    database.dispose()
    assert [row["became"] for row in kept] == ["suspense", "duplicate"]
    assert [row["body"] for row in kept] == [body, body]
