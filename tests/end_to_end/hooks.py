"""Webhooks by real requests: each dialect's credential, and a post from any address."""

import base64
import hashlib
import hmac
import http.client
import json
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.emulators import selcom
from tests.emulators.posting import Answer
from tests.support.serving import Web

LOOPBACK, STRANGER = "127.0.0.1", "127.0.0.2"
STAMP = "2026-01-01T12:00:00+03:00"
Headers = Sequence[tuple[str, str]]


class Proven(NamedTuple):
    """A request with its credential."""

    headers: Headers
    body: bytes


# Makes the credential of a body out of a secret; without a secret, leaves it out.
Proof = Callable[[bytes, str], Proven]


def snippe(body: bytes, secret: str) -> Proven:
    """hex(HMAC-SHA256(secret, timestamp "." body)), signed now."""
    stamp = str(int(time.time()))
    signed = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    named = [("X-Webhook-Timestamp", stamp)]
    return Proven([*named, ("X-Webhook-Signature", signed)] if secret else named, body)


def checkout(body: bytes, secret: str) -> Proven:
    """base64 HMAC-SHA256 over the named fields."""
    said = json.loads(body)
    digest = selcom.digest(secret, STAMP, {name: said[name] for name in selcom.WEBHOOK_FIELDS})
    named = [
        ("Timestamp", STAMP),
        ("Digest-Method", "HS256"),
        ("Signed-Fields", ",".join(selcom.WEBHOOK_FIELDS)),
    ]
    return Proven([*named, ("Digest", digest)] if secret else named, body)


def bearer(body: bytes, secret: str) -> Proven:
    """The token that Selcom was given."""
    return Proven([("Authorization", f"Bearer {secret}")] if secret else [], body)


def hashed(body: bytes, secret: str) -> Proven:
    """base64 HMAC-SHA256 of the body, put into it."""
    digest = base64.b64encode(hmac.digest(secret.encode(), body, hashlib.sha256))
    return Proven([], body.rstrip()[:-1] + b',"hash":"' + digest + b'"}' if secret else body)


def send(
    web: Web, path: str, body: bytes, headers: Headers = (), *, address: str = LOOPBACK
) -> Answer:
    """Post as a provider does, from an address of the loopback network."""
    line = http.client.HTTPConnection(LOOPBACK, web.port, timeout=15, source_address=(address, 0))
    try:
        line.putrequest("POST", path)
        kind = "application/xml" if body.startswith(b"<") else "application/json"
        sent = [("Content-Type", kind), ("Content-Length", str(len(body)))]
        for name, value in (*sent, *headers):
            line.putheader(name, value)
        line.endheaders(body)
        response = line.getresponse()
        return Answer(response.status, response.getheader("Content-Type", ""), response.read())
    finally:
        line.close()


def deliver(web: Web, path: str, proven: Proven) -> Answer:
    """Post with a credential."""
    return send(web, path, proven.body, proven.headers)
