"""Reading the database for a scrape: shortly, once in some seconds, and never in the way of it."""

import time
from datetime import datetime
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import Connection

from gateway.database.engine import Database
from gateway.metrics.watch import Watch
from tests.metrics import scraping
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.races import race
from tests.support.wired import Wired

AWAY = "mysql+pymysql://nobody:no-password@127.0.0.1:9/none"


class Looks:
    """A read that says how often it was asked."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, _: Connection, __: datetime) -> list[GaugeMetricFamily]:
        self.count += 1
        return [GaugeMetricFamily("gateway_looks", "How often.", value=self.count)]


def test_two_who_scrape_at_once_cost_one_look(database: Database, clock: SteppedClock) -> None:
    looks = Looks()
    watch = Watch(database, clock, looks)
    names = race(6, lambda _: "gateway_looks" in {family.name for family in watch.collect()})
    assert names == [True] * 6
    assert looks.count == 1


def test_without_the_database_a_scrape_says_so_and_tells_what_it_has(clock: SteppedClock) -> None:
    lost = Wired(AWAY, clock)
    lost.client.get("/nowhere")
    began = time.monotonic()
    with captured_log() as log:
        seen = scraping.within(lost.client)
    assert time.monotonic() - began < 5
    assert seen.value("gateway_database_up") == 0
    assert "gateway_outbox_rows" not in seen.families
    assert seen.value("gateway_http_requests_total", rule="unknown", method="GET", status="404")
    assert "metrics_without_database" in log.text()
    assert "no-password" not in log.text() + seen.text
    lost.close()


def test_a_database_without_its_schema_fails_no_scrape(
    unmigrated_url: str, clock: SteppedClock
) -> None:
    fresh = Wired(unmigrated_url, clock)
    assert scraping.within(fresh.client).value("gateway_database_up") == 0
    fresh.close()


def test_on_sqlite_a_scrape_waits_for_no_writer(sqlite_url: str, clock: SteppedClock) -> None:
    wired = Wired(sqlite_url, clock)
    writer = Database(sqlite_url)

    def write(connection: Connection) -> float:
        connection.exec_driver_sql("CREATE TABLE held (a INTEGER)")
        return scraping.within(wired.client).value("gateway_database_up")

    assert writer.run(write) == 1
    writer.dispose()
    wired.close()


def test_what_cannot_be_counted_fails_no_request(sqlite_url: str, clock: SteppedClock) -> None:
    wired = Wired(sqlite_url, clock)
    meters = wired.gateway.core.meters
    vars(meters)["_steps"] = None  # as a folder of counts that is gone
    with captured_log() as log:
        assert wired.dial().body.startswith("CON ")
    assert "not_counted" in log.text()
    wired.close()
    assert Path(wired.gateway.database.url.database or "").exists()
