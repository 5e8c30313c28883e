"""Who acts on the command line: the login name at first, an operator with a PIN from then on."""

from pathlib import Path

import pytest

from gateway.audit import store as trail_store
from gateway.cli import operators
from gateway.people.staff import store as staff_store
from tests.cli.conftest import CommandLine
from tests.support.wired import ADA, Wired

FIRST, SECOND, THIRD, CASHIER = (f"+23480300001{n:02}" for n in range(4))
PIN, OTHER_PIN, WRONG = "4907", "5028", "4908"


def create(
    command_line: CommandLine, name: str, phone: str, role: str = "operator", acts: str = ""
) -> dict[str, object]:
    """Take somebody on whose PIN is the usual one; `acts` is the operator's phone."""
    words = ("staff", "create", "--name", name, "--role", role, "--phone", phone, "--pin-stdin")
    made: dict[str, object] = command_line.json(
        *words, *(("--as", acts) if acts else ()), stdin=f"{PIN}\n{PIN}\n"
    )
    return made


def actors(wired: Wired, subject: str) -> list[str]:
    """Who acted on a subject, oldest first."""
    return [line.actor for line in wired.run(lambda c: trail_store.about(c, subject))]


def suspended(command_line: CommandLine, wired: Wired, *words: str, stdin: str = "") -> str:
    """Suspend a new token, as somebody; who that was, or why not."""
    serial = wired.issue().serial
    done = command_line.run("tokens", "suspend", serial, *words, stdin=stdin)
    return actors(wired, serial)[-1] if done.exit_code == 0 else done.stderr.strip()


def test_before_there_is_an_operator_the_login_name_acts(
    command_line: CommandLine, wired: Wired
) -> None:
    assert suspended(command_line, wired) == f"cli:{operators.login()}"
    create(command_line, "Chidi", CASHIER, "cashier")
    assert suspended(command_line, wired) == f"cli:{operators.login()}"
    assert "leave out --as" in suspended(command_line, wired, "--as", FIRST, "--pin-stdin")


