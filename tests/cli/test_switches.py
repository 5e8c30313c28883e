"""`gateway pause`, `resume` and `switches`: stored, said who and why, seen by other processes."""

import pytest

from gateway.audit import store as trail_store
from gateway.cli import operators
from gateway.switches.board import Board
from tests.cli.conftest import CommandLine
from tests.support.wired import Wired


def test_a_pause_is_stored_audited_and_ended(command_line: CommandLine, wired: Wired) -> None:
    assert command_line.said("switches") == "nothing was ever paused\n"
    paused = command_line.json("pause", "Provider:MPESA", "--reason", "they are down")
    assert paused == {"what": "provider:mpesa", "paused": True}
    assert Board(wired.gateway.database).is_paused("provider:mpesa")
    (switch,) = command_line.json("switches")
    assert switch == {
        "what": "provider:mpesa",
        "paused": True,
        "changed_at": "2026-03-02T09:00:00Z",
        "changed_by": f"cli:{operators.login()}",
        "reason": "they are down",
    }
    command_line.said("resume", "provider:mpesa", "--reason", "they are back")
    assert not Board(wired.gateway.database).is_paused("provider:mpesa")
    lines = wired.run(lambda c: trail_store.about(c, "provider:mpesa"))
    assert [(line.action, line.reason) for line in lines] == [
        ("switch.pause", "they are down"),
        ("switch.resume", "they are back"),
    ]


def test_pausing_twice_and_resuming_what_runs_say_so(command_line: CommandLine) -> None:
    assert command_line.error("resume", "sms", "--reason", "x") == "sms is not paused"
    command_line.said("pause", "sms", "--reason", "x")
    assert command_line.error("pause", "sms", "--reason", "x") == "sms is paused"


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_a_switch_needs_a_known_name_and_a_reason(command_line: CommandLine, verb: str) -> None:
    assert command_line.run(verb, "sms").exit_code == 2
    assert "no such switch" in command_line.error(verb, "everything", "--reason", "x")
    assert command_line.json("switches") == []
