"""The states of a token: which action is allowed from which state, what it leaves, who did it."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from sqlalchemy import Connection

from gateway.disputes.store import open_reference
from gateway.ledger.store import movements
from gateway.tokens import suspend
from gateway.tokens.retire import FunderClosed, WrongState, shown_status
from gateway.tokens.store import Token
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import (
    audit,
    brought_to,
    change,
    count,
    funded,
    rows_of,
    wallet,
)

WHY = "a customer called"
ACTOR = "cli:test"


def do_suspend(wired: Wired, connection: Connection, token: Token) -> None:
    suspend.suspend(connection, token, ACTOR, WHY, wired.clock.now())


def do_resume(wired: Wired, connection: Connection, token: Token) -> None:
    suspend.resume(connection, token, ACTOR, WHY, wired.clock.now(), open_reference)


def do_cancel(wired: Wired, connection: Connection, token: Token) -> None:
    wired.gateway.retirer.cancel(connection, token, ACTOR, WHY, wired.clock.now())


def do_reprint(wired: Wired, connection: Connection, token: Token) -> None:
    wired.gateway.reprinter.reprint(connection, token, ACTOR, WHY, wired.clock.now())


def do_resend(wired: Wired, connection: Connection, token: Token) -> None:
    wired.gateway.reprinter.resend(connection, token, ACTOR, wired.clock.now())


Action = Callable[[Wired, Connection, Token], None]
ACTIONS: dict[str, Action] = {
    "suspend": do_suspend,
    "resume": do_resume,
    "cancel": do_cancel,
    "reprint": do_reprint,
    "resend": do_resend,
}
# What a state becomes through an action; every pair that is not here is refused. `overdue` is an
# issued token past its time, `late` a suspended one.
BECOMES = {
    ("issued", "suspend"): "suspended",
    ("issued", "cancel"): "cancelled",
    ("issued", "reprint"): "issued",
    ("issued", "resend"): "issued",
    ("suspended", "resume"): "issued",
    ("suspended", "cancel"): "cancelled",
    ("late", "resume"): "expired",  # by the clock, at once
    ("late", "cancel"): "cancelled",
}
STATES = ("issued", "suspended", "late", "overdue", "expired", "redeemed", "cancelled")
READS = {"late": "suspended", "overdue": "expired"}


def act(wired: Wired, action: str, token: Token) -> None:
    """Do one action in a unit of work."""
    wired.run(lambda c: ACTIONS[action](wired, c, token))


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("state", STATES)
def test_an_action_is_done_and_recorded_or_refused_without_a_trace(
    wired: Wired, state: str, action: str
) -> None:
    issued = brought_to(wired, state)
    token = wired.token(issued.serial)
    trail, rows = audit(wired, issued.serial), rows_of(wired)
    after = BECOMES.get((state, action))
    if after is None:
        with pytest.raises(WrongState) as error:
            act(wired, action, token)
        assert error.value.status == READS.get(state, state)
        assert (wired.token(issued.serial), audit(wired, issued.serial)) == (token, trail)
        assert rows_of(wired) == rows
    else:
        act(wired, action, token)
        assert shown_status(wired.token(issued.serial), wired.clock.now()) == after
        reason = "" if action == "resend" else WHY
        assert audit(wired, issued.serial) == [*trail, (ACTOR, f"token.{action}", reason)]
    assert wired.breaches() == []


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_judges_the_row_and_not_what_was_read_before(wired: Wired, action: str) -> None:
    state = "suspended" if action == "resume" else "issued"
    issued = brought_to(wired, state)
    stale = wired.token(issued.serial)
    act(wired, "cancel", stale)
    with pytest.raises(WrongState):
        act(wired, action, stale)
    assert wired.token(issued.serial).status == "cancelled"
    assert wired.breaches() == []


@pytest.mark.parametrize("action", ["suspend", "cancel"])
def test_of_eight_racing_operators_one_succeeds(wired: Wired, action: str) -> None:
    token = wired.token(wired.issue().serial)
    results = race(8, lambda _: act(wired, action, token))
    assert results.count(None) == 1
    assert {type(result) for result in results if result is not None} == {WrongState}
    assert len(audit(wired, token.serial)) == 1
    assert wired.breaches() == []


def test_a_cancellation_racing_a_resumption_leaves_one_true_state(wired: Wired) -> None:
    for _ in range(10):
        token = wired.token(brought_to(wired, "suspended").serial)
        race(2, lambda n, t=token: act(wired, ("cancel", "resume")[n], t))  # type: ignore[misc]
        assert wired.token(token.serial).status == "cancelled"
    assert wired.breaches() == []


def test_a_suspended_token_does_not_expire_until_it_is_resumed(
    wired: Wired, clock: SteppedClock
) -> None:
    issued = brought_to(wired, "suspended")
    sweep = wired.gateway.chores()["tokens_expired"]
    clock.advance(days=40)
    assert sweep() == 0
    assert wired.token(issued.serial).status == "suspended"
    act(wired, "resume", wired.token(issued.serial))
    assert sweep() == 1
    assert wired.token(issued.serial).status == "expired"
    assert wired.breaches() == []


def test_a_cancelled_token_gives_its_value_back_to_the_wallet_that_paid(wired: Wired) -> None:
    wallet(wired, ADA, "100.00")
    issued = funded(wired, ADA, "60.00", recipient=BELLO)
    act(wired, "cancel", wired.token(issued.serial))
    assert wired.balance(ADA) == Decimal("100.00")
    assert wired.balance(BELLO) == Decimal("0.00")
    assert wired.breaches() == []


@pytest.mark.parametrize("status", ["active", "frozen"])
def test_an_expired_value_reaches_its_funder_also_when_it_is_frozen(
    wired: Wired, clock: SteppedClock, status: str
) -> None:
    wallet(wired, ADA, "100.00")
    funded(wired, ADA, "60.00")
    wallet(wired, ADA, status=status)
    clock.advance(days=31)
    assert wired.gateway.chores()["tokens_expired"]() == 1
    assert wired.balance(ADA) == Decimal("100.00")
    assert wired.breaches() == []


def test_two_sweeps_at_once_return_each_value_once(wired: Wired, clock: SteppedClock) -> None:
    wallet(wired, ADA, "100.00")
    for _ in range(20):
        funded(wired, ADA, "5.00")
    clock.advance(days=31)
    sweep = wired.gateway.chores()["tokens_expired"]
    assert sum(done for done in race(2, lambda _: sweep()) if isinstance(done, int)) == 20
    assert wired.balance(ADA) == Decimal("100.00")
    assert count(wired, movements, movements.c.kind == "expire") == 20
    assert wired.breaches() == []


def test_a_closed_funder_stops_its_own_tokens_only(wired: Wired, clock: SteppedClock) -> None:
    wallet(wired, ADA, "5.00")
    stuck = wired.token(funded(wired, ADA, "5.00").serial)
    clock.advance(hours=1)
    others = [wired.issue().serial for _ in range(3)]
    wallet(wired, ADA, status="closed")
    with pytest.raises(FunderClosed):
        act(wired, "cancel", stuck)
    clock.advance(days=31)
    assert wired.gateway.chores()["tokens_expired"]() == 3
    assert {wired.token(serial).status for serial in others} == {"expired"}
    assert wired.token(stuck.serial) == stuck
    wallet(wired, ADA, status="active")
    assert wired.gateway.chores()["tokens_expired"]() == 1
    assert wired.breaches() == []


def test_a_sweep_of_several_batches_ends_behind_tokens_it_passed_over(
    wired: Wired, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.tokens.sweep.BATCH", 2)
    wallet(wired, ADA, "4.00")
    for _ in range(4):
        funded(wired, ADA, "1.00")
    wallet(wired, ADA, status="closed")
    clock.advance(hours=1)
    for _ in range(5):
        wired.issue(to=None)
    clock.advance(days=31)
    assert wired.gateway.chores()["tokens_expired"]() == 5
    assert wired.gateway.chores()["tokens_expired"]() == 0


def test_a_value_is_not_returned_twice_by_a_stale_token_in_hand(wired: Wired) -> None:
    token = wired.token(wired.issue().serial)
    change(wired, token.serial, expires_at=wired.clock.now())
    now = wired.clock.now()
    retirer = wired.gateway.retirer
    assert wired.run(lambda c: retirer.expire(c, token.id, now))
    assert not wired.run(lambda c: retirer.expire(c, token.id, now))
    with pytest.raises(WrongState):
        act(wired, "cancel", token)
    assert wired.breaches() == []
