"""What the platform asks: is the process alive, and may it be sent callers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus

import structlog
from flask import Blueprint, Response, jsonify

from gateway.web import edge
from gateway.web.access import callers

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class HealthParts:
    """What the health routes are wired to."""

    obstacles: Callable[[], Sequence[str]]  # why the process is not ready; empty: it is


def blueprint(parts: HealthParts) -> Blueprint:
    """`/healthz` and `/readyz`."""
    health = Blueprint("health", __name__)

    @health.get("/healthz")
    @callers("platform")
    def alive() -> Response:
        """The process answers."""
        return edge.plain("ok")

    @health.get("/readyz")
    @callers("platform")
    def ready() -> Response:
        """The database is there, at the newest schema, and no key of a live token is missing."""
        obstacles = list(parts.obstacles())
        answer = jsonify({"ready": not obstacles, "obstacles": obstacles})
        if obstacles:
            log.warning("not_ready", obstacles=obstacles)
            answer.status_code = HTTPStatus.SERVICE_UNAVAILABLE
        return answer

    return health
