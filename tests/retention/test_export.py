"""What `gateway people export` writes: everything about one person, and nothing about others."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gateway.audit import store as trail
from gateway.cli import operators
from gateway.database.types import metadata
from gateway.retention.holdings.sections import SECTIONS
from tests.cli.conftest import CommandLine
from tests.menus.sending import ready, send
from tests.menus.texting import answered
from tests.support.wired import ADA, BELLO, Wired


def exported(line: CommandLine, folder: Path, phone: str = ADA) -> dict[str, Any]:
    """What the file of an export holds."""
    file = folder / f"{phone}.json"
    line.said("people", "export", phone, "--output", str(file), "--reason", "she asked")
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def test_it_holds_everything_that_names_the_phone(
    command_line: CommandLine, wired: Wired, tmp_path: Path
) -> None:
    ready(wired)
    serial = send(wired)
    redeemed = wired.issue("70.00")
    wired.redeem(redeemed.reveal())
    wired.redeem("902100000000000014")
    answered(wired, "STOP", "mo-1")
    wired.send_all()
    held = exported(command_line, tmp_path)
    assert set(held) == {"phone", "at", *(section.name for section in SECTIONS)}
    assert (held["phone"], held["at"]) == (ADA, "2026-03-02T09:00:00Z")
    tokens = {token["serial"]: token for token in held["tokens"]}
    assert tokens[serial]["issuer"] == ADA
    assert tokens[redeemed.serial]["redeemed_by"] == ADA
    (wallet,) = held["wallets"]
    assert wallet["balance"] == f"{wired.balance():.2f}"
    entries = [entry["movement_id"] for entry in held["wallet_entries"]]
    assert sorted(set(entries)) == [movement["id"] for movement in held["wallet_movements"]]
    assert [entry["outcome"] for entry in held["sms_in"]] != []
    for name in ("ussd_sessions", "sms_out", "wrong_entries", "pin", "trail", "sms_wish"):
        assert held[name], name


def test_nobody_elses_number_no_digits_and_no_hash_are_in_it(
    command_line: CommandLine, wired: Wired, tmp_path: Path
) -> None:
    ready(wired)
    send(wired, to=BELLO)
    made = wired.issue(to=BELLO)
    wired.redeem(made.reveal())
    exported(command_line, tmp_path)
    text = (tmp_path / f"{ADA}.json").read_text()
    assert BELLO.removeprefix("+") not in text
    assert "+23480*****02" in text
    assert not re.search(r"argon2|[0-9]{17,}", text)
    assert made.reveal() not in text


def test_an_export_is_recorded_with_its_reason_and_never_written_over(
    command_line: CommandLine, wired: Wired, tmp_path: Path
) -> None:
    held = exported(command_line, tmp_path)
    line = wired.run(lambda c: trail.about(c, ADA))[-1]
    assert (line.action, line.reason, line.actor) == (
        "people.export",
        "she asked",
        f"cli:{operators.login()}",
    )
    assert [entry["action"] for entry in held["trail"]] == ["people.export"]
    file = tmp_path / f"{ADA}.json"
    assert file.stat().st_mode & 0o777 == 0o600
    words = ("people", "export", ADA, "--output", str(file), "--reason", "again")
    assert "cannot be made" in command_line.error(*words)
    assert len(wired.run(lambda c: trail.about(c, ADA))) == 1


def test_it_needs_a_phone_a_reason_and_a_file(command_line: CommandLine, tmp_path: Path) -> None:
    file = str(tmp_path / "x.json")
    assert command_line.run("people", "export", ADA, "--output", file).exit_code == 2
    assert command_line.run("people", "export", ADA, "--reason", "x").exit_code == 2
    said = command_line.error("people", "export", "12", "--output", file, "--reason", "x")
    assert "12" not in said or "number" in said
    assert not Path(file).exists()


def test_a_person_who_is_not_known_has_an_empty_export(
    command_line: CommandLine, tmp_path: Path
) -> None:
    held = exported(command_line, tmp_path, "+2348039999999")
    del held["trail"]
    assert [name for name, rows in held.items() if isinstance(rows, list) and rows] == []


def test_a_number_that_begins_like_theirs_is_another_persons(
    command_line: CommandLine, wired: Wired, tmp_path: Path
) -> None:
    longer = f"{ADA}9"
    wired.run(
        lambda c: c.execute(
            metadata.tables["sms_wishes"]
            .insert()
            .values(msisdn=longer, stopped_at=None, changed_at=wired.clock.now())
        )
    )
    assert exported(command_line, tmp_path)["sms_wish"] == []


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_each_section_can_be_asked_on_both_databases(section: Any, wired: Wired) -> None:
    from gateway.retention.holdings import store

    with wired.gateway.database.snapshot() as connection:
        assert list(store.rows(connection, section, ADA)) == []
