"""Disputes raced for: one open, one end, one refund, never more than the original."""

from collections import Counter, deque
from decimal import Decimal
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import Connection

from gateway.disputes import store
from gateway.disputes.open import AlreadyOpen
from gateway.disputes.states import State
from gateway.disputes.store import Dispute
from gateway.errors import BadInput
from gateway.ledger import store as ledger_store
from gateway.ledger.books import Leg
from gateway.ledger.store import HOUSE
from gateway.providers.base.messages import Outcome, Status
from gateway.tokens import suspend
from gateway.tokens.issue import Issued
from gateway.tokens.store import Token
from gateway.withdrawals.operate import Deed
from gateway.withdrawals.store import Withdrawal
from tests.disputes.staging import CHIDI, Office, plant, redeemed, refund_movements
from tests.support.races import race
from tests.support.wired import ADA, BELLO
from tests.tokens.staging import funded, wallet

RACERS = 8


def kinds(results: list[Any]) -> Counter[str]:
    """What came of each racer, by its type."""
    return Counter(type(result).__name__ for result in results)


def pay(office: Office, key: str, amount: str) -> bool:
    """Pay Ada out of the house."""
    wired, now = office.wired, office.wired.clock.now()

    def work(connection: Connection) -> bool:
        house = wired.gateway.books.system(connection, HOUSE, "NGN", now)
        ada = ledger_store.find(connection, "wallet", ADA, "NGN")
        assert ada is not None
        legs = (Leg(house, -Decimal(amount)), Leg(ada, Decimal(amount)))
        wired.gateway.books.post(connection, key, "refund", "test", legs, now)
        return True

    return wired.run(work)


def resume(office: Office, token: Token) -> None:
    """Let a disputed token be redeemed again, past its dispute."""
    now = office.wired.clock.now()
    office.wired.run(lambda c: suspend.resume(c, token, "cli:other", "", now, lambda *_: None))


def test_looking_and_then_paying_refunds_several_times(office: Office) -> None:
    dispute, barrier = office.open(redeemed(office.wired)), Barrier(RACERS)
    with office.wired.gateway.database.snapshot() as connection:
        assert store.open_about(connection, dispute.subject)
    keys = [f"refund:unguarded:{number}" for number in range(RACERS)]

    def unguarded(number: int) -> bool:
        with office.wired.gateway.database.snapshot() as connection:
            found = store.by_reference(connection, dispute.reference)
        barrier.wait(30)
        return found is not None and found.state == State.OPEN and pay(office, keys[number], "9")

    assert race(RACERS, unguarded).count(True) > 1


def test_of_eight_racing_approvals_one_refunds(office: Office) -> None:
    dispute = office.open(redeemed(office.wired))
    number = office.ask(dispute)
    results = race(RACERS, lambda n: office.approve(number, f"cli:second-{n}"))
    assert kinds(results) == {"Approval": 1, "BadInput": RACERS - 1}
    assert refund_movements(office.wired) == [(f"refund:{dispute.reference}", Decimal("100.00"))]
    assert office.wired.balance(ADA) == Decimal("100.00")
    assert office.told("dispute_refunded") == [ADA]
    assert office.wired.breaches() == []


def test_of_eight_racing_resolutions_of_both_kinds_one_ends_it(office: Office) -> None:
    for serial in (redeemed(office.wired, f"{n}.00") for n in (100, 101, 102)):
        dispute = office.open(serial)
        number = office.ask(dispute)

        def act(n: int, dispute: Dispute = dispute, number: int = number) -> object:
            if n % 2:
                return office.approve(number, f"cli:second-{n}")
            return office.end("reject", dispute)

        results = race(RACERS, act)
        assert len([result for result in results if not isinstance(result, Exception)]) == 1
        assert {type(r).__base__ for r in results if isinstance(r, Exception)} <= {
            BadInput,
            BadInput.__base__,
        }
        ends = [State.REFUNDED.value, State.REJECTED.value]
        assert office.now(dispute).state in ends
        moved = [key for key, _ in refund_movements(office.wired)]
        is_moved = f"refund:{dispute.reference}" in moved
        assert is_moved == (office.now(dispute).state == State.REFUNDED)
    assert office.wired.breaches() == []


