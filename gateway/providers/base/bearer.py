"""An access token that lives for a while: fetched when needed, renewed before it ends."""

import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from gateway.clock import Clock

EARLY_SECONDS = 30
LIFETIME_SECONDS_MAX = 86_400
SECONDS = re.compile(r"[0-9]{1,9}", re.ASCII)


def lifetime_seconds(written: object) -> int:
    """`expires_in` as it was sent, a number or a text; 0, so used once, when it cannot be read.

    >>> lifetime_seconds("180"), lifetime_seconds("180.5"), lifetime_seconds(None)
    (180, 0, 0)
    """
    readable = isinstance(written, str) and SECONDS.fullmatch(written)
    return min(int(str(written)), LIFETIME_SECONDS_MAX) if readable else 0


class Bearer:
    """One provider's token in memory, shared by threads; only one of them fetches."""

    def __init__(self, fetch: Callable[[], tuple[str, int]], clock: Clock) -> None:
        """`fetch` brings a token and its lifetime in seconds, or raises; nothing is kept then."""
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._token = ""
        self._good_until = datetime.min.replace(tzinfo=UTC)

    def token(self) -> str:
        """A token that will last for the next request."""
        with self._lock:
            asked_at = self._clock.now()
            if not self._token or asked_at >= self._good_until:
                self._token, seconds = self._fetch()
                early = min(EARLY_SECONDS, seconds // 2)
                self._good_until = asked_at + timedelta(seconds=seconds - early)
            return self._token

    def drop(self, refused: str) -> None:
        """Forget a token that was refused, unless another thread has renewed it already."""
        with self._lock:
            if self._token == refused:
                self._token = ""
