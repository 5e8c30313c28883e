"""`gateway partners`, `house` and `settlements`: floats are filled by two operators."""

import pytest

from gateway.audit import store as audit_store
from gateway.tokens.store import tokens
from tests.cli.conftest import CommandLine
from tests.support.wired import BELLO, Wired
from tests.tokens.staging import count

WHY = ("--reason", "it came in")
FUND = ("partners", "fund", "acme", "--amount", "100.00", "--reference", "FT1", *WHY)
SETTLE = ("settlements", "book", "--provider", "snippe", "--gross", "100", "--reference", "FT1")
ISSUE = ("tokens", "issue", "--to", BELLO, "--partner", "acme", "--amount")


def approve(wired: Wired, number: int) -> str | None:
    """A second operator's word; what was done."""
    now, approvals = wired.clock.now(), wired.gateway.approvals
    return wired.run(lambda c: approvals.approve(c, number, "cli:two", now)).outcome


def test_a_partner_is_made_funded_and_issues_from_its_float(
    command_line: CommandLine, wired: Wired
) -> None:
    made = command_line.json("partners", "create", "--name", "Acme")
    shown = {"code": "acme", "name": "Acme", "status": "active", "held": None, "currency": "NGN"}
    assert made == {**shown, "balance": None}
    approve(wired, command_line.json(*FUND)["approval"])
    issued = command_line.json(*ISSUE, "60.00")
    assert (issued["status"], issued["amount"]) == ("issued", "60.00")
    token = wired.token(issued["serial"])
    assert (token.issuer, token.sender_name) == ("acme", "Acme")
    (listed,) = command_line.json("partners", "list")
    assert listed.items() <= command_line.json("partners", "show", "acme").items()
    assert listed == {**shown, "balance": "40.00", "held": "0.00"}
    assert "below the amount" in command_line.error(*ISSUE, "40.01")
    assert wired.breaches() == []


def test_whoever_asked_for_money_cannot_approve_it(command_line: CommandLine, wired: Wired) -> None:
    command_line.json("partners", "create", "--name", "Acme")
    number = str(command_line.json(*FUND)["approval"])
    assert "yourself" in command_line.error("approvals", "approve", number)
    assert command_line.json("partners", "show", "acme")["balance"] is None
    (waits,) = command_line.json("approvals", "list")
    assert (waits["kind"], waits["subject"], waits["details"]["amount"]) == (
        "float.fund",
        "FT1",
        "100.00",
    )


def test_a_reference_is_asked_for_and_spent_once(command_line: CommandLine, wired: Wired) -> None:
    command_line.json("partners", "create", "--name", "Acme")
    number = command_line.json(*FUND)["approval"]
    assert "waits for this already" in command_line.error(*FUND)
    approve(wired, number)
    house = ("house", "fund", "--amount", "1.00", "--reference", "FT1")
    for words in (FUND, house, (*SETTLE, *WHY)):
        assert "booked before" in command_line.error(*words)


def test_the_house_has_a_float_of_its_own(command_line: CommandLine, wired: Wired) -> None:
    assert command_line.json("house", "show") == {"balance": None, "held": None, "currency": "NGN"}
    house = ("house", "fund", "--amount", "75.00", "--reference", "FT1")
    approve(wired, command_line.json(*house)["approval"])
    assert command_line.json("house", "show")["balance"] == "75.00"


def test_a_suspended_partner_issues_nothing_until_it_is_resumed(
    command_line: CommandLine, wired: Wired
) -> None:
    command_line.json("partners", "create", "--name", "Acme")
    approve(wired, command_line.json(*FUND)["approval"])
    assert command_line.json("partners", "suspend", "acme", *WHY)["status"] == "suspended"
    assert "suspended" in command_line.error("partners", "suspend", "acme", *WHY)
    assert "the partner acme is suspended" in command_line.error(*ISSUE, "1.00")
    assert count(wired, tokens) == 0
    assert command_line.json("partners", "resume", "acme", *WHY)["status"] == "active"
    command_line.json(*ISSUE, "1.00")
    lines = wired.run(lambda c: audit_store.about(c, "acme"))
    assert [line.action for line in lines] == [
        "partner.create",
        "partner.suspended",
        "partner.active",
    ]


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "a\x00b", "\u202egninnur"])
def test_a_name_that_people_cannot_read_is_refused(command_line: CommandLine, name: str) -> None:
    assert "printable" in command_line.error("partners", "create", "--name", name)


@pytest.mark.parametrize("code", ["a", "Acme", "1acme", "house", "-acme", "x" * 21, "ac me"])
def test_a_code_that_commands_cannot_take_is_refused(command_line: CommandLine, code: str) -> None:
    assert "code" in command_line.error("partners", "create", "--name", "Acme", f"--code={code}")


def test_a_partner_without_a_name_in_latin_letters_is_given_a_code(
    command_line: CommandLine,
) -> None:
    assert "code" in command_line.error("partners", "create", "--name", "日本")
    words = ("partners", "create", "--name", "日本", "--code", "nihon")
    assert command_line.json(*words)["code"] == "nihon"
    assert "there is a partner nihon" in command_line.error(*words)


@pytest.mark.parametrize("amount", ["0", "-5", "0.001", "1e3", "1_000", "NaN", "１", "", "1,000"])
def test_what_is_no_amount_is_refused_everywhere(command_line: CommandLine, amount: str) -> None:
    command_line.json("partners", "create", "--name", "Acme")
    for words in (
        ("partners", "fund", "acme", f"--amount={amount}", "--reference", "F", *WHY),
        ("house", "fund", f"--amount={amount}", "--reference", "F"),
        (*SETTLE[:4], f"--gross={amount}", "--reference", "F", *WHY),
    ):
        assert "amount" in command_line.error(*words)
    assert command_line.json("approvals", "list") == []


def test_nobody_is_no_partner(command_line: CommandLine) -> None:
    for words in (("show", "acme"), FUND[1:], ("suspend", "acme", *WHY)):
        assert "there is no partner 'acme'" in command_line.error("partners", *words)
    assert "there is no partner 'acme'" in command_line.error(*ISSUE, "1.00")


def test_a_settlement_is_booked_once_a_second_operator_approves(
    command_line: CommandLine, wired: Wired
) -> None:
    number = command_line.json(*SETTLE, "--fee", "2.50", "--net", "97.50", *WHY)["approval"]
    assert approve(wired, number) == "snippe settled NGN 97.50 net of 2.50"
    assert "booked before" in command_line.error(*SETTLE, *WHY)
    assert wired.breaches() == []


def test_a_settlement_that_does_not_add_up_is_refused(command_line: CommandLine) -> None:
    said = command_line.error(*SETTLE, "--fee", "2.50", "--net", "97.49", *WHY)
    assert "do not make the gross amount" in said
    assert "above zero" in command_line.error(*SETTLE, "--fee", "100", *WHY)
