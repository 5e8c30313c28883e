"""`/metrics` under gunicorn with two workers: one place for what all of them count."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.calls import form, issue, post
from tests.metrics import scraping
from tests.support.serving import Installed, Web, production_env

HOLDERS_SECONDS_MAX = 15.0
STEPS = "gateway_ussd_step_seconds_count"
CHANNEL = "africastalking"
TURNS = 24


@pytest.fixture
def installed(sqlite_url: str, tmp_path: Path) -> Installed:
    """A production installation; what is counted does not know the database."""
    return Installed(tmp_path, production_env(sqlite_url))


@pytest.fixture
def on_both(database_url: str, tmp_path: Path) -> Installed:
    """A production installation over a fresh database, once on each engine."""
    return Installed(tmp_path, production_env(database_url))


@pytest.fixture
def web(installed: Installed) -> Iterator[Web]:
    """Two workers."""
    with installed.web(processes=2) as served:
        yield served


def dial(web: Web, turns: int, first: int = 0) -> None:
    for number in range(first, first + turns):
        assert post(web, form("", f"session-{number}")).text.startswith("CON ")


def counts_folder(web: Web) -> Path:
    """Where a web process's workers count."""
    maps = Path(f"/proc/{web.children()[0]}/maps").read_text().split()
    return next(Path(word).parent for word in maps if "gateway-counts-" in word)


def test_both_workers_counts_add_up_in_either_format(on_both: Installed) -> None:
    token = issue(on_both)
    with on_both.web(processes=2) as web:
        dial(web, TURNS)
        assert "NGN 500.00" in post(web, form(f"1*{token.digits}", "redeems")).text
        scrapes = [scraping.of(web.url, accept) for accept in ("", scraping.OPENMETRICS)]
    assert ["openmetrics" in scrape.content_type for scrape in scrapes] == [False, True]
    for scrape in scrapes:
        assert scrape.value(STEPS, channel=CHANNEL, outcome="continued") == TURNS
        assert scrape.value(STEPS, channel=CHANNEL, outcome="ended") == 1
        assert scrape.value("gateway_redemptions_total", channel=CHANNEL, outcome="redeemed") == 1
        assert scrape.value("gateway_database_up") == 1
        assert scrape.value("gateway_outbox_rows", line="sms", state="queued") >= 1
        assert scrape.value("gateway_database_connections", state="most") % 16 == 0
        for secret in (token.digits, token.serial, "+234", "23480"):
            assert secret not in scrape.text


def test_what_a_killed_worker_counted_stays_counted(web: Web) -> None:
    dial(web, TURNS)
    before = scraping.of(web.url)
    killed = web.children()[0]
    os.kill(killed, signal.SIGKILL)
    end = time.monotonic() + HOLDERS_SECONDS_MAX
    while killed in web.children() or len(web.children()) < 2:
        assert time.monotonic() < end
        time.sleep(0.1)
    time.sleep(1.5)  # until the next one serves too
    dial(web, TURNS, first=TURNS)
    after = scraping.of(web.url)
    fell = {name for name, value in before.counts().items() if after.samples[name] < value}
    assert fell == set()
    assert after.value(STEPS, channel=CHANNEL, outcome="continued") == 2 * TURNS
    left = counts_folder(web).glob(f"gauge_live*_{killed}.db")
    assert list(left) == []


def test_each_start_counts_in_a_folder_of_its_own_and_takes_it_away(installed: Installed) -> None:
    with installed.web("first") as web:
        dial(web, 3)
        first = counts_folder(web)
        assert first.is_dir()
    assert not first.exists()
    with installed.web("second") as web:
        dial(web, 1, first=3)
        assert scraping.of(web.url).value(STEPS, channel=CHANNEL, outcome="continued") == 1
        assert counts_folder(web) != first


def test_new_code_by_sighup_goes_on_counting(web: Web) -> None:
    dial(web, 3)
    old = set(web.children())
    web.popen.send_signal(signal.SIGHUP)
    end = time.monotonic() + HOLDERS_SECONDS_MAX
    while old & set(web.children()) or len(web.children()) < 2:
        assert time.monotonic() < end
        time.sleep(0.1)
    time.sleep(1.5)
    dial(web, 3, first=3)
    assert scraping.of(web.url).value(STEPS, channel=CHANNEL, outcome="continued") == 6
