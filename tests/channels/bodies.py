"""Raw request bodies as the web edge hands them to a channel."""

from pathlib import Path

from werkzeug import Request
from werkzeug.test import EnvironBuilder

from gateway.channels.base import Inbound

SAMPLES = Path(__file__).parent / "samples"
FORM = "application/x-www-form-urlencoded"


def sample(name: str) -> bytes:
    """A file under samples/."""
    return (SAMPLES / name).read_bytes()


def inbound(
    body: bytes = b"", *, query: str = "", content_type: str = FORM, method: str = "POST"
) -> Inbound:
    """The request, its form and query decoded by the library that the web edge uses."""
    builder = EnvironBuilder(
        method=method, data=body, query_string=query, content_type=content_type
    )
    request = Request(builder.get_environ())
    return Inbound(
        method=request.method,
        form={name: values[-1] for name, values in request.form.lists()},
        query={name: values[-1] for name, values in request.args.lists()},
        body=body,
        raw_query=request.query_string,
    )
