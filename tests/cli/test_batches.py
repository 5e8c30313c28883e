"""`gateway batches`: an operator hands a file in, a second one approves it, the worker issues."""

import csv
import io
from pathlib import Path

import pytest

from tests.api.batching import HEAD, advance, sheet
from tests.cli.conftest import CommandLine
from tests.cli.test_partners import FUND, approve
from tests.support.wired import ADA, Wired


@pytest.fixture
def acme(command_line: CommandLine, wired: Wired) -> CommandLine:
    command_line.json("partners", "create", "--name", "Acme")
    approve(wired, command_line.json(*FUND)["approval"])
    return command_line


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tokens.csv"
    path.write_text(sheet(3), encoding="utf-8-sig")
    return path


def test_a_file_is_tried_handed_in_approved_and_issued(
    acme: CommandLine, wired: Wired, file: Path
) -> None:
    tried = acme.json("batches", "import", "acme", str(file), "--dry-run")
    assert (tried["rows"], tried["total"], tried["missing"]) == (3, "30.00", "0.00")
    name = acme.json("batches", "import", "acme", str(file))["batch"]
    (waits,) = acme.json("approvals", "list")
    assert waits["details"] == {
        "amount": "30.00",
        "currency": "NGN",
        "owner": "acme",
        "rows": "3",
    }
    assert "yourself" in acme.error("approvals", "approve", str(waits["id"]))
    done = f"batch {name} of acme runs: 3 tokens, NGN 30.00"
    assert approve(wired, waits["id"]) == done
    assert advance(wired) == 3
    said = acme.said("batches", "show", name, "--watch")
    assert said.startswith("[####################] 3/3 3 issued, 0 failed, done\n")
    rows = list(csv.DictReader(io.StringIO(acme.said("batches", "export", name))))
    assert [(row["row"], row["status"], row["amount"]) for row in rows] == [
        ("2", "issued", "10.00"),
        ("3", "issued", "10.00"),
        ("4", "issued", "10.00"),
    ]
    assert all(wired.token(row["serial"]).status == "issued" for row in rows)
    (listed,) = acme.json("batches", "list", "--partner", "acme")
    assert (listed["partner"], listed["batch"], listed["issued"]) == ("acme", name, 3)


def test_faults_are_told_by_row_and_column_and_nothing_is_kept(
    acme: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(f"{HEAD}\n5,2.348E+12,r1\n0,{ADA},r2\n")
    found = acme.json("batches", "import", "acme", str(path), "--dry-run", code=1)
    assert [(one["row"], one["column"]) for one in found["errors"]] == [
        (2, "recipient"),
        (3, "amount"),
    ]
    refused = acme.run("batches", "import", "acme", str(path))
    assert refused.exit_code == 1
    assert "a spreadsheet has rewritten this phone number: format the column" in refused.stdout
    assert "the file has 2 faults; the first: row 2, recipient" in refused.stderr
    assert acme.json("batches", "list") == []


def test_a_worker_that_runs_once_issues_and_sends(
    acme: CommandLine, wired: Wired, file: Path
) -> None:
    acme.json("batches", "import", "acme", str(file))
    approve(wired, acme.json("approvals", "list")[0]["id"])
    assert "3 messages handled" in acme.said("worker", "--once")


def test_a_batch_is_cancelled_and_retried_with_a_reason(
    acme: CommandLine, wired: Wired, tmp_path: Path
) -> None:
    path = tmp_path / "dear.csv"
    path.write_text(sheet(2, amount="60.00"))
    name = acme.json("batches", "import", "acme", str(path))["batch"]
    approve(wired, acme.json("approvals", "list")[0]["id"])
    advance(wired)
    shown = acme.said("batches", "show", name)
    assert "insufficient_funds" in shown
    again = acme.json("batches", "retry", name, "--reason", "funded")
    assert (again["status"], again["waiting"], again["missing"]) == ("running", 1, "20.00")
    gone = acme.json("batches", "cancel", name, "--reason", "no more money")
    assert (gone["status"], gone["issued"], gone["cancelled"]) == ("cancelled", 1, 1)
    assert "the batch is cancelled" in acme.error("batches", "retry", name, "--reason", "again")
