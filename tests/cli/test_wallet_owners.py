"""`gateway wallets`: tiers, verification, moves and resets, with two operators where it says so."""

from decimal import Decimal

import pytest

from gateway.audit import store as audit_store
from gateway.ledger import wallets
from gateway.settings.limits import Money
from tests.cli.conftest import CommandLine
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import wallet

NEW = "+2348030000009"
WHY = ("--reason", "seen with papers")


@pytest.fixture
def wired(database_url: str, clock: SteppedClock) -> Wired:
    """A gateway that knows a second tier, over a wallet with money."""
    whole = Wired(database_url, clock, money=Money(tiers={"full": {"debit": Decimal("9.00")}}))
    wallet(whole, ADA, "5.00")
    return whole


def approve(wired: Wired, number: int) -> None:
    """A second operator's word."""
    now, approvals = wired.clock.now(), wired.gateway.approvals
    wired.run(lambda c: approvals.approve(c, number, "cli:two", now))


def test_a_tier_is_one_that_settings_name(command_line: CommandLine, wired: Wired) -> None:
    done = command_line.json("wallets", "tier", ADA, "full", *WHY)
    assert (done["tier"], done["verified"]) == ("full", True)
    assert "full already" in command_line.error("wallets", "tier", ADA, "full", *WHY)
    said = command_line.error("wallets", "tier", ADA, "gold", *WHY)
    assert "the tiers are basic, full" in said
    (line,) = wired.run(lambda c: audit_store.about(c, ADA))
    assert (line.action, line.reason) == ("wallet.tier", "full: seen with papers")


def test_verifying_lets_a_doubtful_or_idle_owner_spend_again(
    command_line: CommandLine, wired: Wired, clock: SteppedClock
) -> None:
    found = wallet(wired, ADA)
    wired.run(lambda c: wallets.require_verification(c, found))
    assert not command_line.json("wallets", "show", ADA)["verified"]
    assert command_line.json("wallets", "verify", ADA, *WHY)["verified"]
    clock.advance(days=91)
    assert not command_line.json("wallets", "show", ADA)["verified"]
    assert command_line.json("wallets", "verify", ADA, *WHY)["verified"]


def test_a_wallet_is_moved_once_a_second_operator_approves(
    command_line: CommandLine, wired: Wired
) -> None:
    number = command_line.json("wallets", "move", ADA, NEW, *WHY)["approval"]
    assert command_line.json("wallets", "show", ADA)["balance"] == "5.00"
    approve(wired, number)
    assert "no wallet yet" in command_line.error("wallets", "show", ADA)
    moved = command_line.json("wallets", "show", NEW)
    assert (moved["balance"], moved["verified"]) == ("5.00", False)
    assert wired.breaches() == []


def test_a_move_that_cannot_be_is_refused_at_once(command_line: CommandLine, wired: Wired) -> None:
    wallet(wired, BELLO, "1.00")
    assert "with money" in command_line.error("wallets", "move", ADA, BELLO, *WHY)
    assert "already" in command_line.error("wallets", "move", ADA, ADA, *WHY)
    assert "no wallet yet" in command_line.error("wallets", "move", NEW, ADA, *WHY)


def test_a_pin_is_forgotten_once_a_second_operator_approves(
    command_line: CommandLine, wired: Wired
) -> None:
    wired.set_pin("4711")
    number = command_line.json("wallets", "reset-pin", ADA, *WHY)["approval"]
    approve(wired, number)
    assert not wired.run(lambda c: wired.gateway.people.pins.has_pin(c, ADA))
    assert not command_line.json("wallets", "show", ADA)["verified"]


@pytest.mark.parametrize(
    "words", [("tier", ADA, "full"), ("verify", ADA), ("move", ADA, NEW), ("reset-pin", ADA)]
)
def test_each_needs_a_reason(command_line: CommandLine, words: tuple[str, ...]) -> None:
    assert command_line.run("wallets", *words).exit_code == 2
