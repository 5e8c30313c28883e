"""What happens to every request: one log line, and errors in the form of their path."""

from http import HTTPStatus

import structlog
from flask import Flask, Response, g, jsonify, request
from werkzeug.exceptions import HTTPException

from gateway.clock import monotonic
from gateway.web import edge
from gateway.web.pages import answers

log = structlog.get_logger()

QUIET = ("/healthz", "/readyz", "/phone/inbox")  # asked all the time: not worth a line each


def install(app: Flask) -> None:
    """Log each request by its route's rule, never its path: the path holds the secret."""
    # Both would answer by themselves in HTML, the first by naming the path with its secret.
    app.url_map.merge_slashes = False
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False

    @app.before_request
    def begin() -> None:
        g.began = monotonic()

    @app.after_request
    def end(response: Response) -> Response:
        if request.path not in QUIET:
            rule = request.url_rule.rule if request.url_rule else "unknown"
            took = round((monotonic() - g.get("began", monotonic())) * 1000)
            log.info(
                "request",
                method=request.method,
                rule=rule,
                status=response.status_code,
                duration_ms=took,
            )
        return response

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
        answer = jsonify(
            {"title": status.phrase, "status": status.value, "code": status.name.lower()}
        )
        answer.content_type = "application/problem+json"
        answer.status_code = status
    elif answers.area_of(path):
        answer = answers.problem(status)
    else:
        answer = edge.plain(status.phrase, status)
    if error is not None and status == HTTPStatus.METHOD_NOT_ALLOWED:
        for name, value in error.get_headers():
            if name == "Allow":
                answer.headers[name] = value
    return answer
