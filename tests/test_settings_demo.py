"""Demo mode makes its own secrets once, keeps them, and shows them to their owner alone."""

import stat
from pathlib import Path

from gateway import settings
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
