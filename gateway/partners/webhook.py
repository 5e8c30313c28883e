"""Calling a partner's endpoint: at an address that was checked, once, bounded in time and size."""

import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import requests.utils
import urllib3
from urllib3.exceptions import HTTPError, NewConnectionError, SSLError, TimeoutError
from urllib3.util import Timeout

from gateway.clock import monotonic
from gateway.errors import BadInput, OutcomeUnknown, Refused, Throttled, Unreachable
from gateway.partners.endpoints import addresses
from gateway.partners.endpoints.addresses import Target

CONNECT_SECONDS, ANSWER_SECONDS = 5.0, 10.0
ADDRESSES_MAX = 2  # of one name that are tried
BODY_BYTES_MAX = 4096  # of an answer, which says nothing that we need
GONE = 410
WAIT_SECONDS_MAX = 3600  # however long the endpoint asks us to wait
_BEFORE_SENDING = (NewConnectionError, SSLError, urllib3.exceptions.ConnectTimeoutError)


@dataclass(frozen=True, slots=True)
class Taken:
    """The endpoint said yes."""

    status: int
    seconds: float


class Outside:
    """The way out; holds no connection and may be shared by threads.

    `loopback` lets endpoints on this machine be called, also over http: never in production.
    """

    def __init__(self, *, loopback: bool = False, trust: ssl.SSLContext | None = None) -> None:
        self.loopback = loopback
        self._given = trust

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        """Made when it is first needed: a process that calls nobody reads no certificates."""
        bundle = requests.utils.DEFAULT_CA_BUNDLE_PATH
        return self._given or ssl.create_default_context(cafile=bundle)

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Taken:
        """Post a webhook; redirects are not followed.

        Raises `Refused` when the endpoint is gone for good (410), `Throttled` for every other
        answer that is no yes, `Unreachable` and `OutcomeUnknown` when there was none.
        """
        began = monotonic()
        try:
            target = addresses.parse(url, loopback=self.loopback)
        except BadInput as error:
            raise Unreachable(str(error)) from None
        status, wait = self._first_answer(target, headers, body)
        if 200 <= status < 300:
            return Taken(status, monotonic() - began)
        if status == GONE:
            raise Refused(f"HTTP {status}: gone", alarm=True)
        raise Throttled(f"HTTP {status}", wait)

    def _first_answer(
        self, target: Target, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, int]:
        """The answer at the first address that can be reached."""
        failure = Unreachable("its name has no address")
        for address in self._checked(target):
            try:
                return self._answer(target, address, headers, body)
            except Unreachable as error:
                failure = error
        raise failure

    def _checked(self, target: Target) -> Sequence[str]:
        """The host's addresses, each once; one that is not fit makes none of them so."""
        try:
            found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise Unreachable("its name is not known") from None
        known = [str(one[4][0]) for one in found]
        if not all(addresses.may_reach(target, one, loopback=self.loopback) for one in known):
            raise Unreachable("its name leads to an address that is not public")
        return list(dict.fromkeys(known))[:ADDRESSES_MAX]

    def _answer(
        self, target: Target, address: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, int]:
        """The status, and how many seconds the endpoint wants to be left alone."""
        try:
            with self._pool(target, address) as pool:
                answer = pool.urlopen(
                    "POST",
                    target.path,
                    body=body,
                    headers={**headers, "Host": target.authority, "Connection": "close"},
                    redirect=False,
                    retries=False,
                    preload_content=False,
                )
                wait = _seconds(answer.headers.get("Retry-After", ""))
                _drain(answer)
                return answer.status, wait
        except _BEFORE_SENDING as error:
            raise Unreachable(f"no connection: {type(error).__name__}") from None
        except HTTPError as error:
            raise OutcomeUnknown(f"no answer: {type(error).__name__}") from None

    def _pool(self, target: Target, address: str) -> urllib3.HTTPConnectionPool:
        timeout = Timeout(connect=CONNECT_SECONDS, read=ANSWER_SECONDS)
        if target.scheme == "http":
            return urllib3.HTTPConnectionPool(address, target.port, timeout=timeout)
        return urllib3.HTTPSConnectionPool(
            address,
            target.port,
            timeout=timeout,
            ssl_context=self._trust,
            server_hostname=target.host,  # whose certificate it must be, whatever the address
            assert_hostname=target.host,
        )


def _drain(answer: urllib3.BaseHTTPResponse) -> None:
    """Read a little, so that a usual answer is not cut off; what it says is not used."""
    try:
        answer.read1(BODY_BYTES_MAX)
    except (HTTPError, TimeoutError):
        return
    finally:
        answer.close()


def _seconds(text: str) -> int:
    """The seconds of a Retry-After header; 0 where it says none.

    >>> _seconds("120"), _seconds("Wed, 21 Oct 2026 07:28:00 GMT"), _seconds("99999999")
    (120, 0, 3600)
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= 9
    return min(int(text), WAIT_SECONDS_MAX) if is_number else 0
