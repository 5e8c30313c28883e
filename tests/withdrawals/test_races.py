"""Withdrawals at the same time: one hold, one end, whoever comes first; on both engines."""

from collections import Counter
from decimal import Decimal
from threading import Barrier

import pytest
from sqlalchemy import Connection, select, update

from gateway.ledger import store as ledger_store
from gateway.ledger.store import accounts, movements
from gateway.providers.base.messages import Outcome, Status
from gateway.withdrawals import store
from gateway.withdrawals.outcomes import CALLBACK, Heard
from gateway.withdrawals.settle import Settler
from gateway.withdrawals.store import Payout, State, Withdrawal, withdrawals
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.tokens.staging import count
from tests.withdrawals.staging import Desk, naira


def told(results: list[Withdrawal | Exception]) -> Counter[str]:
    """How often each outcome was had; an exception counts by its name."""
    return Counter(
        result.state if isinstance(result, Withdrawal) else type(result).__name__
        for result in results
    )


def unguarded(wired: Wired, amount: Decimal, barrier: Barrier) -> bool:
    """What a debit must not be: read the balance, then write what it would be."""
    with wired.gateway.database.snapshot() as connection:
        wallet = ledger_store.find(connection, "wallet", ADA, "NGN")
    assert wallet is not None
    assert wallet.balance is not None
    barrier.wait(30)
    if wallet.balance < amount:
        return False
    written = update(accounts).where(accounts.c.id == wallet.id)
    rest = written.values(balance=wallet.balance - amount, held=wallet.held + amount)
    return wired.run(lambda c: c.execute(rest).rowcount) == 1


@pytest.mark.parametrize("amounts", [("60.00", "60.00"), ("60.00", "70.00")])
def test_reading_and_then_writing_holds_more_than_there_is(
    desk: Desk, amounts: tuple[str, str]
) -> None:
    desk.fund("100.00")
    barrier = Barrier(2)
    held = race(2, lambda n: unguarded(desk.wired, naira(amounts[n]), barrier))
    assert held == [True, True]
    assert desk.account().balance in (naira("40.00"), naira("30.00"))


@pytest.mark.parametrize("amounts", [("60.00", "60.00"), ("60.00", "70.00")])
def test_of_two_withdrawals_at_once_one_is_held(desk: Desk, amounts: tuple[str, str]) -> None:
    desk.fund("100.00")
    results = race(2, lambda n: desk.request(amounts[n], intent=f"intent-{n}"))
    assert told(results) == {"held": 1, "InsufficientFunds": 1}
    (made,) = [result for result in results if isinstance(result, Withdrawal)]
    account = desk.account()
    assert (account.balance, account.held) == (naira("100.00") - made.amount, made.amount)
    assert count(desk.wired, withdrawals) == 1
    assert desk.wired.breaches() == []


def test_ten_withdrawals_of_all_there_is_leave_nine_refused(desk: Desk) -> None:
    desk.fund("100.00")
    results = race(10, lambda n: desk.request("100.00", intent=f"intent-{n}"))
    assert told(results) == {"held": 1, "InsufficientFunds": 9}
    assert (desk.account().balance, desk.account().held) == (naira("0.00"), naira("100.00"))
    assert desk.wired.breaches() == []


def test_one_intent_confirmed_at_once_many_times_is_one_withdrawal(desk: Desk) -> None:
    desk.fund("100.00")
    results = race(8, lambda _: desk.request("60.00", intent="same"))
    references = {result.reference for result in results if isinstance(result, Withdrawal)}
    assert (told(results), len(references)) == ({"held": 8}, 1)
    assert desk.account().held == naira("60.00")
    assert desk.wired.breaches() == []


