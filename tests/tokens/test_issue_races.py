"""Issuing at the same time: one token a reference, a funder's money spent once, keys named once."""

from decimal import Decimal
from threading import Barrier

import pytest

from gateway.errors import DuplicateKey
from gateway.ledger import store as ledger_store
from gateway.ledger.limits import InsufficientFunds
from gateway.ledger.store import accounts
from gateway.tokens import store
from gateway.tokens.issue import DuplicateIssueRef, Issued
from gateway.tokens.keys import store as keys_store
from gateway.tokens.store import tokens
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.tokens.staging import bare_account, count, funded, system_accounts, wallet

RACERS = 8


def test_a_reference_raced_for_is_one_token_and_the_others_learn_its_serial(wired: Wired) -> None:
    system_accounts(wired)
    results = race(RACERS, lambda _: wired.issue(issue_ref="Ref-1", deliver=True))
    (issued,) = [result for result in results if isinstance(result, Issued)]
    others = [result for result in results if isinstance(result, DuplicateIssueRef)]
    assert {other.serial for other in others} == {issued.serial}
    assert len(others) == RACERS - 1
    assert count(wired, tokens, tokens.c.issue_ref == "Ref-1") == 1
    assert wired.breaches() == []


def test_without_the_second_look_a_racing_reference_is_only_a_duplicate_key(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    system_accounts(wired)
    monkeypatch.setattr(store, "by_issue_ref", lambda *_: None)
    results = race(2, lambda _: wired.issue(issue_ref="Ref-1"))
    assert [type(r) for r in results if isinstance(r, Exception)] == [DuplicateKey]


def test_the_first_issues_of_all_make_keys_and_accounts_once(wired: Wired) -> None:
    results = race(RACERS, lambda _: wired.issue())
    assert [result for result in results if isinstance(result, Exception)] == []
    assert count(wired, keys_store.write_keys) == 2
    assert wired.breaches() == []


def test_money_read_and_written_back_is_spent_several_times(wired: Wired) -> None:
    payer = bare_account(wired, owner=ADA, balance=Decimal("100.00"))
    barrier = Barrier(RACERS)
    spent = race(RACERS, lambda _: spend_unguarded(wired, payer, barrier))
    assert spent.count(True) > 1


def spend_unguarded(wired: Wired, payer: int, barrier: Barrier) -> bool:
    """What `Books.post` must not do: look at the balance, then write what is left."""
    with wired.gateway.database.snapshot() as connection:
        balance = ledger_store.by_id(connection, payer).balance
    barrier.wait(30)
    if balance is None or balance < 100:
        return False
    left = accounts.update().where(accounts.c.id == payer).values(balance=balance - 100)
    return wired.run(lambda c: c.execute(left).rowcount) == 1


def test_a_wallet_raced_for_pays_for_what_it_can_and_refuses_the_rest(wired: Wired) -> None:
    system_accounts(wired)
    wallet(wired, ADA, "300.00")
    results = race(RACERS, lambda _: funded(wired, ADA, "100.00"))
    assert len([result for result in results if isinstance(result, Issued)]) == 3
    refusals = [type(result) for result in results if isinstance(result, Exception)]
    assert refusals == [InsufficientFunds] * (RACERS - 3)
    assert wired.balance(ADA) == Decimal("0.00")
    assert wired.breaches() == []