def test_without_the_guard_of_its_end_the_operation_key_still_refunds_once(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    dispute = office.open(redeemed(office.wired))
    details = {"amount": "30.00", "from": "owner"}
    now = office.wired.clock.now()
    monkeypatch.setattr(store, "resolve", lambda *_: True)
    args = (dispute.reference, details, "cli:first", "why", now)
    race(4, lambda _: office.wired.run(lambda c: office.resolver.refund(c, *args)))
    assert len(refund_movements(office.wired)) == 1


def test_of_eight_racing_openings_one_opens(office: Office) -> None:
    serial = redeemed(office.wired)
    results = race(RACERS, lambda _: office.open(serial))
    assert kinds(results) == {"Dispute": 1, "AlreadyOpen": RACERS - 1}
    (opened,) = [result for result in results if isinstance(result, Dispute)]
    told = {result.reference for result in results if isinstance(result, AlreadyOpen)}
    assert told == {opened.reference}


def test_adding_up_before_the_lock_refunds_more_than_the_original(office: Office) -> None:
    serial, barrier = redeemed(office.wired), Barrier(2)
    first = office.open(serial)

    def unguarded(number: int) -> bool:
        with office.wired.gateway.database.snapshot() as connection:
            refunded = sum(store.refunds(connection, first.kind, serial), Decimal("0.00"))
        barrier.wait(30)
        fits = refunded + Decimal("60.00") <= first.amount
        return fits and pay(office, f"refund:unguarded:{number}", "60.00")

    assert race(2, unguarded) == [True, True]
    assert office.wired.balance(ADA) == Decimal("120.00")


def test_two_disputes_racing_for_one_redemption_stay_within_its_amount(office: Office) -> None:
    for turn in range(3):
        serial = redeemed(office.wired, f"10{turn}.00")
        first = office.open(serial)
        second = plant(office.wired, first, f"PXXXXX2{turn + 2}")
        numbers = [office.ask(dispute, "60.00") for dispute in (first, second)]

        def act(n: int, numbers: list[int] = numbers) -> object:
            return office.approve(numbers[n])

        results = race(2, act)
        assert kinds(results) == {"Approval": 1, "NoneLeft": 1}
    assert [amount for _, amount in refund_movements(office.wired)] == [60, 60, 60]
    assert office.wired.breaches() == []


def test_a_redeemer_who_spends_and_a_refund_share_what_is_there(office: Office) -> None:
    for turn in range(4):
        dispute = office.open(redeemed(office.wired, f"10{turn}.00"))
        office.wired.run(lambda c: c.exec_driver_sql("UPDATE accounts SET day_debits = 0").rowcount)
        before, number = office.wired.balance(BELLO), office.ask(dispute)

        def act(n: int, number: int = number, amount: str = str(before)) -> object:
            if n:
                return funded(office.wired, BELLO, amount, recipient=CHIDI)
            return office.approve(number)

        results = race(2, act)
        assert kinds(results)["InsufficientFunds"] == 1
        assert office.wired.balance(BELLO) >= 0
    assert office.wired.breaches() == []


def test_a_dispute_opened_while_the_token_is_redeemed_is_about_one_of_both(office: Office) -> None:
    seen = set()
    for turn in range(10):
        issued = office.wired.issue("1.00", BELLO)

        def act(n: int, issued: Issued = issued, turn: int = turn) -> object:
            if (n + turn) % 2:
                return office.wired.redeem(issued.reveal(), BELLO)
            return office.open(issued.serial)

        results = race(2, act)
        (opened,) = [result for result in results if isinstance(result, Dispute)]
        status = office.wired.token(issued.serial).status
        assert (opened.kind, status) in (("live", "suspended"), ("redemption", "redeemed"))
        seen.add(opened.kind)
    assert seen
    assert office.wired.breaches() == []


def test_a_payout_racing_its_dispute_is_sent_or_stopped(office: Office) -> None:
    wallet(office.wired, ADA, "100.00")
    for turn in range(6):
        made = office.desk.request("10.00", intent=f"race-{turn}")
        office.desk.payer.says = deque([Status(Outcome.SUCCEEDED, txn_id=f"TXN{turn}")])

        def act(n: int, made: Withdrawal = made) -> object:
            return office.open(made.reference) if n else office.desk.work()

        results = race(2, act)
        (opened,) = [result for result in results if isinstance(result, Dispute)]
        office.desk.work()
        found = office.desk.now(made)
        calls = [payout for payout in office.desk.payer.paid if payout.reference == made.reference]
        if found.state == "held":
            assert (found.payout, calls) == ("manual", [])
            office.refund(opened)
        else:
            assert (found.state, len(calls)) == ("paid", 1)
    assert office.wired.breaches() == []


def test_a_refund_racing_an_operator_who_pays_by_hand_ends_it_once(office: Office) -> None:
    wallet(office.wired, ADA, "100.00")
    operators, now = office.desk.parts.operators, office.wired.clock.now()
    for turn in range(6):
        made = office.desk.request("10.00", intent=f"hand-{turn}")
        number = office.ask(office.open(made.reference))
        deed = Deed("cli:other", "paid at the bank")

        def act(n: int, number: int = number, made: Withdrawal = made, deed: Deed = deed) -> object:
            if n:
                return office.approve(number)
            paid = (made.reference, f"B{made.id}", "bank", deed, now)
            return office.wired.run(lambda c: operators.pay(c, *paid))

        results = race(2, act)
        assert len([result for result in results if not isinstance(result, Exception)]) == 1
        assert office.desk.now(made).state in ("paid", "rejected")
    assert office.wired.breaches() == []


def test_a_refund_racing_a_token_that_was_resumed_pays_one_side(office: Office) -> None:
    for _ in range(6):
        issued = office.wired.issue("1.00", BELLO)
        number = office.ask(office.open(issued.serial))
        resume(office, office.wired.token(issued.serial))

        def act(n: int, number: int = number, issued: Issued = issued) -> object:
            return office.approve(number) if n else office.wired.redeem(issued.reveal(), BELLO)

        race(2, act)
        assert office.wired.token(issued.serial).status in ("redeemed", "cancelled")
    assert office.wired.breaches() == []
