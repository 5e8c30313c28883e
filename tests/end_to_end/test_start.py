"""gunicorn and the commands without their settings: one clear line, and nothing is started."""

from pathlib import Path

import pytest

from tests.support.house import ROOT
from tests.support.serving import BIN, Installed, Process, free_port, is_gone, production_env

FULL = production_env("sqlite:///never-made.db")
REQUIRED = [
    name for name in FULL if name not in ("GATEWAY_SMS_CHANNELS", "AFRICASTALKING_BASE_URL")
]


def started_without(names: list[str], folder: Path) -> Process:
    """gunicorn with all settings but these; it has ended."""
    env = {name: value for name, value in FULL.items() if name not in names}
    bind = f"127.0.0.1:{free_port()}"
    command = [str(BIN / "gunicorn"), "wsgi:application"]
    web = Process(command, {**env, "GATEWAY_BIND": bind}, folder / "web.log", ROOT)
    web.popen.wait(30)
    return web


@pytest.mark.parametrize("names", [REQUIRED, REQUIRED[:1], REQUIRED[1:3]])
def test_gunicorn_ends_with_one_line_that_names_every_missing_setting(
    tmp_path: Path, names: list[str]
) -> None:
    web = started_without(names, tmp_path)
    assert web.popen.returncode == 4, web.text()
    lines = [line for line in web.text().splitlines() if not line.startswith("[")]
    assert lines == [f"Error: missing settings: {', '.join(names)}"]
    assert "Traceback" not in web.text()
    assert is_gone(web.pid)


@pytest.mark.parametrize(
    "words", [("worker",), ("worker", "--once"), ("books", "check"), ("sweep",), ("doctor",)]
)
def test_a_command_ends_with_one_line_that_names_every_missing_setting(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    bare = Installed(tmp_path, {"GATEWAY_SMS_CHANNELS": "africastalking"})
    done = bare.command(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Error: missing settings: {', '.join(REQUIRED)}\n"


def test_the_demo_does_not_run_in_production(tmp_path: Path) -> None:
    done = Installed(tmp_path, {**FULL, "GATEWAY_MODE": "production"}).command("demo")
    assert (done.returncode, done.stdout) == (1, "")
    assert "GATEWAY_MODE=demo" in done.stderr
