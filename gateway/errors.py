"""One family of errors, named by what the caller of a failing step should do next."""

from datetime import datetime


class GatewayError(Exception):
    """Any error the gateway raises on purpose; its text never holds token digits or a PIN."""


class BadInput(GatewayError):
    """The caller's input cannot be used; the text says what is wrong and is fit to be shown."""


class Misconfigured(GatewayError):
    """The process cannot start or go on with these settings; the text names the setting."""


# --- the database: what is known about a unit of work that did not return ---------------------


class TryAgain(GatewayError):
    """The unit of work was rolled back for certain and may be tried again later."""


class DeadlineExceeded(TryAgain):
    """The time allowed for the unit of work ran out before COMMIT was sent."""


class CommitUnknown(GatewayError):
    """COMMIT was sent and no answer came: the unit of work may or may not have happened."""


class RaceLost(GatewayError):
    """Another transaction changed what this one had read; repeat the whole unit of work."""


class DuplicateKey(GatewayError):
    """A unique index refused a row; `index` is its name (MariaDB) or its columns (SQLite)."""

    def __init__(self, index: str) -> None:
        super().__init__(f"duplicate key on {index}")
        self.index = index


# --- the outside: what is known about something we sent ----------------------------------------


class SendFailed(GatewayError):
    """Base of what a channel or provider raises; `reason` is the outside's word or ours."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unreachable(SendFailed):
    """Nothing was handed over (no connection): retry with backoff."""


class Throttled(SendFailed):
    """Refused for now (rate, credit, their outage): retry later; `retry_after` in seconds."""

    def __init__(self, reason: str, retry_after: int = 60, *, alarm: bool = False) -> None:
        super().__init__(reason)
        self.retry_after = retry_after
        self.alarm = alarm  # somebody has to act (credentials, credit) before it can go out


class Refused(SendFailed):
    """Final: the same request will be refused again."""

    def __init__(self, reason: str, *, alarm: bool = False, everywhere: bool = False) -> None:
        super().__init__(reason)
        self.alarm = alarm  # a fault of our configuration, not of this one message
        self.everywhere = everywhere  # the number's or the message's: nobody else would take it


class OutcomeUnknown(SendFailed):
    """Handed over, no answer: never repeat blindly."""


# --- tokens and limits -------------------------------------------------------------------------


class Disputed(BadInput):
    """An open dispute about it stands against this; `reference` is the dispute's own."""

    def __init__(self, reference: str) -> None:
        super().__init__(f"dispute {reference} about it is open: resolve that first")
        self.reference = reference


class Limited(GatewayError):
    """Too many tries; `until` says when the next one may be made."""

    def __init__(self, until: datetime) -> None:
        super().__init__("too many tries")
        self.until = until


class KeyMissing(GatewayError):
    """A key id in the database is not in this process's ring."""

    def __init__(self, purpose: str, kid: str) -> None:
        super().__init__(f"{purpose} key {kid!r} is not in the ring")


class KeyDiffers(KeyMissing):
    """The ring has another key under this id than rows were written with: as bad as none."""

    def __init__(self, purpose: str, kid: str) -> None:
        GatewayError.__init__(
            self, f"{purpose} key {kid!r} in the ring is not the one that rows were written with"
        )


class DerivationMismatch(GatewayError):
    """A derived token does not match its row (wrong key or counter): alarm, show nothing."""
