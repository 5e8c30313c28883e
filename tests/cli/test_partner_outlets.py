"""`gateway partners outlet`: where a partner's keys pay, agreed and ended, in the trail."""

import pytest

from tests.cli.conftest import CommandLine
from tests.outlets.staging import Shop
from tests.support.wired import Wired


@pytest.fixture
def acme(command_line: CommandLine, wired: Wired) -> CommandLine:
    command_line.json("partners", "create", "--name", "Acme")
    for outlet in ("IKEJA", "LEKKI"):
        Shop(wired, outlet).open()
    return command_line


def test_outlets_are_agreed_listed_and_ended(acme: CommandLine) -> None:
    assert acme.json("partners", "outlet", "acme", "lekki") == [{"outlet": "LEKKI"}]
    acme.json("partners", "outlet", "acme", "IKEJA", "--reason", "the contract")
    assert acme.json("partners", "outlets", "acme") == [{"outlet": "IKEJA"}, {"outlet": "LEKKI"}]
    assert acme.json("partners", "outlet", "acme", "LEKKI", "--remove") == [{"outlet": "IKEJA"}]
    trail = acme.json("audit", "list", "--subject", "acme")
    assert [line["action"] for line in trail][:3] == [
        "partner.outlet_ended",
        "partner.outlet",
        "partner.outlet",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("acme", "NOWHERE"), "there is no outlet"),
        (("nobody", "IKEJA"), "there is no partner"),
        (("acme", "IKEJA", "--remove"), "does not pay at IKEJA"),
    ],
)
def test_what_cannot_be_agreed_is_refused_in_a_line(
    acme: CommandLine, words: tuple[str, ...], said: str
) -> None:
    assert said in acme.error("partners", "outlet", *words)


def test_what_is_agreed_already_is_said(acme: CommandLine) -> None:
    acme.json("partners", "outlet", "acme", "IKEJA")
    assert "already" in acme.error("partners", "outlet", "acme", "IKEJA")
