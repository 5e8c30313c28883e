"""The README's five minutes: its own lines, run by a shell against a demo."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.test_demo import running
from tests.support.house import ROOT
from tests.support.serving import BIN, clean_env, free_port

SECONDS_MAX = 120
CURL = re.compile(r"^curl .+?(?<!\\)$", re.MULTILINE | re.DOTALL)


def lines_between(first: str, last: str) -> str:
    """The README's lines of shell from one sentence to a heading."""
    text = (ROOT / "README.md").read_text()
    part = text[text.index(first) : text.index(last)]
    return "\n".join(line[4:] for line in part.splitlines() if line.startswith("    "))


def run(folder: Path, script: str, port: int) -> str:
    """What the lines print; a command that fails ends them."""
    here = script.replace(".venv/bin/gateway", shlex.quote(str(BIN / "gateway")))
    done = subprocess.run(
        ["bash", "-e", "-c", here.replace("127.0.0.1:8000", f"127.0.0.1:{port}")],
        env=clean_env({}),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(name="words", scope="module")
def what_the_readmes_lines_print(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder, port = tmp_path_factory.mktemp("readme"), free_port()
    phone = lines_between("Issue another token", "Now as a partner")
    issue, _, rest = phone.partition("\nSECRET=")
    partner = lines_between("Now as a partner", "## What callers see")
    again = CURL.findall(partner)[0].replace("500.00", "600.00")
    with running(folder, port):
        issued = run(folder, issue, port)
        token, serial = (
            re.findall(rf"^{name} +(\S+)", issued, re.MULTILINE)[0] for name in ("token", "serial")
        )
        rest = rest.replace("the-digits", token).replace("SERIAL", serial)
        twice = CURL.sub(lambda found: f"{found[0]}\necho; {found[0]}\necho", f"SECRET={rest}")
        said = run(folder, f"export GATEWAY_MODE=demo\n{twice}", port)
        api = run(folder, f"export GATEWAY_MODE=demo\n{partner}\n{again}", port)
    return {"phone": said, "partner": api, "serial": serial}


def test_the_readmes_request_redeems_once_and_its_copy_gets_the_same_bytes(
    words: dict[str, str],
) -> None:
    said = words["phone"]
    reply = f"END You have received NGN 500.00.\nBalance NGN 500.00.\nRef {words['serial']}"
    assert said.startswith(f"{reply}\n{reply}\n")
    assert re.search(r"^balance +500\.00$", said, re.MULTILINE)
    assert re.search(r"^status +redeemed$", said, re.MULTILINE)
    assert said.rstrip().endswith("invariants hold")


def test_the_readmes_key_issues_test_money_and_refuses_another_body(words: dict[str, str]) -> None:
    said = words["partner"]
    assert "HTTP/1.1 201 CREATED" in said
    assert '"status": "issued", "amount": "500.00", "currency": "XTS"' in said
    assert '"balance": "999500.00", "currency": "XTS"' in said
    assert '"code": "key_reused"' in said