def end(desk: Desk, made: Withdrawal, number: int) -> bool:
    """Half of the racers say that it was paid, half that it failed."""
    now, settler = desk.wired.clock.now(), Settler(desk.wired.gateway.books)

    def work(connection: Connection) -> bool:
        if number % 2:
            return settler.reject(connection, made, "said so", now)
        return settler.pay(connection, made, "snippe", f"TXN{number}", now)

    return desk.wired.run(work)


def end_unguarded(desk: Desk, made: Withdrawal, number: int, barrier: Barrier) -> bool:
    """What ending must not be: look at the state first, then write without it in the WHERE."""
    found = desk.now(made)
    barrier.wait(30)
    state = State.REJECTED if number % 2 else State.PAID
    values = {"state": state.value, "paid_through": "x", "provider_txn_id": f"T{number}"}
    if number % 2:
        values = {"state": state.value}
    written = update(withdrawals).where(withdrawals.c.id == made.id).values(values)
    matched = desk.wired.run(lambda c: c.execute(written).rowcount)
    return found.state == State.HELD and matched == 1


def test_reading_the_state_and_then_writing_ends_it_several_times(desk: Desk) -> None:
    desk.fund("100.00")
    made, barrier = desk.request(), Barrier(4)
    ended = race(4, lambda n: end_unguarded(desk, made, 2 * n, barrier))
    assert ended.count(True) > 1


@pytest.mark.parametrize("round_number", range(3))
def test_eight_racing_ends_make_one(desk: Desk, round_number: int) -> None:
    desk.fund("100.00")
    made = desk.request()
    ended = race(8, lambda n: end(desk, made, n + round_number))
    assert sorted(map(str, ended)) == ["False"] * 7 + ["True"]
    state, payout, balance, held = desk.stands(made)
    assert (payout, held) == ("none", naira("0.00"))
    assert balance == {"paid": naira("40.00"), "rejected": naira("100.00")}[state]
    ends = movements.c.kind.in_(("payout", "release"))
    assert count(desk.wired, movements, ends) == 1
    assert desk.wired.breaches() == []


def test_a_success_and_a_failure_at_once_end_it_once_and_keep_the_other(desk: Desk) -> None:
    desk.fund("100.00")
    made = desk.request()

    def hear(number: int) -> None:
        outcome = (Outcome.SUCCEEDED, Outcome.FAILED)[number % 2]
        desk.hear(made, outcome, txn_id="C1" if number % 2 == 0 else "")

    assert race(8, hear) == [None] * 8
    verdicts = Counter(event.verdict for event in desk.events(made))
    late = {"paid": "ignored_late", "rejected": "contradiction"}[desk.stands(made)[0]]
    assert verdicts["applied"] == 1
    assert verdicts[late] >= 1
    assert desk.wired.breaches() == []


def test_many_workers_call_the_provider_once(desk: Desk) -> None:
    desk.fund("100.00")
    made = desk.request()
    others = [Desk(desk.wired, desk.payer) for _ in range(4)]
    race(4, lambda n: others[n].work())
    assert len(desk.payer.paid) == 1
    assert desk.stands(made)[:2] == ("paid", "none")


def test_a_payout_cut_off_before_its_commit_leaves_nothing(desk: Desk) -> None:
    desk.fund("100.00")
    made = desk.request()

    def broken(connection: Connection) -> None:
        assert store.move(connection, made.id, (Payout.QUEUED,), Payout.SENDING, made.changed_at)
        heard = Heard.of(CALLBACK, Status(Outcome.SUCCEEDED, txn_id="T"))
        found = store.by_reference(connection, made.reference)
        assert found is not None
        desk.parts.outcomes.learn(connection, found, heard, made.changed_at)
        raise ConnectionError("cut off before COMMIT")

    with pytest.raises(ConnectionError):
        desk.wired.run(broken)
    assert desk.stands(made) == ("held", "queued", naira("40.00"), naira("60.00"))
    kinds = desk.wired.run(lambda c: c.execute(select(movements.c.kind)).scalars().all())
    assert "payout" not in kinds
    assert desk.wired.breaches() == []
