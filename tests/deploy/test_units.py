"""The systemd units: systemd's own check where there is one, and what must stand in them."""

import configparser
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from gateway.cli.main import COMMANDS
from gateway.settings import REQUIRED, REQUIRED_BY_CHANNEL
from tests.support.house import ROOT

UNITS = ROOT / "deploy/systemd"
COMMON = UNITS / "gateway-.service.d/common.conf"
SERVICES = sorted(UNITS.glob("*.service"))
TIMERS = sorted(UNITS.glob("*.timer"))
SECONDS_MAX = 60
# systemd's measure from 0 (shut in) to 10 (open to everything).
EXPOSURE_MAX = 2.0


def read(unit: Path) -> dict[str, dict[str, str]]:
    """A unit's sections; of a name that comes twice the last stands."""
    parser = configparser.ConfigParser(strict=False, interpolation=None, comment_prefixes="#")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(unit)
    return {section: dict(parser[section]) for section in parser.sections()}


def installed(folder: Path) -> Path:
    """The units as they would lie on a machine, with this project in the place of the install."""
    for unit in [*SERVICES, *TIMERS]:
        (folder / unit.name).write_text(unit.read_text().replace("/opt/gateway", str(ROOT)))
    shutil.copytree(COMMON.parent, folder / COMMON.parent.name)
    return folder


def analysed(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """What systemd-analyze says of the units in a folder."""
    path = f"{folder}:/usr/lib/systemd/system:/lib/systemd/system"
    return subprocess.run(
        ["systemd-analyze", *words],
        env={**os.environ, "SYSTEMD_UNIT_PATH": path},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )


def test_there_is_a_unit_for_all_that_must_run() -> None:
    assert [unit.stem for unit in SERVICES] == [
        *("gateway-reconcile", "gateway-sweep", "gateway-web", "gateway-worker"),
    ]
    assert [unit.stem for unit in TIMERS] == ["gateway-reconcile", "gateway-sweep"]


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_a_unit_runs_a_command_that_there_is(unit: Path) -> None:
    words = read(unit)["Service"]["ExecStart"].split()
    program, first = words[0].removeprefix("/opt/gateway/.venv/bin/"), words[1]
    if program == "gunicorn":
        assert words[1:] == ["wsgi:application"]
    else:
        assert program == "gateway"
        assert first in [command.name for command in COMMANDS]


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_each_is_shut_in_and_told_its_settings_by_one_file(unit: Path) -> None:
    assert unit.name.startswith("gateway-")  # or the common part would not be its
    common = read(COMMON)["Service"]
    assert common["EnvironmentFile"] == "/etc/gateway/gateway.env"
    for name, value in {
        "User": "gateway",
        "NoNewPrivileges": "yes",
        "ProtectSystem": "strict",
        "CapabilityBoundingSet": "",
        "UMask": "0077",
        "LogRateLimitIntervalSec": "0",  # journald drops lines otherwise, and tokens revive
    }.items():
        assert common[name] == value, name
    assert not common.keys() & read(unit)["Service"].keys()
    # It would take away what gunicorn counts in /dev/shm, whenever a sweep ends.
    assert "RemoveIPC" not in common


def test_the_web_process_ends_gently_and_says_when_it_is_there() -> None:
    web = read(UNITS / "gateway-web.service")["Service"]
    assert (web["Type"], web["KillMode"], web["RestartPreventExitStatus"]) == (
        *("notify", "mixed", "4"),
    )
    graceful = re.search(
        r"^graceful_timeout = (\d+)", (ROOT / "gunicorn.conf.py").read_text(), re.M
    )
    assert graceful is not None
    assert int(web["TimeoutStopSec"]) > int(graceful[1])
    worker = read(UNITS / "gateway-worker.service")["Service"]
    assert int(worker["TimeoutStopSec"]) > 60  # the lease of a call


def test_the_timers_run_what_they_are_called_after() -> None:
    sweep, reconcile = (read(UNITS / f"gateway-{n}.timer")["Timer"] for n in ("sweep", "reconcile"))
    assert sweep["OnCalendar"] == "*:0/5"
    assert (reconcile["OnCalendar"], reconcile["Persistent"]) == (
        *("*-*-* 02:00:00 Africa/Lagos", "yes"),
    )


def test_the_settings_that_are_missing_are_in_the_example_without_a_value() -> None:
    example = ROOT / "deploy/gateway.env.example"
    lines = [line for line in example.read_text().splitlines() if line and line[0] != "#"]
    values = dict(line.split("=", 1) for line in lines)
    needed = {*REQUIRED, *REQUIRED_BY_CHANNEL["africastalking"]}
    assert needed <= values.keys()
    assert [name for name in needed if values[name]] == []
    page = (ROOT / "docs/settings.md").read_text()
    for name in values:
        spoken = name.removeprefix("AFRICASTALKING")  # the page parts a family's names by commas
        assert spoken in page, name


def test_the_command_that_operators_use_is_a_script_that_can_run() -> None:
    script = ROOT / "deploy/gateway-command.sh"
    assert script.stat().st_mode & stat.S_IXUSR
    shell = shutil.which("sh") or "/bin/sh"
    checked = subprocess.run([shell, "-n", str(script)], check=False, capture_output=True)
    assert checked.returncode == 0, checked.stderr


if shutil.which("systemd-analyze"):

    def test_systemd_finds_no_fault_in_them(tmp_path: Path) -> None:
        folder = installed(tmp_path)
        units = [str(unit) for unit in sorted(folder.glob("gateway-*.*")) if unit.is_file()]
        said = analysed(folder, "verify", "--recursive-errors=no", *units)
        assert (said.returncode, said.stdout + said.stderr) == (0, "")

    def test_systemd_finds_a_fault_that_is_there(tmp_path: Path) -> None:
        folder = installed(tmp_path)
        web = folder / "gateway-web.service"
        web.write_text(web.read_text().replace("Restart=always", "Restart=sometimes"))
        said = analysed(folder, "verify", "--recursive-errors=no", str(web))
        assert "restart specifier" in said.stderr

    @pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
    def test_systemd_calls_them_shut_in(tmp_path: Path, unit: Path) -> None:
        file = installed(tmp_path) / unit.name
        said = analysed(tmp_path, "security", "--offline=yes", "--no-pager", str(file))
        exposure = re.search(r"exposure level for [^:]+: ([0-9.]+)", said.stdout)
        assert exposure is not None, said.stderr
        assert float(exposure[1]) <= EXPOSURE_MAX
