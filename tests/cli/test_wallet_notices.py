"""Owners hear by SMS of what operators do to their wallets."""

from tests.cli.conftest import CommandLine
from tests.cli.test_wallet_owners import NEW, WHY, approve
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired
from tests.tokens.staging import wallet

AT = "02/03/2026 10:00"


def heard(wired: Wired, phone: str = ADA) -> list[str]:
    """What a phone got, the latest first."""
    wired.send_all()
    return [sms.text for sms in wired.gateway.inbox(phone)]


def test_an_owner_hears_of_a_freeze_and_of_its_end_each_time(
    command_line: CommandLine, wired: Wired, clock: SteppedClock
) -> None:
    wallet(wired, ADA, "5.00")
    for _ in range(2):
        command_line.json("wallets", "freeze", ADA, *WHY)
        assert "is frozen" in command_line.error("wallets", "freeze", ADA, *WHY)
        command_line.json("wallets", "unfreeze", ADA, *WHY)
        clock.advance(minutes=1)
    told = heard(wired)
    assert [text for text in told if AT in text] == [
        f"Your wallet works again since {AT}.",
        f"Your wallet was stopped on {AT}.",
    ]
    assert len(told) == 4


def test_an_owner_hears_once_of_a_reset_of_the_pin(command_line: CommandLine, wired: Wired) -> None:
    wired.set_pin("4711")
    number = command_line.json("wallets", "reset-pin", ADA, *WHY)["approval"]
    assert heard(wired) == []
    approve(wired, number)
    said = f"Your PIN was reset on {AT}. If you did not ask for this, tell us."
    assert heard(wired) == [said]


def test_both_numbers_hear_of_a_move_and_neither_learns_the_other(
    command_line: CommandLine, wired: Wired
) -> None:
    wallet(wired, ADA, "5.00")
    number = command_line.json("wallets", "move", ADA, NEW, *WHY)["approval"]
    approve(wired, number)
    doubt = "If you did not ask for this, tell us."
    assert heard(wired) == [f"Your wallet was moved to the number +23480*****09 on {AT}. {doubt}"]
    assert heard(wired, NEW) == [
        f"The wallet of +23480*****01 was moved to your number on {AT}. {doubt}"
    ]
