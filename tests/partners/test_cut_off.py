"""A process killed between any two statements of a funding or a settlement changes nothing."""

from collections.abc import Callable, Sequence

import pytest

from tests.partners.staging import approve, ask, issue, partner
from tests.support.clock import SteppedClock
from tests.support.crashes import Act, killed_before, rows, settled
from tests.support.wired import Wired

STATEMENTS_MAX = 60


def funding(wired: Wired) -> Act:
    """The first of a float, which is made by it."""
    number = ask(wired, partner(wired), "10.00", "FT1")
    return lambda child: approve(child, number)


def issuing(wired: Wired) -> Act:
    """From a float."""
    partner(wired, amount="10.00")
    return lambda child: issue(child, "4.00")


def settlement(wired: Wired) -> Act:
    """Gross, fee and net."""
    now = wired.clock.now()
    details = {"provider": "snippe", "gross": "10.00", "fee": "1.00", "net": "9.00"}
    details |= {"currency": "NGN"}
    return lambda child: child.run(
        lambda c: child.gateway.partners.settling.settle(c, "FT1", details, now)
    )


ACTS: Sequence[Callable[[Wired], Act]] = (funding, issuing, settlement)


@pytest.mark.parametrize("prepare", ACTS, ids=lambda act: act.__name__)
def test_a_kill_between_any_two_statements_changes_nothing(
    wired: Wired, database_url: str, clock: SteppedClock, prepare: Callable[[Wired], Act]
) -> None:
    act = prepare(wired)
    before = rows(wired)
    wired.close()  # no line of the parent's may be shared with a child
    number = 1
    while killed_before(number, database_url, clock, act):
        assert settled(wired, before), f"killed before statement {number}, something stayed"
        wired.close()
        number += 1
        assert number < STATEMENTS_MAX
    assert number > 3, "nothing was cut off"
    assert rows(wired) != before
    assert wired.breaches() == []
