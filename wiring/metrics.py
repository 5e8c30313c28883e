"""What `/metrics` is answered with, and what is counted of every request."""

from gateway.metrics import states
from gateway.metrics.exposition import Build, Exposition
from gateway.metrics.store import pool_stand
from gateway.metrics.watch import Watch
from gateway.web.metrics import MetricsParts
from gateway.web.requests import Seen
from wiring.core import Core


def metrics_parts(core: Core) -> MetricsParts:
    """What the route needs."""
    watch = Watch(core.database, core.clock, states.read)
    build = Build("sqlite" if core.database.is_sqlite else "mariadb")
    return MetricsParts(Exposition(core.meters, watch, build).told, core.settings.metrics_tokens)


def seen(core: Core) -> Seen:
    """Counts a request, and how the pool stands at its end."""
    meters, database = core.meters, core.database

    def count(rule: str, method: str, status: str, seconds: float) -> None:
        meters.request(rule, method, status, seconds)
        meters.connections(*pool_stand(database))

    return count
