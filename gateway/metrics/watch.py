"""Reading how things stand for a scrape: within a short time, kept for some seconds."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from threading import Lock
from typing import Final

import structlog
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from sqlalchemy import Connection

from gateway.clock import Clock, monotonic
from gateway.database.engine import Database, Deadline
from gateway.errors import GatewayError

log = structlog.get_logger()

READ_SECONDS: Final = 1.0  # together: a scrape must not wait longer for the database
KEPT_SECONDS: Final = 5.0  # two who scrape at once cost one look
Read = Callable[[Connection, datetime], Sequence[GaugeMetricFamily]]


class Watch(Collector):
    """Collects what `read` finds; without the database it says so, and nothing that is old."""

    def __init__(self, database: Database, clock: Clock, read: Read) -> None:
        self._database = database
        self._clock = clock
        self._read = read
        self._lock = Lock()
        self._kept: Sequence[Metric] = ()
        self._read_at: float | None = None

    def describe(self) -> Iterable[Metric]:
        """Nothing is read when a registry takes this collector in."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """The families; those of the last seconds where there are some."""
        with self._lock:  # whoever waits here finds them fresh
            if self._read_at is None or monotonic() - self._read_at >= KEPT_SECONDS:
                self._kept = self._looked()
                self._read_at = monotonic()
            return self._kept

    def _looked(self) -> Sequence[Metric]:
        up = GaugeMetricFamily("gateway_database_up", "1 when this scrape could read it.")
        took = GaugeMetricFamily("gateway_database_read_seconds", "How long reading it took.")
        began = monotonic()
        found: Sequence[Metric] = ()
        try:
            found = self._database.run(
                lambda c: self._read(c, self._clock.now()), deadline=Deadline(READ_SECONDS)
            )
        except GatewayError as error:
            log.warning("metrics_without_database", error=str(error))
            up.add_metric((), 0)
        except Exception:  # no schema yet, no rights: what this process counts is told all the same
            log.exception("metrics_without_database")
            up.add_metric((), 0)
        else:
            up.add_metric((), 1)
        took.add_metric((), monotonic() - began)
        return (up, took, *found)
