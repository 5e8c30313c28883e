"""What support looks up on the command line: bounded rows, and never digits."""

from datetime import date

import pytest

from gateway.reconciliation.runs import store as runs
from gateway.reconciliation.runs.store import Finding
from tests.cli.conftest import CommandLine
from tests.menus.sending import ready, send
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired


def test_tokens_are_listed_by_recipient_and_state_newest_first(
    command_line: CommandLine, wired: Wired, clock: SteppedClock
) -> None:
    first, second = wired.issue("1.00"), wired.issue("2.00")
    wired.issue("3.00", BELLO)
    wired.redeem(first.reveal())
    to_ada = ("tokens", "list", "--to", "08030000001")
    listed = command_line.json(*to_ada)
    assert [row["serial"] for row in listed] == [second.serial, first.serial]
    assert second.reveal() not in str(listed)
    (live,) = command_line.json(*to_ada, "--state", "issued")
    assert live["serial"] == second.serial
    assert len(command_line.json(*to_ada, "--limit", "1")) == 1
    clock.advance(days=400)
    assert command_line.json(*to_ada, "--state", "issued") == []
    (past,) = command_line.json(*to_ada, "--state", "expired")
    assert (past["serial"], past["status"]) == (second.serial, "expired")
    assert command_line.json("tokens", "list", "--from", ADA) == []
    assert "--to or --from" in command_line.error("tokens", "list")


def test_a_sent_token_is_listed_under_its_sender(command_line: CommandLine, wired: Wired) -> None:
    ready(wired)
    serial = send(wired)
    (row,) = command_line.json("tokens", "list", "--from", ADA)
    assert (row["serial"], row["recipient"]) == (serial, BELLO)


def test_a_statement_says_what_each_entry_is_about(command_line: CommandLine, wired: Wired) -> None:
    serials = []
    for amount in ("1.00", "2.00"):
        issued = wired.issue(amount)
        wired.redeem(issued.reveal())
        serials.append(issued.serial)
    statement = ("wallets", "statement", ADA)
    rows = command_line.json(*statement)
    assert [(row["kind"], row["subject"], row["amount"]) for row in rows] == [
        ("redeem", serials[1], "2.00"),
        ("redeem", serials[0], "1.00"),
    ]
    assert len(command_line.json(*statement, "--limit", "1")) == 1
    assert "no wallet yet" in command_line.error("wallets", "statement", BELLO)


def test_the_trail_is_listed_by_subject_or_actor(command_line: CommandLine, wired: Wired) -> None:
    wired.redeem(wired.issue("1.00").reveal())
    for verb in ("freeze", "unfreeze"):
        command_line.json("wallets", verb, ADA, "--reason", "asked by phone")
    trail = ("audit", "list")
    about = command_line.json(*trail, "--subject", ADA)
    assert [row["action"] for row in about] == ["wallet.unfreeze", "wallet.freeze"]
    by = command_line.json(*trail, "--actor", about[0]["actor"], "--limit", "1")
    assert by == about[:1]
    assert command_line.json(*trail, "--subject", ADA, "--actor", "cli:nobody") == []
    assert command_line.json(*trail)[:2] == about


def test_the_outbox_is_listed_without_texts(command_line: CommandLine, wired: Wired) -> None:
    issued = wired.issue("1.00", deliver=True)
    wired.issue("1.00", BELLO, deliver=True)
    wired.send_all()
    listed = ("outbox", "list")
    assert len(command_line.json(*listed)) == 2
    (one,) = command_line.json(*listed, "--to", "08030000001", "--line", "sms")
    assert (one["subject"], one["to"], one["state"]) == (issued.serial, ADA, "delivered")
    assert command_line.json(*listed, "--subject", issued.serial) == [one]
    assert command_line.json(*listed, "--state", "queued") == []
    assert issued.reveal() not in command_line.said(*listed)


def test_all_findings_of_a_run_are_shown(command_line: CommandLine, wired: Wired) -> None:
    now = wired.clock.now()

    def ran(found: int) -> int:
        run = wired.run(lambda c: runs.begin(c, date(2026, 3, 1), "", "cli:one", now))
        findings = [Finding("missing", "snippe", txn_id=f"T{n}") for n in range(found)]
        wired.run(lambda c: runs.add_findings(c, run, findings))
        wired.run(lambda c: runs.finish(c, run, 0, 0, found, now))
        return run

    many, none = ran(250), ran(0)
    rows = command_line.json("reconciliations", "show", str(many))
    assert [row["txn_id"] for row in rows] == [f"T{n}" for n in range(250)]
    assert len(command_line.json("reconciliations", "show", str(many), "--limit", "3")) == 3
    assert "the run is clean" in command_line.said("reconciliations", "show", str(none))
    assert [row["run"] for row in command_line.json("reconciliations")] == [none, many]
    assert "no such run" in command_line.error("reconciliations", "show", "999")


@pytest.mark.parametrize("limit", ["0", "10001", "x"])
def test_a_limit_is_a_number_of_rows(command_line: CommandLine, limit: str) -> None:
    assert command_line.run("outbox", "list", "--limit", limit).exit_code == 2
