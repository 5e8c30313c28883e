"""6 Cashier pays once: repeats, drops, two devices, two cashiers, and answers that get lost."""

from collections import Counter
from decimal import Decimal

import pytest
from sqlalchemy import select

from gateway.outlets.payments.store import payments
from tests.menus.paying import looked, opened
from tests.outlets.staging import AMA, BIM, Shop
from tests.support.clock import SteppedClock
from tests.support.commit_proxy import CommitProxy, Fault
from tests.support.mariadb import MariaDBServer
from tests.support.races import race
from tests.support.wired import ADA, Call, Wired

TWICE = "\nDo not pay it twice."


def states(wired: Wired) -> Counter[str]:
    """What became of the payments."""
    query = select(payments.c.state)
    return Counter(wired.run(lambda c: c.execute(query).scalars().all()))


def test_a_repeated_confirmation_repeats_its_bytes(wired: Wired) -> None:
    shop = opened(wired)
    call = looked(wired, wired.issue("60.00").reveal())
    first = call.send("1")
    assert [call.post(call.text) for _ in range(3)] == [first] * 3
    assert shop.account().balance == Decimal("60.00")
    assert wired.breaches() == []


def test_confirmations_of_one_call_at_once_pay_once(wired: Wired) -> None:
    shop = opened(wired)
    call = looked(wired, wired.issue("60.00").reveal())
    text = f"{call.text}*1"
    replies = race(8, lambda _: Call(wired, AMA, call.session_id).post(text))
    told = {str(reply) for reply in replies}
    assert len({one for one in told if one.startswith("END PAID NGN 60.00")}) == 1
    assert {one.partition("\n")[0] for one in told} <= {
        "END PAID NGN 60.00",
        "END Sorry, we are busy. Nothing was changed. Please try again.",
    }
    assert shop.account().balance == Decimal("60.00")
    assert wired.breaches() == []


def test_a_session_dropped_after_the_confirmation_is_not_offered_again(
    wired: Wired, clock: SteppedClock
) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    call = looked(wired, issued.reveal())
    call.send("1")  # its answer is lost on the way to the phone
    clock.advance(minutes=2)
    again = wired.dial(AMA)
    assert "9 Continue" not in again.body
    assert again.send("6*3") == f"END 10:00 NGN 60.00 {issued.serial}"
    clock.advance(minutes=10)
    mine = f"END Your till paid NGN 60.00 already, at 02/03/2026 10:00. Ref {issued.serial}{TWICE}"
    assert looked(wired, issued.reveal()).body == mine
    assert shop.account().balance == Decimal("60.00")


def test_a_session_dropped_before_the_confirmation_resumes_before_it(
    wired: Wired, clock: SteppedClock
) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    clock.advance(seconds=1)
    looked(wired, issued.reveal())
    clock.advance(seconds=1)
    again = wired.dial(AMA)
    assert "9 Continue" in again.body
    assert again.send("9") == "CON Enter the token to pay:\n0 Back 00 Home"
    assert again.send(issued.reveal()).startswith("CON Pay NGN 60.00?")
    assert again.send("1").startswith("END PAID NGN 60.00")
    assert shop.account().balance == Decimal("60.00")
    assert states(wired) == {"paid": 1}


def test_both_calls_of_a_dropped_session_pay_once(wired: Wired, clock: SteppedClock) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    clock.advance(seconds=1)
    first = wired.dial(AMA, text=f"6*2*{issued.reveal()}")
    clock.advance(seconds=1)
    second = wired.dial(AMA, text="9*1")
    assert second.body.startswith("CON Pay NGN 60.00?")
    clock.advance(seconds=1)
    first.send("1")
    assert first.send("1").startswith("END PAID NGN 60.00")
    clock.advance(seconds=1)
    assert second.send("1").startswith("END Your till paid NGN 60.00 already,")
    assert shop.account().balance == Decimal("60.00")


