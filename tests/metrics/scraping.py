"""Reading a scrape as Prometheus does: with its own client's parsers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import requests
from flask.testing import FlaskClient
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as openmetrics_families,
)
from prometheus_client.parser import text_string_to_metric_families as text_families

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
LOOPBACK = {"REMOTE_ADDR": "127.0.0.1"}


@dataclass(frozen=True)
class Scrape:
    """What was answered."""

    text: str
    content_type: str

    @cached_property
    def families(self) -> Mapping[str, Metric]:
        """Every family by its name, as a parser of its format finds it."""
        parse = openmetrics_families if "openmetrics" in self.content_type else text_families
        found = list(parse(self.text))
        assert len({family.name for family in found}) == len(found)
        return {family.name: family for family in found}

    @cached_property
    def samples(self) -> Mapping[str, float]:
        """Every value by its series' name and labels, such as `up{"a": "b"}`."""
        return {
            _named(sample.name, sample.labels): sample.value
            for family in self.families.values()
            for sample in family.samples
        }

    def value(self, name: str, **labels: str) -> float:
        """One value; 0.0 for a series that is not there."""
        return self.samples.get(_named(name, labels), 0.0)

    def counts(self) -> Mapping[str, float]:
        """What may only ever grow."""
        grows = ("_total", "_count", "_sum", "_bucket")
        return {name: v for name, v in self.samples.items() if name.split("{")[0].endswith(grows)}


def of(url: str, accept: str = "", **headers: str) -> Scrape:
    """The scrape of a running server."""
    answer = requests.get(f"{url}/metrics", headers={"Accept": accept, **headers}, timeout=10)
    assert answer.status_code == 200, answer.text
    return Scrape(answer.text, answer.headers["Content-Type"])


def within(client: FlaskClient, accept: str = "") -> Scrape:
    """The scrape of an application in process."""
    answer = client.get("/metrics", headers={"Accept": accept}, environ_base=LOOPBACK)
    assert answer.status_code == 200, answer.text
    return Scrape(answer.text, answer.content_type)


def _named(name: str, labels: Mapping[str, str]) -> str:
    return f"{name}{json.dumps(dict(labels), sort_keys=True)}"
