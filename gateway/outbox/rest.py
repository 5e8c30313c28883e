"""Which channels are left alone for a while: one that fails for every message is not stormed."""

from datetime import datetime, timedelta

from gateway.errors import OutcomeUnknown, SendFailed, Throttled, Unreachable

FIRST = timedelta(seconds=5)
MOST = timedelta(minutes=1)
UNKNOWN_FREE = 1  # of a row of unknown outcomes: one alone may be about the message


class Rest:
    """The channels of one sender that rest, and until when.

    A channel rests after a failure that is not about the message: no connection, no answer twice
    in a row, or something that an operator has to mend. It rests longer from failure to failure,
    so that not every message waits out its time-out. Meanwhile messages go over the next channel,
    or wait untouched.
    """

    def __init__(self) -> None:
        self._until: dict[str, tuple[datetime, Unreachable | Throttled]] = {}
        self._in_a_row: dict[str, int] = {}

    def after(self, channel: str, failure: SendFailed, now: datetime) -> None:
        """Let the channel rest if the failure is the channel's."""
        if isinstance(failure, Unreachable | OutcomeUnknown):
            failures = self._in_a_row[channel] = self._in_a_row.get(channel, 0) + 1
            free = UNKNOWN_FREE if isinstance(failure, OutcomeUnknown) else 0
            if failures > free:
                wait = min(MOST, FIRST * (1 << min(failures - free - 1, 8)))
                self._until[channel] = (now + wait, Unreachable(failure.reason))
            return
        self.answered(channel)
        if isinstance(failure, Throttled) and failure.alarm:
            self._until[channel] = (now + timedelta(seconds=failure.retry_after), failure)

    def answered(self, channel: str) -> None:
        """The channel works: its next failure is a first one."""
        self._in_a_row.pop(channel, None)

    def left(self, channel: str, now: datetime) -> Unreachable | Throttled | None:
        """The failure after which the channel still rests, with the time left; None: use it."""
        until, failure = self._until.get(channel, (now, None))
        if failure is None or until <= now:
            return None
        if isinstance(failure, Unreachable):
            return failure
        seconds = max(1, round((until - now).total_seconds()))
        return Throttled(failure.reason, seconds, alarm=failure.alarm)
