"""A backup over real processes: as it is it revives a spent token, by the book it does not.

Backed up with the tools that docs/runbook.md names, on both engines.
"""

import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from tests.emulators.africastalking import SmsApi
from tests.end_to_end.calls import Token, balance, books_are_sound, form, issue, post
from tests.support.mariadb import MariaDBServer
from tests.support.serving import Installed, Web, production_env
from tests.support.wired import ADA, BELLO

DUMP_SECONDS_MAX = 60


class Backup:
    """A backup that is taken now and may be restored beside the database, under another name."""

    def __init__(self, restore: Callable[[], str]) -> None:
        self.restore = restore


def of_sqlite(url: str, folder: Path) -> Backup:
    """As `.backup` of the sqlite3 program does it, while others write."""
    kept = folder / "backup.db"
    with (
        closing(sqlite3.connect(str(make_url(url).database))) as source,
        closing(sqlite3.connect(kept)) as target,
    ):
        source.backup(target)

    def restore() -> str:
        # Never over an old file: its -wal, where that is left, would be written into the backup.
        restored = Path(tempfile.mkdtemp(dir=folder)) / "gateway.db"
        shutil.copyfile(kept, restored)
        return f"sqlite:///{restored}"

    return Backup(restore)


def of_mariadb(url: str, folder: Path, server: MariaDBServer, name: str) -> Backup:
    """As `mariadb-dump --single-transaction` does it."""
    line = ["--protocol=tcp", "--host=127.0.0.1", f"--port={server.port}", "--user=root"]
    kept = folder / "backup.sql"
    options = ["--single-transaction", "--triggers", "--hex-blob", str(make_url(url).database)]
    with kept.open("wb") as out:
        subprocess.run(
            ["mariadb-dump", *line, *options], stdout=out, check=True, timeout=DUMP_SECONDS_MAX
        )

    def restore() -> str:
        server.create_database(name)
        with kept.open("rb") as dump:
            subprocess.run(
                ["mariadb", *line, name], stdin=dump, check=True, timeout=DUMP_SECONDS_MAX
            )
        return server.url(name)

    return Backup(restore)


@pytest.fixture
def take(
    database_url: str, tmp_path: Path, request: pytest.FixtureRequest, worker_id: str
) -> Callable[[], Backup]:
    """Takes a backup of the database."""
    if database_url.startswith("sqlite"):
        return lambda: of_sqlite(database_url, tmp_path)
    server: MariaDBServer = request.getfixturevalue("mariadb_server")
    return lambda: of_mariadb(database_url, tmp_path, server, f"restored_{worker_id}")


def redeem(web: Web, token: Token, caller: str, session: str) -> str:
    """What a caller who dials the token directly reads."""
    return post(web, form(f"1*{token.digits}", session, caller)).body.decode()


def test_a_backup_is_restored_without_reviving_a_spent_token(
    database_url: str, tmp_path: Path, take: Callable[[], Backup]
) -> None:
    with SmsApi(api_key="test-api-key") as api:
        env = production_env(database_url, api.url)
        before = Installed(tmp_path / "before", env)
        before.folder.mkdir()
        with before.web() as web:  # its log begins before the backup
            first, second, unspent = (issue(before) for _ in range(3))
            backup = take()
            assert "500.00" in redeem(web, first, ADA, "s-1")
            assert "500.00" in redeem(web, second, BELLO, "s-2")

        # As it comes back, the first token can be spent a second time: this is what must not be.
        revived = Installed(tmp_path / "revived", {**env, "GATEWAY_DATABASE_URL": backup.restore()})
        revived.folder.mkdir()
        assert revived.json("tokens", "show", first.serial)["status"] == "issued"
        with revived.web() as web:
            assert "500.00" in redeem(web, first, BELLO, "s-3")

        after = Installed(tmp_path / "after", {**env, "GATEWAY_DATABASE_URL": backup.restore()})
        after.folder.mkdir()
        by_the_book(after, before.folder / "web.log", (first, second), unspent)


def by_the_book(after: Installed, log: Path, spent: tuple[Token, ...], unspent: Token) -> None:
    """The runbook's steps, and that each of them holds."""
    begun = after.json("restore", "begin", "--reason", "the disk died")
    assert begun["ended_at"] is None
    replayed = after.json("restore", "replay", str(log))
    assert replayed["suspended"] == len(spent)
    assert {one["serial"] for one in replayed["stopped"]} == {one.serial for one in spent}
    assert (replayed["not_in_backup"], replayed["missed"]) == (0, 0)
    early = after.command("restore", "end", "--reason", "hurry")
    assert early.returncode == 1
    assert "nothing was reconciled since" in early.stderr
    with after.web() as web:
        paused = redeem(web, unspent, ADA, "s-4")
        assert "500.00" not in paused
        refused = after.command("resume", "redeem", "--reason", "hurry")
        assert "gateway restore end" in refused.stderr
        after.command("reconcile")
        ended = after.json("restore", "end", "--reason", "reconciled")
        assert (ended["left"], ended["ended_at"] is not None) == ([], True)
        for number, token in enumerate(spent):
            assert "500.00" not in redeem(web, token, ADA, f"s-5{number}")
            assert after.json("tokens", "show", token.serial)["status"] == "suspended"
        assert "500.00" in redeem(web, unspent, ADA, "s-6")
    assert balance(after) == "500.00"
    assert books_are_sound(after)
