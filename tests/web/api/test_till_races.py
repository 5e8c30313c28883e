"""Races about a till that a program and a cashier pay from: one token, one drawer, one count."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import Connection, update

from gateway.outlets.payments import store as payments
from gateway.outlets.payments.store import Payment
from gateway.outlets.shifts import store as shifts
from gateway.tokens.store import tokens
from tests.outlets.staging import naira
from tests.support.partner import Partner, Reply
from tests.support.races import race
from tests.support.wired import Wired
from tests.web.api.tills import Stall, stall

RACERS = 6


@pytest.fixture
def at(wired: Wired) -> Stall:
    return stall(wired)


def line(at: Stall) -> Stall:
    """The same on a line of its own, for a thread."""
    acme = at.acme
    return Stall(Partner(acme.wired, acme.wired.app.test_client(), acme.key, acme.code), at.shop)


def test_reading_that_a_token_is_live_and_then_claiming_it_pays_twice(at: Stall) -> None:
    serial, _ = at.token()
    barrier = Barrier(2)

    def act(_: int) -> bool:
        live = at.wired.token(serial).status == "issued"
        barrier.wait(30)
        taken = update(tokens).where(tokens.c.serial == serial)
        now = at.wired.clock.now()
        taken = taken.values(status="redeemed", redeemed_at=now)
        return live and at.wired.run(lambda c: c.execute(taken).rowcount) is not None

    assert race(2, act) == [True, True]


@pytest.mark.parametrize("round_number", range(3))
def test_a_program_and_a_cashier_who_claim_one_token_pay_it_once(
    at: Stall, round_number: int
) -> None:
    serial, token = at.token()
    reference = at.shop.shown(token)

    def act(number: int) -> str:
        if number % 2:
            return f"counter {at.shop.confirm(reference).state}"
        return f"api {line(at).pay(token).status_code}"

    ends = Counter(str(one) for one in race(RACERS, act))
    by_api, by_hand = ends["api 201"], ends["counter paid"]
    assert (by_api, by_hand) in ((1, 0), (0, RACERS // 2)), ends
    shift = at.shift()
    assert shift.total == naira("60.00")
    found = at.wired.run(lambda c: payments.of_shift(c, shift.id, 9))
    assert [payment.serial for payment in found] == [serial]
    assert at.wired.token(serial).redeemed_channel == ("api" if by_api else "counter")
    assert at.wired.breaches() == []


def test_one_token_over_every_channel_at_once_is_redeemed_once(at: Stall) -> None:
    _, token = at.token()
    reference = at.shop.shown(token)

    def act(number: int) -> bool:
        match number % 4:
            case 0:
                return at.wired.redeem(token, f"+23480300003{number:02}").answer == "redeemed"
            case 1:
                at.shop.confirm(reference)
                return False  # whoever repeats it is told the same: it is looked up at the end
            case 2:
                return line(at).pay(token).status_code == 201
        return line(at).pay(token, payee=f"+23480300003{number:02}").status_code == 201

    ends = race(4 * 3, act)
    by_hand = at.shop.payment(reference).state == "paid"
    assert sum(one is True for one in ends) + by_hand == 1, ends
    assert at.wired.breaches() == []


@pytest.mark.parametrize("round_number", range(3))
def test_a_till_that_is_counted_meanwhile_knows_of_a_programs_payment_or_stops_it(
    at: Stall, round_number: int
) -> None:
    serial, token = at.token()

    def act(number: int) -> object:
        return line(at).pay(token, "same") if number % 2 else at.shop.count("500.00")

    replies = [one for one in race(RACERS, act) if isinstance(one, Reply)]
    assert len(replies) == RACERS // 2
    shift = at.wired.run(lambda c: shifts.listed(c, 1))[0]
    if at.wired.token(serial).status == "redeemed":
        assert {reply.status_code for reply in replies} == {201}
        assert (shift.total, shift.variance) == (naira("60.00"), naira("60.00"))
    else:
        assert {reply.status_code for reply in replies} == {422}
        assert (shift.total, shift.variance) == (naira("0.00"), naira("0.00"))
    assert at.wired.breaches() == []


def test_a_program_that_waits_for_a_till_finds_it_closed(at: Stall) -> None:
    serial, token = at.token()
    locked, go = threading.Event(), threading.Event()
    shift = at.shift()

    def close(connection: Connection) -> None:
        shifts.lock(connection, shift.id)
        locked.set()
        assert go.wait(30)
        now = at.wired.clock.now()
        at.shop.counter.count(connection, shift.id, who, naira("500.00"), 0, now)

    who = at.shop.member()
    with ThreadPoolExecutor(2) as pool:
        closing = pool.submit(at.wired.run, close)
        assert locked.wait(30)
        waits = pool.submit(line(at).pay, token)
        threading.Event().wait(0.3)
        assert not waits.done()
        go.set()
        closing.result(30)
        answer = waits.result(30)
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_request")
    assert at.wired.token(serial).status == "issued"
    assert at.wired.breaches() == []


def test_programs_and_cashiers_together_pay_no_more_than_a_shift_may(wired: Wired) -> None:
    at = stall(wired, float_limit="150.00")
    digits = [at.token()[1] for _ in range(RACERS)]
    references = [at.shop.shown(one) for one in digits[::2]]

    def act(number: int) -> Payment | Reply:
        if number % 2:
            return line(at).pay(digits[number])
        return at.shop.confirm(references[number // 2])

    race(RACERS, act)
    assert at.shift().total == naira("120.00")
    assert wired.breaches() == []
