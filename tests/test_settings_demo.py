"""Demo mode makes its own secrets once, keeps them, and shows them to their owner alone."""

import stat
from pathlib import Path

import pytest

from gateway import settings
from gateway.errors import Misconfigured
from gateway.settings import Settings
from tests.support.races import race

DEMO = {"GATEWAY_MODE": "demo"}


def test_the_demo_makes_its_secrets_and_needs_no_setting(tmp_path: Path) -> None:
    read = settings.read(DEMO, tmp_path / "var")
    assert read.demo
    assert read.database_url == f"sqlite:///{tmp_path / 'var'}/gateway.db"
    assert read.sms_channels == ("simulator",)
    assert all([read.token_keys, read.lookup_keys, read.session_key, read.pin_pepper])


def test_the_second_start_has_the_secrets_of_the_first(tmp_path: Path) -> None:
    assert settings.read(DEMO, tmp_path) == settings.read(DEMO, tmp_path)


def test_two_installations_have_different_secrets(tmp_path: Path) -> None:
    one, two = settings.read(DEMO, tmp_path / "1"), settings.read(DEMO, tmp_path / "2")
    assert one.token_keys != two.token_keys
    assert one.callback_secrets != two.callback_secrets


def test_only_the_owner_can_read_the_secrets(tmp_path: Path) -> None:
    settings.read(DEMO, tmp_path)
    assert stat.S_IMODE((tmp_path / "demo.env").stat().st_mode) == 0o600


def test_two_first_starts_at_once_end_with_the_same_secrets(tmp_path: Path) -> None:
    read = race(8, lambda _: settings.read(DEMO, tmp_path))
    assert all(isinstance(one, Settings) for one in read)
    assert len({one.token_keys for one in read if isinstance(one, Settings)}) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["demo.env"]


def test_a_setting_that_is_given_wins_over_the_demos_own(tmp_path: Path) -> None:
    given = {**DEMO, "GATEWAY_DATABASE_URL": "sqlite:///other.db"}
    assert settings.read(given, tmp_path).database_url == "sqlite:///other.db"


@pytest.mark.parametrize(
    "bind", ["127.0.0.1:8000", "127.8.9.10:80", "[::1]:8000", "localhost:8000", ""]
)
def test_the_demo_listens_on_loopback(tmp_path: Path, bind: str) -> None:
    assert settings.read({**DEMO, "GATEWAY_BIND": bind}, tmp_path).demo


@pytest.mark.parametrize(
    "bind",
    [
        *("0.0.0.0:8000", "[::]:8000", "192.0.2.1:8000", "gateway.example:8000"),
        *("localhost.example:8000", "unix:run/gateway"),
    ],
)
def test_the_demo_refuses_to_listen_to_the_network(tmp_path: Path, bind: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        settings.read({**DEMO, "GATEWAY_BIND": bind}, tmp_path)
    assert str(refused.value) == (
        "GATEWAY_BIND must be on loopback in demo mode, such as 127.0.0.1:8000"
    )


@pytest.mark.parametrize(
    "rest",
    [
        *("u:p@127.0.0.1/n", "u:p@127.0.0.1:3306/n?charset=utf8mb4", "u@localhost/n"),
        *("127.0.0.1/n", "u:p@[::1]:3306/n"),
    ],
)
def test_the_demo_may_be_tried_with_a_server_on_this_machine(tmp_path: Path, rest: str) -> None:
    for library in ("mysql+pymysql", "mariadb+pymysql"):
        url = f"{library}://{rest}"
        given = {**DEMO, "GATEWAY_DATABASE_URL": url}
        assert settings.read(given, tmp_path).database_url == url


@pytest.mark.parametrize(
    "rest",
    [
        *("u:pass-word@db.example/n", "u:pass-word@192.0.2.1:3306/n", "u:pass-word@/n", "/n"),
        *("u:pass-word@127.0.0.1/n?host=db.example", "u:pass-word@localhost@db.example/n"),
        *("u:pass-word@localhost/n@db.example/n", "u:pass-word@127.0.0.1.example/n"),
    ],
)
def test_the_demo_refuses_a_database_of_the_network(tmp_path: Path, rest: str) -> None:
    given = {**DEMO, "GATEWAY_DATABASE_URL": f"mysql+pymysql://{rest}"}
    with pytest.raises(Misconfigured) as refused:
        settings.read(given, tmp_path)
    assert str(refused.value) == (
        "GATEWAY_DATABASE_URL must name a server on loopback or a file in demo mode"
    )
