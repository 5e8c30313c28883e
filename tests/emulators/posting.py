"""One form post over real HTTP, as an aggregator's callbacks make it, and the raw answer to it."""

import http.client
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

FORM = "application/x-www-form-urlencoded"
ANSWER_SECONDS_MAX = 10.0  # Africa's Talking's own limit


class Answer(NamedTuple):
    """What came back; the body byte for byte."""

    status: int
    content_type: str
    body: bytes

    @property
    def text(self) -> str:
        """The body as UTF-8."""
        return self.body.decode()

    @property
    def ends(self) -> bool:
        """Whether a USSD reply closes the dialogue."""
        return self.body.startswith(b"END ")


def post_form(
    url: str,
    fields: Mapping[str, str] | bytes,
    *,
    user_agent: str,
    content_type: str = FORM,
) -> Answer:
    """Post the fields, or a raw body; raises `OSError` when the line fails."""
    body = fields if isinstance(fields, bytes) else urlencode(fields).encode()
    parts = urlsplit(url)
    line = http.client.HTTPConnection(parts.netloc, timeout=ANSWER_SECONDS_MAX)
    try:
        headers = {"Content-Type": content_type, "User-Agent": user_agent}
        line.request("POST", parts.path or "/", body, headers)
        response = line.getresponse()
        return Answer(response.status, response.getheader("Content-Type", ""), response.read())
    finally:
        line.close()
