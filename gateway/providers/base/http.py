"""Requests to a provider: bounded in time and size, with what is known of one that failed."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import requests
from urllib3.exceptions import ConnectTimeoutError, MaxRetryError, NewConnectionError, SSLError

from gateway import errors
from gateway.clock import monotonic
from gateway.formats import strict_json

TIMEOUT_SECONDS = (3.05, 20.0)  # to connect, between bytes
ANSWER_SECONDS_MAX = 40.0  # from its headers to its end: one that drips would hold a worker
BODY_BYTES_MAX = 1_000_000


@dataclass(frozen=True, slots=True)
class Reply:
    """What a provider answered, under whatever HTTP status."""

    status: int
    body: bytes = field(repr=False)

    def document(self) -> dict[str, Any]:
        """The JSON object in it; `OutcomeUnknown` when there is none: the request was read."""
        try:
            return strict_json.document(self.body)
        except strict_json.InvalidJson:
            raise errors.OutcomeUnknown(f"unreadable answer, HTTP {self.status}") from None


class Line:
    """The way to one provider; holds no connection and may be shared by threads."""

    def __init__(
        self,
        base_url: str,
        timeout_seconds: tuple[float, float] = TIMEOUT_SECONDS,
        answer_seconds: float = ANSWER_SECONDS_MAX,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._timeout_seconds = timeout_seconds
        self._answer_seconds = answer_seconds

    def get(
        self,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Reply:
        """Ask; errors as in `post`."""
        return self._send("GET", path, headers=dict(headers or {}), params=params)

    def post(self, path: str, *, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Send bytes that were made, and perhaps signed, by the caller.

        Raises `Unreachable` when nothing was handed over, and `OutcomeUnknown` when something may
        have been: no answer in time, or one that was cut off. Redirects are not followed.
        """
        return self._send("POST", path, headers=dict(headers), data=body)

    def _send(self, method: str, path: str, **parts: Any) -> Reply:
        try:
            with requests.request(
                method,
                f"{self._base_url}{path}",
                timeout=self._timeout_seconds,
                allow_redirects=False,
                stream=True,
                **parts,
            ) as answer:
                return Reply(answer.status_code, self._body(answer.raw))
        except errors.SendFailed:
            raise
        except requests.RequestException as error:
            raise _fault(error) from None
        except Exception as error:  # noqa: BLE001 - urllib3's own errors while the body is read
            raise errors.OutcomeUnknown(f"no whole answer: {type(error).__name__}") from None

    def _body(self, raw: Any) -> bytes:
        """The body, unpacked, cut at its limit; `OutcomeUnknown` when it takes too long."""
        until = monotonic() + self._answer_seconds
        body = bytearray()
        while len(body) < BODY_BYTES_MAX:
            more = raw.read1(BODY_BYTES_MAX - len(body), decode_content=True)
            if not more:
                break
            body += more
            if monotonic() > until:
                raise errors.OutcomeUnknown("the answer took too long")
        return bytes(body)


def _fault(error: requests.RequestException) -> errors.SendFailed:
    """`Unreachable` only when no byte of the request can have left."""
    cause = error.args[0] if error.args else None
    if isinstance(cause, MaxRetryError):
        cause = cause.reason
    if isinstance(cause, SSLError) and cause.args:
        cause = cause.args[0]
    before_sending = (ConnectTimeoutError, NewConnectionError, ssl.SSLCertVerificationError)
    if isinstance(cause, before_sending):
        return errors.Unreachable(f"no connection: {type(cause).__name__}")
    return errors.OutcomeUnknown(f"no answer: {type(error).__name__}")
