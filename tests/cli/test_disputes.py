"""`gateway disputes`: opened for a phone, resolved once, refunded by two operators."""

from collections.abc import Sequence

import pytest

from tests.cli.conftest import CommandLine
from tests.disputes.staging import redeemed
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired

WHY = ("--reason", "looked into")


def opened(command_line: CommandLine, subject: str, *words: str) -> str:
    """Open one; its reference."""
    made = command_line.json("disputes", "open", subject, "--for", ADA, *words, *WHY)
    return str(made["reference"])


def test_a_redemption_is_disputed_and_refunded_once_somebody_else_approves(
    command_line: CommandLine, wired: Wired
) -> None:
    serial = redeemed(wired)
    reference = opened(command_line, serial)
    refund = ("disputes", "resolve", reference, "refund", "--amount", "40.00", *WHY)
    number = command_line.json(*refund)["approval"]
    (waits,) = command_line.json("approvals", "list")
    assert waits["details"] == {
        "about": f"redemption {serial}",
        "amount": "40.00",
        "concerns": f"{ADA} {BELLO}",
        "currency": "NGN",
        "from": "owner",
    }
    assert "yourself" in command_line.error("approvals", "approve", str(number))
    now = wired.clock.now()
    wired.run(lambda c: wired.gateway.approvals.approve(c, number, "cli:two", now))
    found = command_line.json("disputes", "show", reference.lower())
    assert (found["state"], found["refunded"], found["about"]) == (
        "refunded",
        "40.00",
        "redemption",
    )
    done = [line.split()[2].rstrip(":") for line in found["done"]]
    assert done == ["dispute.open", "approval.ask", "dispute.refunded", "approval.approve"]
    assert str(wired.balance(ADA)) == "40.00"
    assert "the dispute is refunded" in command_line.error(*refund)
    assert wired.breaches() == []


@pytest.mark.parametrize(("how", "state"), [("release", "released"), ("reject", "rejected")])
def test_a_live_token_is_stopped_and_goes_on(
    command_line: CommandLine, wired: Wired, how: str, state: str
) -> None:
    serial = wired.issue("5.00", BELLO).serial
    reference = opened(command_line, serial.lower())
    assert wired.token(serial).status == "suspended"
    ended = command_line.json("disputes", "resolve", reference, how, *WHY)
    assert (ended["state"], wired.token(serial).status) == (state, "issued")


def test_the_list_shows_what_is_open_and_what_is_late(
    command_line: CommandLine, wired: Wired, clock: SteppedClock
) -> None:
    late = opened(command_line, wired.issue().serial, "--days", "1")
    other = opened(command_line, wired.issue().serial)
    ended = opened(command_line, wired.issue().serial)
    command_line.json("disputes", "resolve", ended, "reject", *WHY)
    clock.advance(days=3)

    def listed(*words: str) -> Sequence[str]:
        return [row["reference"] for row in command_line.json("disputes", "list", *words)]

    assert listed() == [late, other]
    assert listed("--state", "overdue") == [late]
    assert listed("--state", "rejected") == [ended]
    assert set(listed("--state", "all")) == {late, other, ended}


def test_what_cannot_be_done_is_said_in_one_line(command_line: CommandLine, wired: Wired) -> None:
    serial = redeemed(wired)
    reference = opened(command_line, serial)
    resolve = ("disputes", "resolve", reference)
    for words, said in (
        (("disputes", "open", serial, "--for", ADA, *WHY), f"dispute {reference} about it is open"),
        (("disputes", "open", "K7M29QXD", "--for", ADA, *WHY), "no token and no withdrawal"),
        (("disputes", "open", serial, "--for", "12", *WHY), "phone"),
        ((*resolve, "release", *WHY), "a redemption cannot be released"),
        ((*resolve, "reject", "--amount", "1", *WHY), "belong to a refund"),
        ((*resolve, "refund", "--amount", "100.01", *WHY), "at most 100.00 is left"),
        ((*resolve, "refund", "--amount", "1e1", *WHY), "an amount reads like"),
        (("disputes", "show", "K7M29QXD"), "no dispute with this reference"),
    ):
        assert said in command_line.error(*words)
    assert command_line.json("approvals", "list") == []
