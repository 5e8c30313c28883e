"""Issuing from a float: exact under load, and only for partners that may."""

from collections import Counter
from decimal import Decimal
from threading import Barrier

import pytest

from gateway.ledger import store as ledger_store
from gateway.ledger.limits import InsufficientFunds
from gateway.ledger.store import accounts
from gateway.partners import profiles
from gateway.partners.profiles import PartnerSuspended
from gateway.tokens.issue import Issued
from gateway.tokens.store import tokens
from tests.partners.staging import ACME, ASKER, balance, float_of, issue, partner
from tests.support.races import race
from tests.support.wired import BELLO, Wired
from tests.tokens.staging import count, system_accounts

LANES = 20  # threads; each issues ten times


def spend_unguarded(wired: Wired, barrier: Barrier) -> bool:
    """What issuing must not do: look at the float, then write what is left."""
    own = float_of(wired)
    assert own is not None
    with wired.gateway.database.snapshot() as connection:
        left = ledger_store.by_id(connection, own.id).balance
    barrier.wait(30)
    if left is None or left < 1:
        return False
    less = accounts.update().where(accounts.c.id == own.id).values(balance=left - 1)
    return wired.run(lambda c: c.execute(less).rowcount) == 1


def test_looking_at_a_float_and_then_writing_it_spends_one_naira_often(wired: Wired) -> None:
    partner(wired, amount="1.00")
    barrier = Barrier(LANES)
    spent = race(LANES, lambda _: spend_unguarded(wired, barrier))
    assert spent.count(True) > 1


def test_two_hundred_issues_at_once_on_a_float_for_a_hundred_make_a_hundred(wired: Wired) -> None:
    system_accounts(wired)
    partner(wired, amount="101.00")
    before = count(wired, tokens)

    def lane(_: int) -> list[Issued | InsufficientFunds]:
        made: list[Issued | InsufficientFunds] = []
        for _turn in range(10):
            try:
                made.append(issue(wired, "1.01"))
            except InsufficientFunds as error:
                made.append(error)
        return made

    lanes = race(LANES, lane)
    results = [result for made in lanes if isinstance(made, list) for result in made]
    kinds = Counter(type(result).__name__ for result in results)
    assert kinds == {"Issued": 100, "InsufficientFunds": 100}
    assert balance(wired) == Decimal("0.00")
    assert count(wired, tokens) - before == 100
    assert len({result.serial for result in results if isinstance(result, Issued)}) == 100
    assert wired.breaches() == []


def test_a_suspended_partner_issues_nothing_and_its_live_tokens_stay_good(wired: Wired) -> None:
    code = partner(wired, amount="10.00")
    issued = issue(wired, "4.00")
    now = wired.clock.now()
    wired.run(lambda c: profiles.suspend(c, code, ASKER, "late with papers", now))
    with pytest.raises(PartnerSuspended):
        issue(wired)
    assert wired.redeem(issued.reveal(), BELLO).answer.value == "redeemed"
    wired.run(lambda c: profiles.resume(c, code, ASKER, "papers came", now))
    assert issue(wired, "6.00").amount == Decimal("6.00")
    assert balance(wired) == Decimal("0.00")
    assert wired.breaches() == []


def test_a_partner_without_a_float_is_told_so(wired: Wired) -> None:
    partner(wired)
    with pytest.raises(InsufficientFunds, match="never funded"):
        issue(wired)


def test_a_cancelled_token_of_a_partner_gives_its_value_back_to_the_float(wired: Wired) -> None:
    partner(wired, amount="10.00")
    token = wired.token(issue(wired, "4.00").serial)
    now = wired.clock.now()
    wired.run(lambda c: wired.gateway.retirer.cancel(c, token, ASKER, "", now))
    assert balance(wired, ACME) == Decimal("10.00")
    assert wired.breaches() == []
