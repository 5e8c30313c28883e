"""`gateway demo` in an empty folder: it starts, keeps what it made, and leaves nothing running."""

import json
import os
import re
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.emulators.posting import post_form
from tests.end_to_end.calls import form
from tests.support.serving import BIN, Installed, Process, free_port, is_gone

ADA = "+2348030000001"
SMS_SECONDS_MAX = 5.0


class Demo(Process):
    """The demo's process, its address and what it started."""

    url: str

    def inbox(self) -> list[str]:
        """The texts in Ada's inbox."""
        with urllib.request.urlopen(f"{self.url}/phone/inbox?phone=%2B{ADA[1:]}") as answer:
            (box,) = json.load(answer)["inboxes"]
        return [message["text"] for message in box["messages"]]

    def newest(self, count: int) -> str:
        """The last text, once there are so many."""
        end = time.monotonic() + SMS_SECONDS_MAX
        while len(self.inbox()) < count and time.monotonic() < end:
            time.sleep(0.1)
        texts = self.inbox()
        assert len(texts) == count
        return texts[0]


@contextmanager
def running(folder: Path, port: int) -> Iterator[Demo]:
    """The demo in a folder, once it has said where to look."""
    env = {"GATEWAY_BIND": f"127.0.0.1:{port}"}
    says = folder / f"says-{len(list(folder.glob('says-*')))}"
    demo = Demo([str(BIN / "gateway"), "demo"], env, says, folder)
    demo.url = f"http://127.0.0.1:{port}"
    try:
        demo.wait_for("Stop:         Ctrl-C")
        yield demo
    finally:
        demo.stop()


def family(demo: Demo) -> list[int]:
    """The demo's children and gunicorn's workers, once those are there."""
    end = time.monotonic() + 15
    while time.monotonic() < end:
        found = demo.children()
        below = [pid for child in found for pid in _children(child)]
        if len(found) == 2 and len(below) == 2:
            return [*found, *below]
        time.sleep(0.1)
    raise RuntimeError("the demo's processes did not come up")


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed]


def all_gone(pids: list[int]) -> bool:
    """Whether these have ended, some seconds given."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if all(map(is_gone, pids)):
            return True
        time.sleep(0.1)
    return False


def test_the_demo_says_where_to_look_and_what_it_says_works(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path, port) as demo:
        assert f"{demo.url}/phone" in demo.text()
        with urllib.request.urlopen(f"{demo.url}/phone") as page:
            assert page.status == 200
        (callback,) = re.findall(r"http://\S+/ussd/africastalking/\S+", demo.text())
        answer = post_form(callback, form(""), user_agent="curl")
        assert "1 Redeem token" in answer.text
        assert "Mama Ngozi: NGN 500.00" in demo.newest(1)
        env = {"GATEWAY_MODE": "demo"}
        here = Installed(tmp_path, env, cwd=tmp_path)
        token = here.json("tokens", "issue", "--amount", "7.50", "--to", ADA, "--show")["token"]
        assert token in demo.newest(2).replace(" ", "")
        redeemed = post_form(callback, form(f"1*{token}", "ATUid_2"), user_agent="curl")
        assert "NGN 7.50" in redeemed.text
        assert here.command("books", "check").returncode == 0
        assert token not in (tmp_path / "var" / "demo.log").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_and_a_second_start_keeps_what_was_made(
    tmp_path: Path, number: signal.Signals
) -> None:
    port = free_port()
    with running(tmp_path, port) as demo:
        pids = family(demo)
        assert demo.stop(number) == 0
        assert all_gone(pids)
        assert demo.text().endswith("Stopped.\n")
    secrets = (tmp_path / "var" / "demo.env").read_text()
    with running(tmp_path, port) as demo:
        assert "Everything is kept" in demo.text()
        assert len(demo.inbox()) == 1
    assert (tmp_path / "var" / "demo.env").read_text() == secrets


@pytest.mark.parametrize("which", [0, 1])
def test_a_child_that_is_killed_ends_the_demo_with_an_error(tmp_path: Path, which: int) -> None:
    with running(tmp_path, free_port()) as demo:
        pids = family(demo)
        os.kill(demo.children()[which], signal.SIGKILL)
        assert demo.popen.wait(20) == 1
        assert all_gone(pids)
        assert re.search(r"Error: ended by itself: (web|worker) \(-9\); see ", demo.text())


def test_a_port_in_use_is_one_clear_line_before_anything_is_made(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        bind = f"127.0.0.1:{other.getsockname()[1]}"
        done = Installed(tmp_path, {"GATEWAY_BIND": bind}, cwd=tmp_path).command("demo")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: cannot listen at {bind}: Address already in use")
    assert not (tmp_path / "var" / "gateway.db").exists()


def test_an_address_of_the_network_is_one_clear_line(tmp_path: Path) -> None:
    done = Installed(tmp_path, {"GATEWAY_BIND": "0.0.0.0:8000"}, cwd=tmp_path).command("demo")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: GATEWAY_BIND must be on loopback in demo mode")


def test_an_address_that_is_none_is_one_clear_line(tmp_path: Path) -> None:
    bind = "127.0.0.1:99999"
    done = Installed(tmp_path, {"GATEWAY_BIND": bind}, cwd=tmp_path).command("demo")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Error: cannot listen at {bind}: ")


def test_of_two_starts_at_once_one_runs_and_the_other_says_why_not(tmp_path: Path) -> None:
    port = free_port()
    env = {"GATEWAY_BIND": f"127.0.0.1:{port}"}
    command = [str(BIN / "gateway"), "demo"]
    both = [Process(command, env, tmp_path / f"says-{n}", tmp_path) for n in range(2)]
    try:
        end = time.monotonic() + 20
        while all(one.popen.poll() is None for one in both) and time.monotonic() < end:
            time.sleep(0.1)
        (loser,) = (one for one in both if one.popen.poll() is not None)
        (winner,) = (one for one in both if one is not loser)
        assert "cannot listen at" in loser.text()
        winner.wait_for("Stop:         Ctrl-C")
    finally:
        for one in both:
            one.stop()
