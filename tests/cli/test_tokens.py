"""`gateway tokens`: issue, look, suspend, resume, cancel, reprint."""

import getpass

import pytest

from tests.cli.conftest import CommandLine
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import trail_of

ISSUE = ("tokens", "issue", "--amount", "500.00", "--to", ADA)
# The API's keys, in the contract's order.
ISSUED = ["serial", "status", "amount", "currency", "recipient", "expires_at"]
UNKNOWN_SERIAL = "22222222"


def test_issue_prints_the_keys_of_the_api(command_line: CommandLine) -> None:
    token = command_line.json(*ISSUE)
    assert list(token) == ISSUED
    assert (token["status"], token["amount"], token["currency"]) == ("issued", "500.00", "NGN")
    assert token["recipient"] == ADA


def test_issue_shows_the_digits_when_asked(command_line: CommandLine, wired: Wired) -> None:
    token = command_line.json(*ISSUE, "--show")
    assert list(token) == [*ISSUED, "token"]
    assert len(token["token"]) == 18
    assert "NGN 500.00" in wired.dial(BELLO, text=f"1*{token['token']}").body


@pytest.mark.parametrize(
    ("words", "actions"),
    [((), ["token.issue"]), (("--show",), ["token.issue", "token.reveal"])],
)
def test_the_trail_names_who_issued_and_who_was_shown_the_digits(
    command_line: CommandLine, wired: Wired, words: tuple[str, ...], actions: list[str]
) -> None:
    serial = command_line.json(*ISSUE, *words)["serial"]
    operator = f"cli:{getpass.getuser()}"
    assert trail_of(wired, serial) == [(operator, action, "") for action in actions]


def test_issue_for_people_has_a_line_for_each_fact(command_line: CommandLine) -> None:
    lines = command_line.said(*ISSUE).splitlines()
    assert [line.split()[0] for line in lines] == ISSUED
    assert lines[2] == "amount      500.00"


def test_issue_makes_an_11_digit_token_bound_to_its_recipient(
    command_line: CommandLine, wired: Wired
) -> None:
    token = command_line.json(*ISSUE, "--digits", "11", "--bound", "--show")
    assert len(token["token"]) == 11
    assert "NGN 500.00" not in wired.dial(BELLO, text=f"1*{token['token']}").body
    assert "NGN 500.00" in wired.dial(ADA, text=f"1*{token['token']}").body


def test_hours_count_exactly_and_days_to_the_end_of_the_local_day(
    command_line: CommandLine,
) -> None:
    hours = command_line.json(*ISSUE, "--expires-in", "12h")["expires_at"]
    days = command_line.json(*ISSUE, "--expires-in", "30d")["expires_at"]
    assert hours == "2026-03-02T21:00:00Z"
    assert days == "2026-04-01T23:00:00Z"


def test_a_national_number_is_read_in_the_country_of_the_settings(
    command_line: CommandLine,
) -> None:
    issue = ("tokens", "issue", "--amount", "5", "--to", "0803 000 0001")
    assert command_line.json(*issue)["recipient"] == ADA


# What is added to a good command, and the one line that answers it.
REFUSED: tuple[tuple[tuple[str, ...], str], ...] = (
    (("--amount", "0"), "an amount"),
    (("--amount", "-5"), "an amount"),
    (("--amount", "1e3"), "an amount"),
    (("--amount", "5.001"), "an amount"),
    (("--amount", "5,000"), "an amount"),
    (("--amount", "NaN"), "an amount"),
    (("--amount", "９"), "an amount"),
    (("--amount", ""), "an amount"),
    (("--amount", "9" * 16), "an amount"),
    (("--to", "123"), "phone number"),
    (("--to", ""), "phone number"),
    (("--to", "+234803000000x"), "phone number"),
    (("--expires-in", "3w"), "a period"),
    (("--expires-in", "0d"), "a period"),
    (("--expires-in", "-1d"), "a period"),
    (("--expires-in", "9999999d"), "a period"),
    (("--language", "sw"), "the languages are en, fr"),
    (("--language", ""), "the languages are en, fr"),
    (("--sender-name", "x" * 500), "sender_name"),
    (("--issue-ref", "x" * 500), "issue_ref"),
    (("--issue-ref", "naïve"), "issue_ref"),
)


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_bad_input_is_one_line_and_issues_nothing(
    command_line: CommandLine, wired: Wired, words: tuple[str, ...], said: str
) -> None:
    assert said in command_line.error(*ISSUE, *words)
    assert wired.send_all() == 0


@pytest.mark.parametrize(
    "words", [("--digits", "12"), ("--colour", "red"), ("and", "more"), ("--amount",)]
)
def test_wrong_usage_ends_with_2(command_line: CommandLine, words: tuple[str, ...]) -> None:
    done = command_line.run(*ISSUE, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Error: " in done.stderr


def test_a_reference_is_used_once(command_line: CommandLine) -> None:
    command_line.json(*ISSUE, "--issue-ref", "pay-1")
    assert "used before" in command_line.error(*ISSUE, "--issue-ref", "pay-1")


def test_show_tells_the_state_and_its_messages_and_never_the_digits(
    command_line: CommandLine, wired: Wired
) -> None:
    issued = command_line.json(*ISSUE, "--show")
    shown = command_line.json("tokens", "show", issued["serial"])
    assert {name: shown[name] for name in ISSUED} == {name: issued[name] for name in ISSUED}
    assert shown["messages"] == ["token queued"]
    wired.dial(ADA, text=f"1*{issued['token']}")
    text = command_line.said("tokens", "show", issued["serial"].lower())
    assert "redeemed_by       +2348030000001" in text
    assert issued["token"] not in text.replace(" ", "")


def test_a_suspended_token_is_resumed_and_cancelled(command_line: CommandLine) -> None:
    serial = command_line.json(*ISSUE)["serial"]
    steps = (("suspend", "suspended"), ("resume", "issued"), ("cancel", "cancelled"))
    for verb, status in steps:
        assert command_line.json("tokens", verb, serial)["status"] == status
    for verb in ("suspend", "resume", "cancel", "reprint"):
        assert "the token is cancelled" in command_line.error("tokens", verb, serial)


def test_reprint_sends_the_sms_again_to_the_recorded_recipient(
    command_line: CommandLine,
) -> None:
    serial = command_line.json(*ISSUE)["serial"]
    assert command_line.json("tokens", "reprint", serial)["reprints"] == 1
    assert len(command_line.json("tokens", "show", serial)["messages"]) == 2


@pytest.mark.parametrize("verb", ["show", "suspend", "resume", "cancel", "reprint"])
@pytest.mark.parametrize(
    ("serial", "said"),
    [(UNKNOWN_SERIAL, "no token with serial"), ("x", "no serial"), ("", "no serial")],
)
def test_an_unknown_serial_is_one_line(
    command_line: CommandLine, verb: str, serial: str, said: str
) -> None:
    assert said in command_line.error("tokens", verb, serial)


def test_the_digits_of_a_token_are_no_serial_and_are_not_repeated(
    command_line: CommandLine,
) -> None:
    digits = command_line.json(*ISSUE, "--show")["token"]
    assert digits not in command_line.error("tokens", "show", digits)
