"""Two dialogues of one person at once, and a line to the database that breaks at the COMMIT."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from gateway.outbox.store import outbox
from gateway.tokens.store import tokens
from tests.menus.sending import FEES, PIN, confirm, ready
from tests.support.clock import SteppedClock
from tests.support.commit_proxy import CommitProxy, Fault
from tests.support.mariadb import MariaDBServer
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import count
from tests.ussd.posting import post

ROUNDS = 3


def at_once(wired: Wired, amounts: tuple[str, ...], phone: str = ADA) -> list[str]:
    """Confirm several sends, then enter the PIN on all of them at the same moment."""
    calls = [confirm(wired, BELLO, amount, phone) for amount in amounts]

    def enter(number: int) -> str:
        call = calls[number]
        return post(wired, f"{call.text}*{PIN}", call.session_id, phone).decode()

    return [str(reply) for reply in race(len(calls), enter)]


def test_two_dialogues_cannot_send_more_than_there_is(wired: Wired) -> None:
    for number in range(ROUNDS):
        phone = f"+23480300001{number:02}"
        ready(wired, "100.00", phone)
        replies = at_once(wired, ("60.00", "70.00"), phone)
        said = sorted(reply.split(" NGN ")[0] for reply in replies)
        assert said == ["END You have sent", "END Your balance of"]
        assert wired.balance(phone) in (Decimal("40.00"), Decimal("30.00"))
    assert count(wired, tokens) == ROUNDS
    assert wired.breaches() == []


def test_two_dialogues_cannot_pass_the_days_cap(database_url: str, clock: SteppedClock) -> None:
    wired = Wired(database_url, clock, money=FEES)
    ready(wired, "20000.00")
    replies = sorted(at_once(wired, ("4000.00", "4000.00", "4000.00")))
    assert [reply.split(" NGN ")[0] for reply in replies] == [
        "END Today you can send",
        "END Today you can send",
        "END You have sent",
    ]
    assert wired.breaches() == []
    wired.close()


@pytest.fixture
def proxy(mariadb_server: MariaDBServer) -> Iterator[CommitProxy]:
    """The line to the shared server."""
    with CommitProxy(mariadb_server.port) as line:
        yield line


@pytest.mark.parametrize(
    ("fault", "number"),
    [(Fault.REFUSED, 1213), (Fault.COMMIT_LOST, 0), (Fault.ANSWER_LOST, 0)],
)
def test_a_send_whose_commit_fails_happens_once(
    proxy: CommitProxy, mariadb_url: str, clock: SteppedClock, fault: Fault, number: int
) -> None:
    far = Wired(proxy.url(mariadb_url), clock)
    ready(far)
    call = confirm(far)
    proxy.fail_next_commit(fault, number)
    reply = call.send(PIN)
    assert reply.startswith(("END You have sent NGN 500.00", "END Sorry, we are busy"))
    again = call.post(call.text)
    assert again.startswith("END You have sent NGN 500.00")
    assert call.post(call.text) == again
    assert (count(far, tokens), far.balance()) == (1, Decimal("500.00"))
    assert count(far, outbox) == 2
    assert far.breaches() == []
    far.close()
