"""What the emulated SMS API can be told to do with a request: take it, refuse it, or fail."""

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What happens to one request; the plain one accepts the message with a 101."""

    status: int = 201
    code: int = 101  # the recipient's
    word: str = "Success"
    body: str | None = None  # in place of the usual answer
    content_type: str = "application/json"
    location: str = ""
    takes: bool = True  # the message goes out to the phone
    wait_seconds: float = 0.0  # after that, before the answer
    unread: bool = False  # the line is dropped before the request is read
    silent: bool = False  # the line is dropped in place of an answer
    short_by: int = 0  # bytes of the answer that are promised and never come


ACCEPT = Behaviour()
ACCEPT_WITH_CHARSET = Behaviour(content_type="application/json; charset=utf-8")
BAD_KEY = Behaviour(
    status=401,
    body="The supplied authentication is invalid",
    content_type="text/plain; charset=UTF-8",
    takes=False,
)
SERVER_ERROR = Behaviour(
    status=500,
    body="There was an internal server error.",
    content_type="text/plain; charset=UTF-8",
    takes=False,
)
DROP_UNREAD = Behaviour(unread=True, takes=False)
DROP_AFTER_TAKING = Behaviour(silent=True)


def refuse(code: int, word: str) -> Behaviour:
    """Refuse the recipient, inside a 201."""
    return Behaviour(code=code, word=word, takes=False)


def refuse_whole(word: str = "InvalidSenderId") -> Behaviour:
    """Refuse the request: no recipient at all, still a 201."""
    body = json.dumps({"SMSMessageData": {"Message": word, "Recipients": []}})
    return Behaviour(body=body, takes=False)


def hang(seconds: float, *, takes: bool) -> Behaviour:
    """Say nothing for so long, having taken the message or not, then drop the line."""
    return Behaviour(wait_seconds=seconds, takes=takes, silent=True)


def slow(seconds: float) -> Behaviour:
    """Accept, and answer so much later."""
    return Behaviour(wait_seconds=seconds)


def answer(status: int, body: str, content_type: str, *, takes: bool = True) -> Behaviour:
    """Answer with these bytes."""
    return Behaviour(status=status, body=body, content_type=content_type, takes=takes)


def redirect(status: int, location: str) -> Behaviour:
    """Send the caller elsewhere."""
    return Behaviour(status=status, body="", location=location, takes=False)
