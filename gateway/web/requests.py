"""What happens to every request: a name, one log line, and errors in the form of their path."""

from collections.abc import Callable
from http import HTTPStatus

import structlog
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from gateway.clock import monotonic
from gateway.formats import request_id
from gateway.web import edge
from gateway.web.api import problems
from gateway.web.pages import answers

log = structlog.get_logger()

# Asked all the time: not worth a line each.
QUIET = ("/healthz", "/readyz", "/metrics", "/phone/inbox")
# Told of each request: its route's rule, method and status, and how many seconds it took.
Seen = Callable[[str, str, str, float], None]


def unseen(_rule: str, _method: str, _status: str, _seconds: float) -> None:
    """Whom requests are told where nobody counts them."""


def install(app: Flask, seen: Seen = unseen) -> None:
    """Log each request by its route's rule, never its path: the path holds the secret."""
    # Both would answer by themselves in HTML, the first by naming the path with its secret.
    app.url_map.merge_slashes = False
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False

    @app.before_request
    def begin() -> None:
        g.began = monotonic()
        g.request_id = request_id.of(request.headers.get(request_id.HEADER))
        structlog.contextvars.bind_contextvars(request_id=g.request_id)

    @app.after_request
    def end(response: Response) -> Response:
        rule = request.url_rule.rule if request.url_rule else "unknown"
        seconds = monotonic() - g.get("began", monotonic())
        seen(rule, request.method, str(response.status_code), seconds)
        if "request_id" in g:
            response.headers[request_id.HEADER] = g.request_id
        if request.path not in QUIET:
            log.info(
                "request",
                method=request.method,
                rule=rule,
                status=response.status_code,
                duration_ms=round(seconds * 1000),
            )
        return response

    @app.teardown_request
    def forget(_: BaseException | None) -> None:
        structlog.contextvars.clear_contextvars()  # the thread's next request has its own name

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response:
        return _answer(HTTPStatus(error.code or 500), error)

    @app.errorhandler(Exception)
    def failed(_: Exception) -> Response:
        log.exception("request_failed")
        return _answer(HTTPStatus.INTERNAL_SERVER_ERROR, None)


def _answer(status: HTTPStatus, error: HTTPException | None) -> Response:
    """The error in the channel's own form: never HTML or a stack trace to a machine."""
    path = request.path
    if path.startswith("/api/"):
        answer = problems.of_http(status.value)
    elif answers.area_of(path):
        answer = answers.problem(status)
    else:
        answer = edge.plain(status.phrase, status)
    if error is not None and status == HTTPStatus.METHOD_NOT_ALLOWED:
        for name, value in error.get_headers():
            if name == "Allow":
                answer.headers[name] = value
    return answer