def test_the_counter_and_the_phone_share_one_payment(wired: Wired, clock: SteppedClock) -> None:
    shop = opened(wired)
    issued = wired.issue("60.00")
    reference = shop.shown(issued.reveal())
    call = looked(wired, issued.reveal())
    clock.advance(seconds=30)
    assert shop.confirm(reference).state == "paid"
    clock.advance(seconds=30)
    assert call.send("1") == (
        f"END Your till paid NGN 60.00 already, at 02/03/2026 10:00. Ref {issued.serial}{TWICE}"
    )
    assert states(wired) == {"paid": 1}
    assert shop.account().balance == Decimal("60.00")
    assert wired.breaches() == []


def test_what_was_paid_on_the_phone_is_known_at_the_counter(
    wired: Wired, clock: SteppedClock
) -> None:
    shop = opened(wired)
    reference = shop.shown(digits := wired.issue("60.00").reveal())
    assert looked(wired, digits).send("1").startswith("END PAID NGN 60.00")
    at = wired.clock.now()
    clock.advance(minutes=1)
    payment = shop.confirm(reference)
    assert (payment.state, payment.decided_at) == ("paid", at)
    assert shop.account().balance == Decimal("60.00")


def test_what_the_counter_declined_or_voided_is_told_on_the_phone(
    wired: Wired, clock: SteppedClock
) -> None:
    shop = opened(wired)
    one, other = wired.issue("60.00"), wired.issue("50.00")
    calls = [looked(wired, issued.reveal()) for issued in (one, other)]
    shop.decline(shop.shown(one.reveal()))
    paid = shop.confirm(shop.shown(other.reveal()))
    shop.void(paid.reference)
    clock.advance(minutes=1)
    assert calls[0].send("1").startswith(f"END Not paid: NGN 60.00, Ref {one.serial}.")
    taken_back = (
        f"END Do not pay. Your manager took this payment back: NGN 50.00, Ref {other.serial}"
    )
    assert calls[1].send("1") == taken_back
    assert looked(wired, other.reveal()).body == taken_back
    assert shop.account().balance == 0
    assert wired.breaches() == []


@pytest.mark.parametrize("fault", [Fault.COMMIT_LOST, Fault.ANSWER_LOST, Fault.REFUSED])
def test_whatever_becomes_of_the_commit_the_till_is_credited_once(
    mariadb_server: MariaDBServer, mariadb_url: str, clock: SteppedClock, fault: Fault
) -> None:
    with CommitProxy(mariadb_server.port) as line:
        wired = Wired(line.url(mariadb_url), clock)
        shop = opened(wired)
        call = looked(wired, wired.issue("60.00").reveal())
        line.fail_next_commit(fault)
        reply = call.send("1")
        assert reply.startswith("END PAID NGN 60.00")
        assert call.post(call.text) == reply
        assert (shop.account().balance, states(wired)) == (Decimal("60.00"), {"paid": 1})
        assert wired.breaches() == []
        wired.close()


def racing(wired: Wired, shop: Shop) -> tuple[list[str], str]:
    """The owner, two cashiers on the phone and one of them in the browser, all at one token."""
    issued = wired.issue("60.00")
    calls = [looked(wired, issued.reveal(), phone) for phone in (AMA, BIM)]
    reference = shop.shown(issued.reveal())

    def act(number: int) -> str:
        if number < 2:
            return calls[number].send("1")
        if number == 2:
            return f"counter {shop.confirm(reference).state}"
        return wired.dial(ADA, text=f"1*{issued.reveal()}").body

    return [str(answer) for answer in race(4, act)], issued.serial


@pytest.mark.parametrize("round_number", range(3))
def test_a_token_raced_for_on_every_channel_is_paid_once(wired: Wired, round_number: int) -> None:
    shop = opened(wired)
    shop.shift(shop.member(BIM), till=2)
    wired.set_pin("4711", ADA)
    told, serial = racing(wired, shop)
    owed = (shop.account(1).balance, shop.account(2).balance, wired.balance())
    assert sorted(owed, key=str) == [0, 0, Decimal("60.00")], told
    assert wired.token(serial).status == "redeemed"
    assert states(wired)["paid"] == (0 if owed[2] else 1)
    assert sum("PAID" in one for one in told) <= 1
    assert wired.breaches() == []
