"""What the platform asks: alive says the process answers, ready says it may be sent callers."""

import dataclasses

from app import Gateway, web_application
from tests.support.clock import SteppedClock
from tests.support.mariadb import PrivateMariaDB
from tests.support.wired import Wired


def test_a_process_that_answers_is_alive(wired: Wired) -> None:
    answer = wired.client.get("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok")


def test_a_process_with_its_schema_and_keys_is_ready(wired: Wired) -> None:
    wired.issue()
    answer = wired.client.get("/readyz")
    assert (answer.status_code, answer.json) == (200, {"ready": True, "obstacles": []})


def test_a_process_before_the_migrations_is_alive_and_not_ready(
    unmigrated_url: str, clock: SteppedClock
) -> None:
    fresh = Wired(unmigrated_url, clock)
    assert fresh.client.get("/healthz").status_code == 200
    answer = fresh.client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json is not None
    assert "run gateway db upgrade first" in answer.json["obstacles"][0]
    fresh.close()


def test_a_process_without_the_key_of_a_live_token_is_not_ready(wired: Wired) -> None:
    wired.issue()
    other = dataclasses.replace(wired.gateway.settings, token_keys=f"k2:{'ab' * 32}")
    client = web_application(Gateway(other, wired.clock)).test_client()
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json == {"ready": False, "obstacles": ["key missing: generate:k1"]}


def test_no_database_means_alive_and_not_ready(clock: SteppedClock) -> None:
    lost = Wired("mysql+pymysql://nobody:no-password@127.0.0.1:9/none", clock)
    assert lost.client.get("/healthz").status_code == 200
    answer = lost.client.get("/readyz")
    assert answer.status_code == 503
    assert "no-password" not in answer.text
    lost.close()


def test_a_database_that_refuses_the_user_means_not_ready(
    mariadb_server: PrivateMariaDB, clock: SteppedClock
) -> None:
    url = f"mysql+pymysql://nobody:no-password@127.0.0.1:{mariadb_server.port}/none"
    refused = Wired(url, clock)
    answer = refused.client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["obstacles"] == ["database: OperationalError"]
    assert "nobody" not in answer.text
    refused.close()
