"""`gateway partners profile`: agreed with a reason, held to by `tokens issue`, and looked at."""

import pytest

from tests.cli.conftest import CommandLine
from tests.cli.test_partners import FUND, ISSUE, approve
from tests.support.wired import Wired

AGREE = ("partners", "profile", "acme", "--reason", "the contract")
OWN = "{sender}: {amount}.\nCode {token} by {expiry}"


@pytest.fixture
def acme(command_line: CommandLine, wired: Wired) -> CommandLine:
    command_line.json("partners", "create", "--name", "Acme")
    approve(wired, command_line.json(*FUND)["approval"])
    return command_line


def test_a_profile_is_agreed_and_its_caps_hold_for_the_command_line_too(
    acme: CommandLine, wired: Wired
) -> None:
    changed = acme.json(
        *AGREE, "--token-max", "50", "--day-max", "60", "--low-float", "70", "--expiry", "12h"
    )
    assert (changed["token_max"], changed["day_max"], changed["float_low"]) == (
        "50.00",
        "60.00",
        False,
    )
    assert "above the token max: at most 50.00 now" in acme.error(*ISSUE, "50.01")
    issued = acme.json(*ISSUE, "40.00")
    assert issued["expires_at"] == "2026-03-02T21:00:00Z"
    assert "above the day max: at most 20.00 now" in acme.error(*ISSUE, "20.01")
    shown = acme.json("partners", "show", "acme")
    assert (shown["low_float"], shown["float_low"]) == ("70.00", True)
    assert wired.breaches() == []


def test_a_change_needs_a_reason_and_a_look_does_not(acme: CommandLine) -> None:
    assert acme.json("partners", "profile", "acme")["expiry"] == "30d"
    assert "--reason" in acme.error("partners", "profile", "acme", "--day-max", "5")


def test_the_sms_is_shown_as_a_phone_shows_it(acme: CommandLine) -> None:
    acme.said(*AGREE, "--sender-id", "ACME", "--sms-text", OWN)
    seen = acme.said("partners", "profile", "acme", "--preview")
    assert "+-ACME -----" in seen
    assert "| Acme: NGN 500.00.                  |\n| Code 490750 293453 273258 by       |" in seen
    assert "en, its own words, " in seen
    assert "fr, our words, " in seen
    cleared = acme.json(*AGREE, "--without", "sms-text", "--without", "sender-id")
    assert (cleared["sms_texts"], cleared["sender_id"]) == ({}, None)


def test_a_text_in_another_language_stands_beside_the_first(acme: CommandLine) -> None:
    acme.said(*AGREE, "--sms-text", OWN)
    acme.said(*AGREE, "--sms-text", "Pour vous {amount}: {token}", "--sms-language", "fr")
    found = acme.json("partners", "profile", "acme")["sms_texts"]
    assert found == {"en": OWN, "fr": "Pour vous {amount}: {token}"}
    assert "must hold {token}" in acme.error(*AGREE, "--sms-text", "Hello {amount}")