def test_once_there_is_one_an_operator_must_say_and_prove_who_acts(
    command_line: CommandLine, wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(command_line, "Ada Obi", FIRST)
    assert "say which operator acts" in suspended(command_line, wired)
    named = ("--as", FIRST, "--pin-stdin")
    assert suspended(command_line, wired, *named, stdin=f"{PIN}\n") == "staff:1:Ada Obi"
    assert "no operator's" in suspended(command_line, wired, *named, stdin=f"{WRONG}\n")
    assert "4 to 6 digits" in suspended(command_line, wired, *named, stdin="")
    monkeypatch.setenv("GATEWAY_OPERATOR", FIRST)
    local = f"0{FIRST[4:]}"
    assert suspended(command_line, wired, "--pin-stdin", stdin=f"{PIN}\n") == "staff:1:Ada Obi"
    assert "no operator's" in suspended(
        command_line, wired, "--as", f"{local[:-1]}9", "--pin-stdin", stdin=f"{PIN}\n"
    )


def test_a_wrong_pin_is_counted_and_committed_though_the_command_fails(
    command_line: CommandLine, wired: Wired
) -> None:
    create(command_line, "Ada", FIRST)
    for _ in range(5):
        suspended(command_line, wired, "--as", FIRST, "--pin-stdin", stdin=f"{WRONG}\n")
    assert "locked until" in suspended(
        command_line, wired, "--as", FIRST, "--pin-stdin", stdin=f"{PIN}\n"
    )
    member = wired.run(lambda c: staff_store.by_msisdn(c, FIRST))
    assert member is not None
    assert member.tries == 5


def test_a_cashier_acts_on_no_command(command_line: CommandLine, wired: Wired) -> None:
    create(command_line, "Ada", FIRST)
    create(command_line, "Chidi", CASHIER, "cashier", acts=FIRST)
    said = suspended(command_line, wired, "--as", CASHIER, "--pin-stdin", stdin=f"{PIN}\n")
    assert "no operator's" in said


def test_a_third_operator_waits_until_another_one_approves(
    command_line: CommandLine, wired: Wired
) -> None:
    create(command_line, "Ada", FIRST)
    create(command_line, "Bello", SECOND, acts=FIRST)
    third = create(command_line, "Dada", THIRD, acts=FIRST)
    assert (third["status"], third["approval"]) == ("waiting", 1)
    (waits,) = command_line.json("approvals", "list")
    assert (waits["kind"], waits["subject"], waits["asked_by"]) == (
        "staff.hire",
        THIRD,
        "staff:1:Ada",
    )
    assert waits["details"] == {"name": "Dada", "outlet": "", "role": "operator"}
    own = command_line.error(
        "approvals", "approve", "1", "--as", FIRST, "--pin-stdin", stdin=f"{PIN}\n"
    )
    assert own == "you asked for this yourself: somebody else must approve it"
    done = command_line.json(
        "approvals", "approve", "1", "--as", SECOND, "--pin-stdin", stdin=f"{PIN}\n"
    )
    assert (done["state"], done["decided_by"]) == ("approved", "staff:2:Bello")
    assert command_line.said("approvals", "list") == "none\n"
    assert "Dada is an active operator" in command_line.said("approvals", "list", "--all")
    assert [member["status"] for member in command_line.json("staff", "list")] == ["active"] * 3


def test_a_request_can_be_refused_and_needs_a_reason(command_line: CommandLine) -> None:
    create(command_line, "Ada", FIRST)
    create(command_line, "Bello", SECOND, acts=FIRST)
    create(command_line, "Dada", THIRD, acts=FIRST)
    named = ("--as", SECOND, "--pin-stdin")
    assert command_line.run("approvals", "refuse", "1", *named).exit_code == 2
    refused = command_line.json(
        "approvals", "refuse", "1", "--reason", "who is that", *named, stdin=f"{PIN}\n"
    )
    assert (refused["state"], refused["outcome"]) == ("refused", "who is that")
    again = command_line.error("approvals", "approve", "1", *named, stdin=f"{PIN}\n")
    assert again == "approval 1 is refused by staff:2:Bello"
    unknown = command_line.error("approvals", "approve", "9", *named, stdin=f"{PIN}\n")
    assert unknown == "there is no approval 9"


def test_somebody_disabled_acts_no_more(command_line: CommandLine, wired: Wired) -> None:
    create(command_line, "Ada", FIRST)
    create(command_line, "Bello", SECOND, acts=FIRST)
    words = ("staff", "disable", SECOND, "--as", FIRST, "--pin-stdin")
    assert command_line.json(*words, stdin=f"{PIN}\n")["status"] == "disabled"
    said = suspended(command_line, wired, "--as", SECOND, "--pin-stdin", stdin=f"{PIN}\n")
    assert "no operator's" in said
    words = ("staff", "enable", SECOND, "--as", FIRST, "--pin-stdin")
    assert command_line.json(*words, stdin=f"{PIN}\n")["approval"] == 1


def test_freezing_a_wallet_names_the_operator(command_line: CommandLine, wired: Wired) -> None:
    wired.redeem(wired.issue().reveal())
    create(command_line, "Ada", FIRST)
    words = ("wallets", "freeze", ADA, "--reason", "asked", "--as", FIRST, "--pin-stdin")
    assert command_line.json(*words, stdin=f"{PIN}\n")["status"] == "frozen"
    assert actors(wired, ADA)[-1] == "staff:1:Ada"


def test_sudo_names_the_person_behind_it_and_only_root_is_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SUDO_USER", "ada")
    monkeypatch.setattr("os.getuid", lambda: 0)
    assert operators.login() == "ada"
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    assert operators.login() == "4000000"
    monkeypatch.setenv("LOGNAME", "root")
    assert operators.login() == "4000000"
    monkeypatch.undo()
    assert operators.login() in Path("/etc/passwd").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--role", "cashier", "--phone", "1"), "phone number"),
        (("--role", "cashier", "--phone", CASHIER, "--name", " "), "1 to 40 characters"),
    ],
)
def test_a_bad_word_takes_nobody_on(
    command_line: CommandLine, words: tuple[str, ...], said: str
) -> None:
    name = () if "--name" in words else ("--name", "Ada")
    made = ("staff", "create", *name, *words, "--pin-stdin")
    assert said in command_line.error(*made, stdin=f"{OTHER_PIN}\n")
    assert command_line.json("staff", "list") == []


def test_the_owner_of_a_pin_changes_it_and_nobody_else_does(
    command_line: CommandLine, wired: Wired
) -> None:
    create(command_line, "Ada", FIRST)
    create(command_line, "Chidi", CASHIER, "cashier", acts=FIRST)
    own = ("staff", "pin", "--pin-stdin", "--as")
    changed = command_line.json(*own, CASHIER, stdin=f"{PIN}\n{OTHER_PIN}\n")
    assert (changed["name"], changed["phone"]) == ("Chidi", CASHIER)
    assert "no operator's" in command_line.run(*own, FIRST, stdin=f"{WRONG}\n{OTHER_PIN}\n").stderr
    assert "too easy" in command_line.run(*own, FIRST, stdin=f"{PIN}\n1234\n").stderr
    assert "4 to 6 digits" in command_line.run(*own, FIRST, stdin=f"{PIN}\n").stderr
    assert "say which operator" in command_line.run(*own[:-1], stdin=f"{PIN}\n").stderr
    command_line.json(*own, FIRST, stdin=f"{PIN}\n{OTHER_PIN}\n")
    named = ("--as", FIRST, "--pin-stdin")
    assert "no operator's" in suspended(command_line, wired, *named, stdin=f"{PIN}\n")
    assert suspended(command_line, wired, *named, stdin=f"{OTHER_PIN}\n") == "staff:1:Ada"


def test_at_the_terminal_a_new_pin_is_typed_twice(
    command_line: CommandLine, terminal: None
) -> None:
    create(command_line, "Ada", FIRST)
    typed = ("staff", "pin", "--as", FIRST)
    twice = f"{PIN}\n{OTHER_PIN}\n{WRONG}\n"
    assert "not the same" in command_line.run(*typed, stdin=twice).stderr
    command_line.json(*typed, stdin=f"{PIN}\n{OTHER_PIN}\n{OTHER_PIN}\n")
