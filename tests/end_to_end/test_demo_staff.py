"""The demo's outlet and staff: who is printed gets in, pays and is kept over restarts."""

import json
import re
import time
import urllib.request
from pathlib import Path

from gateway.cli.demo.people import KEPT
from tests.emulators.posting import post_form
from tests.end_to_end.calls import form
from tests.end_to_end.clerk import Clerk
from tests.end_to_end.test_demo import ADA, Demo, running
from tests.support.serving import Installed, free_port

CHIDI, IFE = "+2348030000003", "+2348030000004"
SMS_SECONDS_MAX = 15.0
_STAFF = re.compile(r"^ +(\w+), +(\w+) +(\+\d+) +PIN (\d{6})$", re.MULTILINE)
_DIGITS = re.compile(r"Token ([0-9 ]+)\.")


def staff(demo: Demo) -> dict[str, tuple[str, str]]:
    """Phone and PIN as they are printed, by name."""
    return {name: (phone, pin) for name, _, phone, pin in _STAFF.findall(demo.text())}


def cash_token(demo: Demo) -> str:
    """The digits of the token that waits to be paid, once its inbox shows them."""
    end = time.monotonic() + SMS_SECONDS_MAX
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{demo.url}/phone/inbox?phone=%2B{CHIDI[1:]}") as answer:
            (box,) = json.load(answer)["inboxes"]
        texts = [one["text"] for one in box["messages"] if one["text"].startswith("Cash Aid")]
        if texts:
            (digits,) = _DIGITS.findall(texts[0])
            return str(digits)
        time.sleep(0.2)
    raise RuntimeError("the token's SMS did not come")


def test_the_printed_pins_let_the_staff_in_and_pay_the_waiting_token(tmp_path: Path) -> None:
    with running(tmp_path, free_port()) as demo:
        people = staff(demo)
        assert list(people) == ["Ife", "Musa", "Ngozi", "Sade"]
        assert f"{demo.url}/counter\n" in demo.text()
        assert f"{demo.url}/console\n" in demo.text()
        kept = tmp_path / "var" / KEPT
        assert kept.stat().st_mode & 0o777 == 0o600
        for name in ("Ngozi", "Sade"):
            assert Clerk(demo.url, "/console").log_in(*people[name]).status == 200
        clerk = Clerk(demo.url, "/counter")
        page = clerk.log_in(*people["Ife"])
        assert "IKEJA/1" in page.text
        clerk.post("/counter/shifts", till="1", cash="5000.00")
        found = clerk.post("/counter/payments", entry=cash_token(demo))
        assert "2,000.00" in found.text
        paid = clerk.post(f"{found.path}/confirm")
        assert (paid.status, paid.path) == (200, f"{found.path}?paid")
        (callback,) = re.findall(r"http://\S+/ussd/africastalking/\S+", demo.text())
        last = post_form(callback, form("6*3", caller=IFE), user_agent="curl")
        assert "NGN 2000.00" in last.text
        log = (tmp_path / "var" / "demo.log").read_text()
        assert all(pin not in log for _, pin in people.values())
        here = Installed(tmp_path, {"GATEWAY_MODE": "demo"}, cwd=tmp_path)
        (owed,) = here.json("tills", "list")
        assert owed["balance"] == "2000.00"
        assert here.command("books", "check").returncode == 0


def test_a_restart_keeps_the_pins_and_has_a_token_to_pay_again(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path, port) as demo:
        people = staff(demo)
    here = Installed(tmp_path, {"GATEWAY_MODE": "demo"}, cwd=tmp_path)
    listed = here.json("tokens", "list", "--to", CHIDI)
    (waiting,) = (one["serial"] for one in listed if one["amount"] == "2000.00")
    here.command("tokens", "cancel", waiting, "--reason", "a test")
    with running(tmp_path, port) as demo:
        assert staff(demo) == people
        fresh = here.json("tokens", "list", "--to", CHIDI)
        states = sorted(one["status"] for one in fresh if one["amount"] == "2000.00")
        assert states == ["cancelled", "issued"]
    with running(tmp_path, port):
        assert len(here.json("tokens", "list", "--to", CHIDI)) == len(fresh)


def test_a_demo_of_an_earlier_version_gets_what_is_missing(tmp_path: Path) -> None:
    here = Installed(tmp_path, {"GATEWAY_MODE": "demo"}, cwd=tmp_path)
    here.command("db", "upgrade")
    here.command("tokens", "issue", "--amount", "500.00", "--to", ADA, "--issue-ref", "demo-1")
    own = ("--role", "operator", "--phone", "+2348030000009", "--pin-stdin")
    hired = here.command("staff", "create", "--name", "Own", *own, stdin="471100\n")
    assert hired.returncode == 0, hired.stderr
    with running(tmp_path, free_port()) as demo:
        assert list(staff(demo)) == ["Ife", "Musa", "Ngozi"]
        assert "and whom you have taken on, or given a PIN" in demo.text()
        assert Clerk(demo.url, "/console").log_in("+2348030000009", "471100").status == 200
    names = {one["name"]: one["status"] for one in here.json("staff", "list")}
    assert names == dict.fromkeys(("Own", "Ife", "Musa", "Ngozi"), "active")


def test_who_chooses_a_pin_of_their_own_keeps_it_over_a_restart(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path, port) as demo:
        phone, pin = staff(demo)["Ife"]
    here = Installed(tmp_path, {"GATEWAY_MODE": "demo"}, cwd=tmp_path)
    changed = here.command("staff", "pin", "--as", phone, "--pin-stdin", stdin=f"{pin}\n582931\n")
    assert changed.returncode == 0, changed.stderr
    with running(tmp_path, port) as demo:
        assert "Ife" not in staff(demo)
        assert Clerk(demo.url, "/counter").log_in(IFE, "582931").status == 200


def test_a_lost_file_of_pins_is_made_anew_and_counts(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path, port) as demo:
        before = staff(demo)
    (tmp_path / "var" / KEPT).unlink()
    here = Installed(tmp_path, {"GATEWAY_MODE": "demo"}, cwd=tmp_path)
    refused = here.command("tokens", "issue", "--amount", "7.50", "--to", ADA)
    assert "say which operator acts" in refused.stderr
    with running(tmp_path, port) as demo:
        after = staff(demo)
        assert all(after[name] != before[name] for name in before)
        assert Clerk(demo.url, "/counter").log_in(*after["Ife"]).status == 200


def test_a_command_that_names_nobody_acts_as_the_demos_first_operator(tmp_path: Path) -> None:
    with running(tmp_path, free_port()):
        pass
    here = Installed(tmp_path, {"GATEWAY_MODE": "demo"}, cwd=tmp_path)
    serial = here.json("tokens", "issue", "--amount", "7.50", "--to", ADA)["serial"]
    assert here.command("tokens", "suspend", serial, "--reason", "a test").returncode == 0
    actors = {one["actor"] for one in here.json("audit", "list", "--subject", serial)}
    assert {actor.rpartition(":")[2] for actor in actors} == {"Ngozi"}
