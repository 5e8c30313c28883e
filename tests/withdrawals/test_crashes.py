"""Real worker processes that are killed while they pay: nothing leaves twice, nothing is lost."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.clock import Clock
from tests.emulators.provider import Fault
from tests.emulators.snippe import SnippeApi
from tests.outbox.senders import until
from tests.support.serving import Installed, production_env
from tests.withdrawals.over_snippe import Tanzania, environment

LEASE_SECONDS, QUESTION_SECONDS = 61, 61
PAID = ("paid", "none", Decimal("40000.00"), Decimal("0.00"))


@pytest.fixture
def there(database_url: str) -> Iterator[Tanzania]:
    """A gateway that pays through Snippe, at the real time that processes live in."""
    with SnippeApi() as api:
        whole = Tanzania(database_url, Clock(), api)
        yield whole
        whole.wired.close()


@pytest.fixture
def installed(tmp_path: Path, database_url: str, there: Tanzania) -> Installed:
    """The same as an installation of processes."""
    return Installed(tmp_path, production_env(database_url) | environment(there.api))


@pytest.mark.parametrize("carried_out", [True, False], ids=["paid", "not_paid"])
def test_a_worker_killed_in_the_call_leaves_it_held_and_asked_about(
    there: Tanzania, installed: Installed, carried_out: bool
) -> None:
    there.api.script(Fault(wait_seconds=30, silent=True, carried_out=carried_out))
    made = there.request()
    with installed.worker(name="first") as first:
        until(lambda: len(there.calls()) == 1)
        first.popen.kill()
        first.popen.wait()
    assert there.stands(made)[:2] == ("held", "sending")
    with installed.worker(name="second"):
        there.age(LEASE_SECONDS)
        until(lambda: there.stands(made)[1] == "unknown")
        for payout in there.api.by_order(made.reference):
            there.api.settle(payout["reference"], "completed", external_reference="SYNX1")
        there.age(QUESTION_SECONDS)
        if carried_out:
            until(lambda: there.stands(made) == PAID)
        else:
            until(lambda: len(there.api.requests) > 1)
            assert there.stands(made)[:2] == ("held", "unknown")
    assert len(there.calls()) == 1
    assert there.wired.breaches() == []


def test_a_worker_killed_before_the_answer_is_recorded_learns_it_by_asking(
    there: Tanzania, installed: Installed
) -> None:
    there.api.script(Fault(wait_seconds=1.5))
    made = there.request()
    with installed.worker(name="first") as first:
        until(lambda: len(there.calls()) == 1)
        first.popen.kill()
        first.popen.wait()
    (payout,) = there.api.by_order(made.reference)
    there.api.settle(payout["reference"], "completed", external_reference="SYNX1")
    with installed.worker(name="second"):
        there.age(LEASE_SECONDS)
        until(lambda: there.stands(made)[1] == "unknown")
        there.age(QUESTION_SECONDS)
        until(lambda: there.stands(made) == PAID)
    assert len(there.calls()) == 1


def test_two_worker_processes_pay_each_withdrawal_once(
    there: Tanzania, installed: Installed
) -> None:
    with installed.worker(name="first"), installed.worker(name="second"):
        made = there.request()
        until(lambda: there.stands(made)[1] == "unknown")
    assert len(there.calls()) == 1
    assert there.wired.breaches() == []
