"""What a paused part does: callers are told, nothing counts, and everything waits unharmed."""

import time
from decimal import Decimal

import pytest

from gateway.outbox import queue
from gateway.outbox.tasks import PAYOUT
from gateway.switches import board
from gateway.switches.board import FRESH_SECONDS
from gateway.tokens.guesses.store import guess_counters
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, SECRET, Wired

NOTHING = Decimal("0.00")
PAUSED = "Redeeming is paused. Your token is safe. Please try again later."


def throw(wired: Wired, what: str, *, pause: bool = True) -> None:
    """Throw a switch; a process that has looked before sees it a second later."""
    now = wired.clock.now()
    wired.run(lambda c: board.throw(c, what, "cli:ops", "a test", now, pause=pause))
    if not pause:
        time.sleep(FRESH_SECONDS)


def counted(wired: Wired) -> int:
    """How many guess counters there are."""
    return wired.run(lambda c: len(c.execute(guess_counters.select()).all()))


@pytest.mark.parametrize("entry", ["token", "wrong", "mistyped", ""])
def test_a_caller_is_told_that_redeeming_is_paused_whatever_is_entered(
    wired: Wired, entry: str
) -> None:
    token = wired.issue().reveal()
    entries = {"token": token, "wrong": "902100000000000012", "mistyped": "123"}
    throw(wired, "redeem")
    call = wired.dial()
    call.send("1")
    assert call.send(entries.get(entry, entry)) == f"END {PAUSED}"
    assert counted(wired) == 0


def test_a_direct_dial_is_told_too_and_a_repeat_gets_the_same_words(wired: Wired) -> None:
    token = wired.issue().reveal()
    throw(wired, "redeem")
    call = wired.dial(text=f"1*{token}")
    assert call.body == f"END {PAUSED}"
    throw(wired, "redeem", pause=False)
    assert call.post(f"1*{token}") == f"END {PAUSED}"
    assert (wired.balance(), counted(wired)) == (NOTHING, 0)
    assert "You have received" in wired.dial(text=f"1*{token}").body
    assert wired.breaches() == []


def test_a_token_by_sms_is_answered_that_redeeming_is_paused(wired: Wired) -> None:
    token = wired.issue().reveal()
    throw(wired, "redeem")
    inbound = {"from": ADA, "to": "38400", "text": token, "id": "M1", "date": "2026-03-02 09:00:00"}
    answer = wired.client.post(f"/sms/africastalking/{SECRET}/inbound", data=inbound)
    assert answer.status_code == 200
    wired.send_all()
    (sms,) = wired.gateway.inbox(ADA)
    assert sms.text == PAUSED
    assert (wired.balance(), counted(wired)) == (NOTHING, 0)


def test_paused_texts_wait_and_go_when_they_are_resumed(wired: Wired) -> None:
    wired.issue(deliver=True)
    throw(wired, "sms")
    assert wired.send_all() == 0
    throw(wired, "sms", pause=False)
    assert wired.send_all() == 1


def test_paused_payouts_wait_in_the_runner_of_the_wired_gateway(
    wired: Wired, clock: SteppedClock
) -> None:
    wired.run(lambda c: queue.add(c, "x", "nobody", "1", "", "", clock.now(), line=PAYOUT))
    throw(wired, "payouts")
    assert not wired.gateway.runner("r").run_next()
    throw(wired, "payouts", pause=False)
    assert wired.gateway.runner("r").run_next()
