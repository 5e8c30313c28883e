"""Clashes of digits: the next counter is tried, under every lookup key, and racing issues too."""

from collections.abc import Iterator
from itertools import repeat

import pytest

from gateway.clock import Clock
from gateway.tokens import code, store
from gateway.tokens.derive import COUNTER_MAX, NoFreeDigits
from gateway.tokens.issue import Issued
from tests.support.races import race
from tests.support.wired import LOOKUP_KEY, Wired
from tests.tokens.staging import issuer_with, order, plant, rows_of, system_accounts
from tests.tokens.vectors import (
    AFTER_THE_CLASH,
    CLASHING_REF,
    CLASHING_TOKEN,
    CLASHING_TXN_IDS,
)

OTHER_LOOKUP_KEY = bytes(range(64, 96)).hex()


def issue_clashing(wired: Wired, txn_ids: Iterator[str], issuer: str) -> Issued:
    """One of the two orders whose first derivations are equal."""
    wanted = order(wired, digits=11, issue_ref=CLASHING_REF, issuer=issuer)
    now = wired.clock.now()
    return wired.run(lambda c: issuer_with(wired, txn_ids).issue(c, wanted, now))


def reprinted(wired: Wired, issued: Issued) -> str:
    """The digits derived again from the row."""
    return wired.gateway.reprinter.digits(wired.token(issued.serial))


def test_a_true_clash_takes_the_next_counter(wired: Wired) -> None:
    first, second = CLASHING_TXN_IDS
    one = issue_clashing(wired, iter([first]), "one")
    other = issue_clashing(wired, iter([second]), "other")
    assert one.reveal() == CLASHING_TOKEN
    assert other.reveal() == AFTER_THE_CLASH
    assert [wired.token(i.serial).counter for i in (one, other)] == [0, 1]
    assert [reprinted(wired, i) for i in (one, other)] == [CLASHING_TOKEN, AFTER_THE_CLASH]
    assert wired.redeem(CLASHING_TOKEN).serial == one.serial
    assert wired.redeem(AFTER_THE_CLASH).serial == other.serial
    assert wired.breaches() == []


def test_digits_once_used_are_never_given_out_again(wired: Wired) -> None:
    first, second = CLASHING_TXN_IDS
    wired.redeem(issue_clashing(wired, iter([first]), "one").reveal())
    assert issue_clashing(wired, iter([second]), "other").reveal() == AFTER_THE_CLASH


def race_for_the_clash(wired: Wired) -> list[Issued | Exception]:
    return race(
        2,
        lambda number: issue_clashing(wired, repeat(CLASHING_TXN_IDS[number]), f"racer-{number}"),
    )


def test_without_the_look_for_taken_digits_the_racing_loser_never_gets_any(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    system_accounts(wired)
    monkeypatch.setattr(store, "is_taken", lambda *_: False)
    results = race_for_the_clash(wired)
    assert len([result for result in results if isinstance(result, Exception)]) == 1


def test_two_racing_issues_of_the_clashing_pair_both_get_digits(wired: Wired) -> None:
    system_accounts(wired)
    results = race_for_the_clash(wired)
    issued = [result for result in results if isinstance(result, Issued)]
    assert len(issued) == 2
    tokens = [wired.token(i.serial) for i in issued]
    assert sorted(token.counter for token in tokens) == [0, 1]
    assert [reprinted(wired, i) for i in issued] == [i.reveal() for i in issued]
    assert len({i.reveal() for i in issued}) == 2
    assert wired.breaches() == []


def taken(wired: Wired, counters: int) -> None:
    """Let the digits of the first counters of (INV, 3334) be taken."""
    key = wired.gateway.rings.generate.key("k1")
    for counter in range(counters):
        plant(wired, code.derive(key, "k1", 11, CLASHING_REF, CLASHING_TXN_IDS[0], counter))


def test_the_last_counter_is_still_used(wired: Wired) -> None:
    taken(wired, COUNTER_MAX - 1)
    issued = issue_clashing(wired, iter(CLASHING_TXN_IDS), "one")
    assert wired.token(issued.serial).counter == COUNTER_MAX - 1
    assert reprinted(wired, issued) == issued.reveal()


def test_after_eight_clashes_nothing_is_issued(wired: Wired) -> None:
    taken(wired, COUNTER_MAX)
    before = rows_of(wired)
    with pytest.raises(NoFreeDigits) as error:
        issue_clashing(wired, iter(CLASHING_TXN_IDS), "one")
    assert str(error.value) == "no free 11-digit token after 8 tries"
    assert rows_of(wired) == before
    assert wired.breaches() == []


def test_a_clash_with_digits_under_an_older_lookup_key_is_found(
    database_url: str, clock: Clock
) -> None:
    before = Wired(database_url, clock)
    issue_clashing(before, iter(CLASHING_TXN_IDS[:1]), "one")
    before.run(lambda c: c.exec_driver_sql("UPDATE write_keys SET kid = 'p2' WHERE kid = 'p1'"))
    before.close()
    after = Wired(database_url, clock, lookup_keys=f"p1:{LOOKUP_KEY},p2:{OTHER_LOOKUP_KEY}")
    issued = issue_clashing(after, iter(CLASHING_TXN_IDS[1:]), "other")
    token = after.token(issued.serial)
    assert (issued.reveal(), token.lookup_kid) == (AFTER_THE_CLASH, "p2")
    assert after.redeem(CLASHING_TOKEN).amount == after.redeem(AFTER_THE_CLASH).amount
    assert after.breaches() == []
    after.close()


def test_serials_are_made_anew_when_one_is_taken(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = wired.issue()
    made = iter([first.serial, first.serial, "ZZZZ2222"])
    monkeypatch.setattr("gateway.tokens.issue.serials.new", lambda: next(made))
    assert wired.issue().serial == "ZZZZ2222"
