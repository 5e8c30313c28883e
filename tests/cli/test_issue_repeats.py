"""`gateway tokens issue` when the answer to COMMIT is lost: one token, whoever repeats it."""

from collections.abc import Iterator

import pytest

from gateway.errors import CommitUnknown
from gateway.tokens.issue import DuplicateIssueRef
from gateway.tokens.store import tokens
from tests.cli.conftest import CommandLine
from tests.support.clock import SteppedClock
from tests.support.commit_proxy import CommitProxy, Fault
from tests.support.mariadb import MariaDBServer
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import count, order, system_accounts, trail_of

ISSUE = ("tokens", "issue", "--amount", "500.00", "--to", ADA)
LOST = (Fault.COMMIT_LOST, Fault.ANSWER_LOST)


@pytest.fixture
def line(mariadb_server: MariaDBServer) -> Iterator[CommitProxy]:
    """The line to the shared server."""
    with CommitProxy(mariadb_server.port) as proxy:
        yield proxy


@pytest.fixture
def far(line: CommitProxy, mariadb_url: str, clock: SteppedClock, quiet: None) -> Iterator[Wired]:
    """A gateway at the far end of the line, with its accounts and one token made."""
    whole = Wired(line.url(mariadb_url), clock)
    system_accounts(whole)
    yield whole
    whole.close()


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("given", [(), ("--issue-ref", "Ref 1")])
def test_a_lost_commit_ends_in_one_token_and_its_digits(
    far: Wired, line: CommitProxy, fault: Fault, given: tuple[str, ...]
) -> None:
    line.fail_next_commit(fault)
    issued = CommandLine(far.gateway.parts).json(*ISSUE, "--show", *given)
    assert issued["status"] == "issued"
    assert count(far, tokens) == 2
    actions = [action for _, action, _ in trail_of(far, issued["serial"])]
    assert actions == ["token.issue", "token.reveal"]
    assert "NGN 500.00" in far.dial(BELLO, text=f"1*{issued['token']}").body
    assert far.breaches() == []


def test_an_order_without_ids_of_its_own_is_refused_its_own_token(
    far: Wired, line: CommitProxy
) -> None:
    wanted, now = order(far, issue_ref="Ref-1"), far.clock.now()
    line.fail_next_commit(Fault.ANSWER_LOST)
    with pytest.raises(CommitUnknown) as unknown:
        far.gateway.database.run(lambda c: far.gateway.issuer.issue(c, wanted, now), keyed=True)
    assert isinstance(unknown.value.__cause__, DuplicateIssueRef)


def test_an_unknown_end_names_the_reference_that_makes_a_repeat_safe(
    far: Wired, line: CommitProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.database.engine.ATTEMPTS_MAX", 1)
    command_line = CommandLine(far.gateway.parts)
    line.fail_next_commit(Fault.ANSWER_LOST)
    said = command_line.error(*ISSUE)
    assert "it may have been issued" in said
    reference = said.split("--issue-ref ")[1].split()[0]
    again = command_line.error(*ISSUE, "--issue-ref", reference)
    serial = again.split()[-1]
    assert command_line.json("tokens", "show", serial)["issue_ref"] == reference
    assert count(far, tokens) == 2


def test_an_unknown_end_quotes_a_reference_for_the_shell(
    far: Wired, line: CommitProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.database.engine.ATTEMPTS_MAX", 1)
    line.fail_next_commit(Fault.COMMIT_LOST)
    said = CommandLine(far.gateway.parts).error(*ISSUE, "--issue-ref", "pay 1")
    assert "--issue-ref 'pay 1' " in said


def test_a_used_reference_names_the_token_it_stands_for(command_line: CommandLine) -> None:
    serial = command_line.json(*ISSUE, "--issue-ref", "pay-1")["serial"]
    again = command_line.error(*ISSUE, "--issue-ref", "pay-1")
    assert again == f"issue_ref was used before, for token {serial}"


def test_a_repeated_keyed_order_is_answered_with_its_own_token_and_another_is_not(
    wired: Wired,
) -> None:
    issuer, now = wired.gateway.issuer, wired.clock.now()
    keyed, other = (issuer.keyed(order(wired, issue_ref="Ref-1")) for _ in range(2))
    first = wired.run(lambda c: issuer.issue(c, keyed, now))
    again = wired.run(lambda c: issuer.issue(c, keyed, now))
    assert (again.serial, again.reveal()) == (first.serial, first.reveal())
    with pytest.raises(DuplicateIssueRef) as refused:
        wired.run(lambda c: issuer.issue(c, other, now))
    assert refused.value.serial == first.serial
    assert count(wired, tokens) == 1
    assert wired.breaches() == []
