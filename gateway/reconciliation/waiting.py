"""What a settlement waits for: the clean run over the day that it was asked for (M7)."""

from dataclasses import dataclass
from datetime import date, datetime, time

from sqlalchemy import Connection

from gateway.reconciliation.run import Reconciler

RUN_AT = time(2)  # of the carriers' day after, when the run is scheduled


@dataclass(frozen=True, slots=True)
class Awaited:
    """The run that is waited for; both days are of the carriers' zone."""

    day: date
    today: date

    @property
    def words(self) -> str:
        """What it is, for people.

        >>> eve, day = date(2026, 11, 29), date(2026, 11, 30)
        >>> Awaited(day, day).words
        'the clean run of 30 Nov, tomorrow 02:00'
        >>> Awaited(eve, day).words
        'a clean run of 29 Nov, which there is not yet'
        """
        of = f"run of {self.day.day} {self.day:%b}"
        if self.day < self.today:
            return f"a clean {of}, which there is not yet"
        return f"the clean {of}, tomorrow {RUN_AT:%H:%M}"


def awaited(
    reconciler: Reconciler, connection: Connection, asked_at: datetime, now: datetime
) -> Awaited | None:
    """What a settlement that was asked for then waits for; None once it may be paid."""
    if reconciler.is_released(connection, asked_at):
        return None
    return asked_for(reconciler, asked_at, now)


def asked_for(reconciler: Reconciler, asked_at: datetime, now: datetime) -> Awaited:
    """What a settlement that is asked for then waits for at first."""
    local = asked_at.astimezone(reconciler.zone).date()
    return Awaited(local, now.astimezone(reconciler.zone).date())
