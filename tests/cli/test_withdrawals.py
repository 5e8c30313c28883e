"""`gateway withdrawals`: list, show, pay, reject, send, done, settle."""

import pytest

from gateway.providers.base.messages import Outcome
from tests.cli.conftest import CommandLine
from tests.support.wired import ADA, Wired
from tests.tokens.till_staging import cash, pay, till
from tests.withdrawals.staging import Desk, Payer, naira

WHY = ("--reason", "seen at the bank")


@pytest.fixture
def desk(wired: Wired) -> Desk:
    """No provider serves the phone."""
    return Desk(wired, Payer(phone_prefixes=("+254",)))


def by_hand(desk: Desk) -> str:
    """A withdrawal that an operator has to pay; its reference."""
    desk.fund()
    return desk.request().reference


def test_list_shows_what_is_held_and_what_needs_an_operator(
    command_line: CommandLine, desk: Desk
) -> None:
    assert command_line.said("withdrawals", "list") == "none\n"
    reference = by_hand(desk)
    for words in ((), ("--manual",), ("--state", "held")):
        (row,) = command_line.json("withdrawals", "list", *words)
        assert (row["reference"], row["payout"]) == (reference, "manual")
    assert command_line.json("withdrawals", "list", "--state", "paid") == []


def test_show_prints_the_facts_and_everything_that_was_said(
    command_line: CommandLine, desk: Desk
) -> None:
    reference = by_hand(desk)
    command_line.json("withdrawals", "pay", reference, "--txn-id", "BANK-1", *WHY)
    shown = command_line.json("withdrawals", "show", reference.lower())
    assert (shown["state"], shown["amount"], shown["fee"]) == ("paid", "60.00", "0.00")
    assert (shown["paid_through"], shown["provider_txn_id"]) == ("bank", "BANK-1")
    assert shown["said"] == [
        "2026-03-02T09:00:00Z operator succeeded applied BANK-1 seen at the bank"
    ]
    assert "no withdrawal" in command_line.error("withdrawals", "show", "NOBODYS")


def test_pay_says_what_stands_against_it(command_line: CommandLine, desk: Desk) -> None:
    reference = by_hand(desk)
    paid = ("withdrawals", "pay", reference, "--txn-id", "BANK-1", *WHY)
    assert command_line.json(*paid)["state"] == "paid"
    assert "the withdrawal is paid" in command_line.error(*paid)
    other = desk.request("10.00", intent="two").reference
    again = command_line.error("withdrawals", "pay", other, "--txn-id", "BANK-1", *WHY)
    assert f"has paid withdrawal {reference}" in again
    assert desk.wired.breaches() == []


def test_reject_gives_the_money_back(command_line: CommandLine, desk: Desk) -> None:
    reference = by_hand(desk)
    assert command_line.json("withdrawals", "reject", reference, *WHY)["state"] == "rejected"
    assert desk.wired.balance() == naira("100.00")
    shown = command_line.json("wallets", "show", ADA)
    assert (shown["balance"], shown["held"]) == ("100.00", "0.00")


def test_a_forced_rejection_waits_for_a_second_operator(
    command_line: CommandLine, wired: Wired
) -> None:
    desk = Desk(wired)
    desk.fund()
    made = desk.request()
    desk.payer.says[0] = desk.payer.answers[0]
    desk.work()
    refused = command_line.error("withdrawals", "reject", made.reference, *WHY)
    assert "may have paid it" in refused
    waits = command_line.json("withdrawals", "reject", made.reference, "--force", *WHY)
    assert waits["state"] == "held"
    assert "second operator" in waits["waits_for"]
    (approval,) = command_line.json("approvals", "list")
    assert (approval["kind"], approval["subject"]) == ("payout.reject", made.reference)
    shown = {"amount": "60.00", "currency": "NGN", "forced": "yes", "concerns": ADA}
    assert approval["details"] == shown


def test_send_refuses_what_no_provider_serves(command_line: CommandLine, desk: Desk) -> None:
    error = command_line.error("withdrawals", "send", by_hand(desk), *WHY)
    assert "no provider serves" in error


def test_done_takes_a_contradiction_off_the_list(command_line: CommandLine, wired: Wired) -> None:
    desk = Desk(wired)
    desk.fund()
    made = desk.request()
    desk.hear(made, Outcome.FAILED)
    desk.hear(made, Outcome.SUCCEEDED, txn_id="C9")
    (row,) = command_line.json("withdrawals", "list", "--manual")
    assert (row["reference"], row["state"]) == (made.reference, "rejected")
    assert command_line.json("withdrawals", "done", made.reference, *WHY)["payout"] == "none"
    assert command_line.json("withdrawals", "list", "--manual") == []
    assert "not on the list" in command_line.error("withdrawals", "done", made.reference, *WHY)


def test_settle_holds_a_tills_money_until_the_day_is_reconciled(
    command_line: CommandLine, wired: Wired
) -> None:
    pay(wired, cash(wired, "80.00").reveal(), till(wired))
    settle = ("withdrawals", "settle", "till", "till-1", "--to", "GB00BANK1", *WHY)
    held = command_line.json(*settle, "--amount", "60.00")
    assert (held["state"], held["method"]) == ("held", "settlement")
    error = command_line.error("withdrawals", "pay", held["reference"], "--txn-id", "B1", *WHY)
    assert "no clean reconciliation" in error
    assert "below the amount" in command_line.error(*settle, "--amount", "20.01")
    nobody = command_line.error(
        "withdrawals", "settle", "partner", "P9", "--amount", "1.00", "--to", "X", *WHY
    )
    assert "there is no partner P9 with money" in nobody
    assert wired.breaches() == []
