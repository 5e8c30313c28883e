"""The parts about what partners are told: events and the webhooks that carry them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from gateway.api import events
from gateway.api.events import Listener
from gateway.chores import Chore
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.outbox.tasks import Task
from gateway.partners.endpoints import queueing
from gateway.partners.endpoints.deliver import TellTask
from gateway.partners.endpoints.manage import Endpoints
from gateway.partners.endpoints.seal import Seal
from gateway.partners.webhook import Outside
from gateway.settings import Settings
from gateway.tokens.keys import rotation
from gateway.tokens.keys.rings import LOOKUP, KeyRings


@dataclass(frozen=True, slots=True)
class Events:
    """What hears of tokens' ends, and what tells partners of them."""

    listener: Listener
    endpoints: Endpoints
    tell: TellTask

    def tasks(self) -> Mapping[str, Task]:
        """Who does each task of the outbox about events."""
        return {queueing.TELL: self.tell, queueing.TELL_AGAIN: self.tell}

    def advance(self, database: Database, clock: Clock) -> int:
        """Number events and queue their webhooks; how many events."""
        return queueing.advance(database, clock)

    def housekeeping(
        self, database: Database, clock: Clock
    ) -> list[tuple[int, Callable[[], object]]]:
        """What a worker does of it between sweeps, with the seconds between."""
        return [
            (events.LOOK_SECONDS, partial(events.tell_undelivered, database, clock)),
            (events.NUMBER_SECONDS, partial(self.advance, database, clock)),
        ]

    def chores(self, database: Database, clock: Clock) -> dict[str, Chore]:
        """Their part of `gateway sweep`."""
        return {
            "partners_told_undelivered": partial(events.tell_undelivered, database, clock),
            "events_numbered": partial(self.advance, database, clock),
            "webhook_secrets_resealed": partial(self.endpoints.reseal, database, clock),
        }


def event_parts(settings: Settings, rings: KeyRings) -> Events:
    """The parts; only a demo calls endpoints on this machine."""
    seal = Seal(
        dict(rings.lookup),
        lambda connection, now: rotation.write_kid(connection, rings, LOOKUP, now),
    )
    return Events(
        Listener(),
        Endpoints(seal, loopback=settings.demo),
        TellTask(Outside(loopback=settings.demo), seal),
    )
