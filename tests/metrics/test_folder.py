"""How gunicorn keeps the folder of the counts, and what it refuses to share among workers."""

from pathlib import Path

from tests.metrics import scraping
from tests.support.house import ROOT
from tests.support.serving import BIN, Installed, Process, free_port, production_env


def test_a_folder_that_is_named_holds_the_counts_and_keeps_what_is_not_ours(
    sqlite_url: str, tmp_path: Path
) -> None:
    named = tmp_path / "counts" / "here"
    env = {**production_env(sqlite_url), "PROMETHEUS_MULTIPROC_DIR": str(named)}
    with Installed(tmp_path, env).web() as web:
        (named / "counter_1.db").write_bytes(b"somebody else's")
        (ours,) = named.glob("gateway-counts-*")
        assert scraping.of(web.url).value("gateway_build_info", **build(web.url)) == 1
        assert ours.stat().st_mode & 0o077 == 0
    assert [path.name for path in named.iterdir()] == ["counter_1.db"]


def build(url: str) -> dict[str, str]:
    """The labels of the build."""
    (sample,) = scraping.of(url).families["gateway_build_info"].samples
    return dict(sample.labels)


def test_commands_count_nothing_and_need_no_folder(sqlite_url: str, tmp_path: Path) -> None:
    env = {**production_env(sqlite_url), "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "missing")}
    done = Installed(tmp_path, env).command("worker", "--once")
    assert (done.returncode, done.stdout) == (0, "0 messages handled\n"), done.stderr


def test_loading_the_application_before_the_fork_is_refused_in_one_line(tmp_path: Path) -> None:
    env = {**production_env("sqlite:///never-made.db"), "GATEWAY_BIND": f"127.0.0.1:{free_port()}"}
    command = [str(BIN / "gunicorn"), "--preload", "wsgi:application"]
    web = Process(command, env, tmp_path / "web.log", ROOT)
    assert web.popen.wait(30) == 4, web.text()
    lines = [line for line in web.text().splitlines() if line.startswith("Error: ")]
    assert lines == ["Error: --preload would share one database connection among workers"]
    assert "Traceback" not in web.text()
