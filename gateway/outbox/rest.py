"""Which channels are left alone for a while: one that fails for every message is not stormed."""

from datetime import datetime, timedelta

from gateway.errors import Refused, Throttled, Unreachable

UNREACHABLE_FOR = timedelta(seconds=5)


class Rest:
    """The channels of one sender that rest, and until when.

    A channel rests after a failure that is not about the message: no connection, or something
    that an operator has to mend. Meanwhile messages go over the next channel, or wait untouched.
    """

    def __init__(self) -> None:
        self._until: dict[str, tuple[datetime, Unreachable | Throttled]] = {}

    def after(
        self, channel: str, failure: Unreachable | Throttled | Refused, now: datetime
    ) -> None:
        """Let the channel rest if the failure is the channel's."""
        if isinstance(failure, Unreachable):
            self._until[channel] = (now + UNREACHABLE_FOR, failure)
        elif isinstance(failure, Throttled) and failure.alarm:
            self._until[channel] = (now + timedelta(seconds=failure.retry_after), failure)

    def left(self, channel: str, now: datetime) -> Unreachable | Throttled | None:
        """The failure after which the channel still rests, with the time left; None: use it."""
        until, failure = self._until.get(channel, (now, None))
        if failure is None or until <= now:
            return None
        if isinstance(failure, Unreachable):
            return failure
        seconds = max(1, round((until - now).total_seconds()))
        return Throttled(failure.reason, seconds, alarm=failure.alarm)
