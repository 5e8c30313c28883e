"""`/metrics` for Prometheus: with a token, or from this machine itself as long as none is set."""

import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from flask import Blueprint, Request, Response, request

from gateway.web import edge
from gateway.web.access import callers

# Whoever sends one of these speaks for somebody else: a proxy on this machine is not this machine.
SPEAKS_FOR = ("X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via")


@dataclass(frozen=True, slots=True)
class MetricsParts:
    """What the route is wired to."""

    told: Callable[[str], tuple[bytes, str]]  # an Accept header to a text and its content type
    tokens: Sequence[str] = field(repr=False)  # any of them opens; none: loopback does


def blueprint(parts: MetricsParts) -> Blueprint:
    """`GET /metrics`."""
    metrics = Blueprint("metrics", __name__)

    @metrics.get("/metrics")
    @callers("platform")
    def scrape() -> Response:
        """What all web processes of this machine count, and how the database stands."""
        if not _may_read(request, parts.tokens):
            return edge.not_found()
        text, content_type = parts.told(request.headers.get("Accept", ""))
        return Response(text, content_type=content_type)

    return metrics


def _may_read(asked: Request, tokens: Sequence[str]) -> bool:
    if tokens:
        scheme, _, given = asked.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and edge.is_secret(given.strip(), tokens)
    return _is_this_machine(asked)


def _is_this_machine(asked: Request) -> bool:
    """Whether the connection itself comes from here, for nobody else; a socket file's does not."""
    if any(name in asked.headers for name in SPEAKS_FOR):
        return False
    before_proxies = asked.environ.get("werkzeug.proxy_fix.orig", asked.environ)
    try:
        address = ipaddress.ip_address(before_proxies.get("REMOTE_ADDR") or "")
    except ValueError:
        return False
    return address.is_loopback
