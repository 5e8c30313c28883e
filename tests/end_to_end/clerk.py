"""Somebody of the staff at a browser without a screen, over real HTTP."""

import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from urllib.parse import urlencode, urljoin

from gateway.web.pages.answers import CAME_IN

_FORM_KEY = re.compile('name="csrf" value="([0-9a-f]{64})"')


class _Stay(urllib.request.HTTPRedirectHandler):
    """Shows a redirect instead of following it."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Stay."""


@dataclass(frozen=True, slots=True)
class Page:
    """What came back."""

    status: int
    path: str  # where it was found, or where it sends on to
    text: str = field(repr=False)


@dataclass
class Clerk:
    """A browser in one area of a server; `area` is /counter or /console."""

    url: str
    area: str
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def cookie(self) -> str:
        """The session's cookie, as a browser sends it."""
        return "; ".join(f"{name}={v}" for name, v in self.cookies.items() if name != CAME_IN)

    def get(self, path: str) -> Page:
        """Open a page, and wherever it sends on to."""
        found = self._ask(path)
        return self.get(found.path) if found.status in (302, 303) else found

    def post(self, path: str, **fields: str) -> Page:
        """Send a form with its key, and open what it leads to."""
        found = self.send(path, **fields)
        return self.get(found.path) if found.status == 303 else found

    def send(self, path: str, **fields: str) -> Page:
        """Send a form and stay at its answer."""
        return self.filled_in(path, **fields)()

    def filled_in(self, path: str, **fields: str) -> Callable[[], Page]:
        """A form with its key; what is returned sends it, as often as it is called."""
        key = _FORM_KEY.search(self.get(f"{self.area}/pin").text)
        assert key is not None
        body = urlencode({"csrf": key[1], **fields}).encode()
        return lambda: self._ask(path, body)

    def log_in(self, phone: str, pin: str) -> Page:
        """Fill in the login."""
        return self.post(f"{self.area}/login", phone=phone, pin=pin)

    def _ask(self, path: str, body: bytes | None = None) -> Page:
        # By hand: a jar would keep a Secure cookie from plain HTTP, which a proxy makes of HTTPS.
        sent = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Cookie": sent} if sent else {}
        asked = urllib.request.Request(urljoin(self.url, path), body, headers)
        try:
            with urllib.request.build_opener(_Stay).open(asked, timeout=30) as answer:
                return self._page(path, answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return self._page(path, error.code, error.headers, error.read())

    def _page(self, path: str, status: int, headers: Message, body: bytes) -> Page:
        for given in headers.get_all("Set-Cookie") or []:
            name, _, value = given.partition(";")[0].partition("=")
            self.cookies[name] = value
        return Page(status, headers.get("Location") or path, body.decode())
