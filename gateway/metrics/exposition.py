"""What a scrape gets: what all web processes count, how things stand, and which build it is."""

import platform
from collections.abc import Iterable
from importlib import metadata

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.values import ValueClass

from gateway.metrics.meters import Meters
from gateway.metrics.watch import Watch

DISTRIBUTION = "token-gateway"


class Build(Collector):
    """Which version runs here."""

    def __init__(self, database: str) -> None:
        self._words = (_version(), platform.python_version(), database)

    def collect(self) -> Iterable[Metric]:
        """One series that is always 1."""
        labels = ("version", "python", "database")
        build = GaugeMetricFamily("gateway_build_info", "Which version runs.", labels=labels)
        build.add_metric(self._words, 1)
        return (build,)


class Exposition:
    """The answer to a scrape, in the format it accepts."""

    def __init__(self, meters: Meters, watch: Watch, build: Build) -> None:
        self._collectors: tuple[Collector, ...] = (watch, build)
        self._meters = meters

    def told(self, accept: str) -> tuple[bytes, str]:
        """The text and its content type; `accept` is the request's header."""
        encode, content_type = choose_encoder(accept)
        registry = CollectorRegistry()
        # Under gunicorn the counts lie in files; without it in this process alone.
        if getattr(ValueClass, "_multiprocess", False):
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            registry.register(self._meters.registry)
        for collector in self._collectors:
            registry.register(collector)
        return encode(registry), content_type


def _version() -> str:
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:  # run from a folder that was never installed
        return "unknown"
