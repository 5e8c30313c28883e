"""`gateway wallets`: show, freeze, unfreeze."""

import pytest

from tests.cli.conftest import CommandLine
from tests.support.wired import ADA, BELLO, Wired


@pytest.fixture
def paid(wired: Wired) -> Wired:
    """Ada has redeemed a token of 100.00."""
    wired.redeem(wired.issue().reveal())
    return wired


def test_show_prints_the_keys_of_the_contract(command_line: CommandLine, paid: Wired) -> None:
    assert command_line.json("wallets", "show", ADA) == {
        "msisdn": ADA,
        "balance": "100.00",
        "held": "0.00",
        "currency": "NGN",
        "status": "active",
        "tier": "basic",
        "verified": True,
    }
    assert "balance   100.00" in command_line.said("wallets", "show", "08030000001")


def test_a_frozen_wallet_takes_nothing_until_it_is_unfrozen(
    command_line: CommandLine, paid: Wired
) -> None:
    freeze = ("wallets", "freeze", ADA, "--reason", "asked by phone")
    assert command_line.json(*freeze)["status"] == "frozen"
    token = paid.issue().reveal()
    paid.dial(ADA, text=f"1*{token}")
    assert command_line.json("wallets", "show", ADA)["balance"] == "100.00"
    assert "the wallet is frozen" in command_line.error(*freeze)
    unfreeze = ("wallets", "unfreeze", ADA, "--reason", "asked by phone")
    assert command_line.json(*unfreeze)["status"] == "active"
    assert "the wallet is active" in command_line.error(*unfreeze)
    paid.dial(ADA, text=f"1*{token}")
    assert command_line.json("wallets", "show", ADA)["balance"] == "200.00"
    assert paid.breaches() == []


def test_a_freeze_needs_a_reason(command_line: CommandLine, paid: Wired) -> None:
    assert command_line.run("wallets", "freeze", ADA).exit_code == 2


@pytest.mark.parametrize("verb", ["show", "freeze", "unfreeze"])
@pytest.mark.parametrize(
    ("phone", "said"), [(BELLO, "no wallet yet"), ("1", "phone number"), ("", "phone number")]
)
def test_an_unknown_phone_is_one_line(
    command_line: CommandLine, verb: str, phone: str, said: str
) -> None:
    reason = () if verb == "show" else ("--reason", "none")
    assert said in command_line.error("wallets", verb, phone, *reason)
