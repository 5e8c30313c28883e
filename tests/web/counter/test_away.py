"""The database away: the page says what is not known, and the payment's own page tells later."""

import socket
from collections.abc import Iterator

import pytest

from app import web_application
from gateway.outlets.payments.store import State
from gateway.people.staff.store import Role
from gateway.web.counter.away import UNKNOWN, VOID
from tests.outlets.staging import naira
from tests.support.clock import SteppedClock
from tests.support.commit_proxy import COMMIT, CommitProxy, Fault
from tests.support.mariadb import MariaDBServer
from tests.support.wired import Wired
from tests.web.counter.desk import Desk, words
from tests.web.staffed import PHONES, PIN, Visitor

CONFIRMATION = 2  # the COMMITs of a request: of looking who it is, and of what they do
TAKING_BACK = 5  # there the manager's try is counted twice, and taken for right, in between


class Line(CommitProxy):
    """A line that fails at one COMMIT of the next request, and may stay away after it."""

    _commits_left = 0
    _next_fault = Fault.REFUSED
    _for_good = False
    gone = False

    def fail(self, fault: Fault, at: int = CONFIRMATION, *, for_good: bool = False) -> None:
        """Let that COMMIT fail."""
        self._next_fault, self._commits_left, self._for_good = fault, at, for_good

    def _carry(self, client: socket.socket) -> None:
        if not self.gone:
            super()._carry(client)

    def _passed(self, data: bytes, client: socket.socket, server: socket.socket) -> bool:
        is_last = False
        if data[4:] == COMMIT and self._commits_left:
            self._commits_left -= 1
            is_last = self._commits_left == 0
        if is_last:
            self.fail_next_commit(self._next_fault)
        passed = super()._passed(data, client, server)
        self.gone = self.gone or (is_last and self._for_good)
        return passed


@pytest.fixture
def line(mariadb_server: MariaDBServer) -> Iterator[Line]:
    """The line to the shared server."""
    with Line(mariadb_server.port) as proxy:
        yield proxy


@pytest.fixture
def near(mariadb_url: str, clock: SteppedClock) -> Iterator[Desk]:
    """A counter whose line is good."""
    wired = Wired(mariadb_url, clock)
    yield Desk(wired)
    wired.close()


@pytest.fixture
def far(
    near: Desk, line: Line, mariadb_url: str, clock: SteppedClock
) -> Iterator[tuple[Wired, Visitor]]:
    """The same counter over the other line, with its cashier's browser."""
    wired = Wired(line.url(mariadb_url), clock)
    visitor = Visitor(web_application(wired.gateway).test_client(), "/counter")
    visitor.cookie = near.cashier.cookie
    yield wired, visitor
    wired.close()


@pytest.mark.parametrize("fault", [Fault.COMMIT_LOST, Fault.ANSWER_LOST, Fault.REFUSED])
def test_a_lost_commit_of_a_confirmation_still_ends_at_the_receipt(
    near: Desk, line: Line, far: tuple[Wired, Visitor], fault: Fault
) -> None:
    shift, (_, visitor) = near.open(), far
    path, key = near.found("60.00"), visitor.form_key()
    line.fail(fault)
    answer = visitor.client.post(f"{path}/confirm", data={"csrf": key}, follow_redirects=True)
    assert "Hand out NGN 60.00, once." in words(answer)
    assert near.shop.stand(shift).paid == naira("60.00")
    assert near.wired.breaches() == []


# Whether the server had the COMMIT before the line went down, and what the page says afterwards.
@pytest.mark.parametrize(
    ("fault", "later"),
    [(Fault.COMMIT_LOST, "Pay NGN 60.00"), (Fault.ANSWER_LOST, "only if you have not yet")],
)
def test_a_database_gone_in_the_middle_of_a_confirmation_is_said_as_it_is(
    near: Desk,
    line: Line,
    far: tuple[Wired, Visitor],
    fault: Fault,
    later: str,
) -> None:
    near.open()
    _, visitor = far
    path, key = near.found("60.00"), visitor.form_key()
    line.fail(fault, for_good=True)
    answer = visitor.client.post(f"{path}/confirm", data={"csrf": key})
    assert answer.status_code == 503
    said = words(answer)
    assert "The payment may or may not have been made. Hand out nothing yet." in said
    assert f'href="{path}"' in answer.text
    assert near.wired.breaches() == []
    assert later in words(near.cashier.get(path))
    assert "Hand out NGN 60.00" in words(near.confirm(path))
    assert near.shop.account().balance == naira("60.00")


@pytest.mark.parametrize("deed", sorted(UNKNOWN))
def test_a_database_that_is_away_before_any_button_changes_nothing(
    near: Desk, line: Line, far: tuple[Wired, Visitor], deed: str
) -> None:
    near.open()
    wired, visitor = far
    path, key = near.found("60.00"), visitor.form_key()
    line.gone = True
    wired.gateway.database.dispose()
    answer = visitor.client.post(f"{path}/{deed}", data={"csrf": key})
    assert answer.status_code == 503
    assert UNKNOWN[deed] in words(answer)
    assert f'href="{path}"' in answer.text
    assert visitor.client.get(path).status_code == 503
    assert near.shop.payment(path.rsplit("/", 1)[-1]).state == State.SHOWN


@pytest.mark.parametrize(
    ("fault", "later"),
    [(Fault.COMMIT_LOST, "The drawer was empty?"), (Fault.ANSWER_LOST, "Taken back NGN 60.00")],
)
def test_a_database_gone_while_a_payment_is_taken_back_keeps_no_pin_at_that_address(
    near: Desk, line: Line, far: tuple[Wired, Visitor], fault: Fault, later: str
) -> None:
    near.open()
    wired, visitor = far
    path, key = near.paid("60.00"), visitor.form_key()
    form = {"csrf": key, "reason": "empty", "manager": PHONES[Role.MANAGER], "pin": PIN}
    line.fail(fault, TAKING_BACK, for_good=True)
    answer = visitor.client.post(f"{path}/void", data=form)
    assert (answer.status_code, answer.headers["Location"]) == (303, path)
    assert visitor.client.get(path).status_code == 503
    line.gone = False
    wired.gateway.database.dispose()
    said = words(visitor.client.get(path))
    assert later in said
    assert (VOID in said) is (fault is Fault.COMMIT_LOST)
    assert VOID not in words(visitor.client.get(path))
    assert near.wired.breaches() == []


def test_a_process_without_a_key_of_live_tokens_pays_nothing_and_says_so(
    desk: Desk, database_url: str, clock: SteppedClock
) -> None:
    desk.open()
    desk.wired.issue()
    lacking = Wired(database_url, clock, lookup_keys=f"p2:{bytes(range(64, 96)).hex()}")
    visitor = Visitor(lacking.app.test_client(), "/counter")
    visitor.cookie = desk.cashier.cookie
    answer = visitor.post("/counter/payments", entry="902100000000000014")
    assert answer.status_code == 503
    assert "Tokens cannot be checked just now. Pay nothing" in words(answer)
    lacking.close()
