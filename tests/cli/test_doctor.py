"""`gateway doctor` finds a fit installation fit, and each planted fault."""

import dataclasses
import json
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.settings.kannel import Kannel
from tests.cli.conftest import CommandLine
from tests.emulators.sendsms import PASSWORD, USERNAME, Sendsms
from tests.support.clock import SteppedClock
from tests.support.mariadb import PrivateMariaDB
from tests.support.wired import Wired

CHECKS = {
    *("database", "time zone", "languages", "SMS channels"),
    *("isolation", "durability", "ready", "append-only", "clock", "operators"),
}
KEY = "ab" * 32


def findings(command_line: CommandLine) -> dict[str, str]:
    """What the doctor found wrong, by check; its exit code agrees."""
    done = command_line.run("doctor", "--json")
    rows = json.loads(done.stdout)
    wrong = {row["check"]: row["found"] for row in rows if not row["ok"]}
    assert done.exit_code == (1 if wrong else 0)
    return wrong


def execute(wired: Wired, statement: str) -> None:
    """Run plain SQL, as somebody with the database's password would."""

    def work(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    wired.run(work)


@pytest.fixture
def in_time(unmigrated_url: str, quiet: None) -> Iterator[Wired]:
    """A migrated gateway of its own on the real clock, once on each engine."""
    whole = Wired(unmigrated_url, Clock())
    whole.gateway.database.upgrade()
    yield whole
    whole.close()


def test_the_doctor_finds_a_new_sqlite_installation_fit(sqlite_url: str, quiet: None) -> None:
    command_line = CommandLine(Wired(sqlite_url, Clock()).gateway.parts)
    assert {row["check"] for row in command_line.json("doctor")} == CHECKS
    assert "no  " not in command_line.said("doctor")


def test_the_doctor_finds_a_new_durable_mariadb_installation_fit(quiet: None) -> None:
    with PrivateMariaDB(["--innodb-flush-log-at-trx-commit=1"]) as server:
        server.create_database("gateway")
        whole = Wired(server.url("gateway"), Clock())
        whole.gateway.database.upgrade()
        rows = CommandLine(whole.gateway.parts).json("doctor")
        assert {row["check"] for row in rows} == CHECKS
        whole.close()


def test_a_server_that_may_lose_its_last_commits_is_found(mariadb_url: str, quiet: None) -> None:
    command_line = CommandLine(Wired(mariadb_url, Clock()).gateway.parts)
    found = findings(command_line)
    assert list(found) == ["durability"]
    assert "innodb_flush_log_at_trx_commit is 2" in found["durability"]


def test_a_missing_schema_is_found(fresh: CommandLine) -> None:
    found = findings(fresh)
    assert "run gateway db upgrade first" in found["ready"]
    assert "append-only" in found


def test_a_missing_trigger_is_found(in_time: Wired) -> None:
    execute(in_time, "DROP TRIGGER tr_entries_no_update")
    found = findings(CommandLine(in_time.gateway.parts))
    assert "tr_entries_no_update" in found["append-only"]


def test_a_clock_that_is_off_is_found(command_line: CommandLine) -> None:
    assert "off by" in findings(command_line)["clock"]  # the tests' clock stands still


def test_a_missing_key_is_found(wired: Wired, quiet: None) -> None:
    wired.issue()
    other = dataclasses.replace(wired.gateway.settings, token_keys=f"k2:{KEY}")
    without = CommandLine(lambda: type(wired.gateway)(other, wired.clock).parts())
    assert "generate:k1" in findings(without)["ready"]


@pytest.mark.parametrize(
    ("channels", "said"), [((), "GATEWAY_SMS_CHANNELS"), (("africastalking",), "_BASE_URL")]
)
def test_channels_that_cannot_send_are_found(
    sqlite_url: str, clock: SteppedClock, quiet: None, channels: tuple[str, ...], said: str
) -> None:
    whole = Wired(sqlite_url, clock)
    wrong = dataclasses.replace(whole.gateway.settings.africastalking, base_url="nowhere")
    changed = Wired(sqlite_url, clock)
    changed.gateway.settings = dataclasses.replace(
        whole.gateway.settings, sms_channels=channels, africastalking=wrong
    )
    assert said in findings(CommandLine(lambda: changed.gateway.parts()))["SMS channels"]


@pytest.mark.parametrize(
    ("password", "wrong"), [(PASSWORD, ""), ("wrong", "kannel: credentials refused")]
)
def test_the_doctor_asks_kannel_and_sends_nothing(
    sqlite_url: str, quiet: None, password: str, wrong: str
) -> None:
    with Sendsms() as api:
        ours = Kannel(api.sendsms_url, USERNAME, password, "", "http://127.0.0.1:8000")
        whole = Wired(sqlite_url, Clock(), sms_channels=("kannel", "simulator"), kannel=ours)
        command_line = CommandLine(whole.gateway.parts)
        if wrong:
            assert findings(command_line) == {"SMS channels": wrong}
        else:
            assert "kannel answers, simulator" in command_line.said("doctor")
        assert not [request for request in api.requests if "x-kannel-to" in request.headers]
    assert "kannel: no connection" in findings(command_line)["SMS channels"]


def test_a_database_that_is_away_is_found_once(clock: SteppedClock, quiet: None) -> None:
    lost = Wired("mysql+pymysql://u:pass-word@127.0.0.1:9/n", clock)
    done = CommandLine(lost.gateway.parts).run("doctor")
    assert done.exit_code == 1
    assert done.stdout.count("no  ") == 1
    assert "pass-word" not in done.output
