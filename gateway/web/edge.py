"""What all aggregator routes share: the path secret, the request without Flask, plain answers."""

import hmac
from collections.abc import Sequence
from http import HTTPStatus

from flask import Request, Response
from werkzeug.datastructures import MultiDict

from gateway.channels.base import Inbound

TEXT = "text/plain; charset=utf-8"
BODY_BYTES_MAX = 64 * 1024
FORM_PARTS_MAX = 200


def is_secret(given: str, secrets: Sequence[str]) -> bool:
    """Whether `given` is one of the valid path secrets, in constant time for each."""
    offered = given.encode("utf-8", "surrogatepass")
    matches = [hmac.compare_digest(offered, secret.encode()) for secret in secrets]
    return any(matches)


def inbound(request: Request) -> Inbound:
    """The request as a channel reads it; the raw body is read first, whatever its type."""
    body = request.get_data(cache=True)
    return Inbound(
        method=request.method,
        form=_last(request.form),
        query=_last(request.args),
        body=body,
        raw_query=request.query_string,
    )


def _last(fields: MultiDict[str, str]) -> dict[str, str]:
    return {name: values[-1] for name, values in fields.lists()}


def plain(text: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """A bare text answer."""
    return Response(text, status, content_type=TEXT)


def not_found() -> Response:
    """What a wrong secret or unknown channel gets: nothing that tells the two apart."""
    return plain("not found", HTTPStatus.NOT_FOUND)
