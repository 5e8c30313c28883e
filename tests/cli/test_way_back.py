"""`staff unlock` and `staff reset-pin`: nobody of the staff is locked out for good."""

from tests.cli.conftest import CommandLine
from tests.cli.test_operators import FIRST, OTHER_PIN, PIN, SECOND, THIRD, WRONG, create

OWN = "6138"


def acts(phone: str) -> tuple[str, ...]:
    """Who acts."""
    return ("--as", phone, "--pin-stdin")


def test_a_locked_operator_who_forgot_the_pin_comes_back(command_line: CommandLine) -> None:
    create(command_line, "Ada", FIRST)
    create(command_line, "Bello", SECOND, acts=FIRST)
    create(command_line, "Dada", THIRD, acts=FIRST)
    command_line.said("approvals", "approve", "1", *acts(SECOND), stdin=f"{PIN}\n")
    command_line.said("staff", "pin", *acts(THIRD), stdin=f"{PIN}\n{OWN}\n")
    pause = ("pause", "sms", "--reason", "a test")
    for _ in range(5):
        command_line.error(*pause, *acts(FIRST), stdin=f"{WRONG}\n")
    assert "locked until" in command_line.error(*pause, *acts(FIRST), stdin=f"{PIN}\n")

    why = ("--reason", "she forgot it")
    free = command_line.json("staff", "unlock", FIRST, *why, *acts(SECOND), stdin=f"{PIN}\n")
    assert free["locked_until"] is None
    asked = ("staff", "reset-pin", FIRST, *why)
    waits = command_line.json(*asked, *acts(SECOND), stdin=f"{PIN}\n{OTHER_PIN}\n")
    assert waits["approval"] == 2
    command_line.said("approvals", "approve", "2", *acts(THIRD), stdin=f"{OWN}\n")

    for_once = command_line.error(*pause, *acts(FIRST), stdin=f"{OTHER_PIN}\n")
    assert for_once.startswith("this PIN is for once: set your own at ")
    assert for_once.endswith("with gateway staff pin --as PHONE")
    command_line.said("staff", "pin", *acts(FIRST), stdin=f"{OTHER_PIN}\n{OWN}\n")
    command_line.said(*pause, *acts(FIRST), stdin=f"{OWN}\n")


def test_the_rule_is_told_by_the_help(command_line: CommandLine) -> None:
    said = " ".join(command_line.said("staff", "--help").split())
    assert "For 24 hours after a --break-glass or a reset of a PIN" in said
