"""A redeem that crosses a cancellation, suspension, expiry or freeze: one of them, never both."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import Connection, bindparam, literal, update

from gateway.database.types import Instant
from gateway.ledger import wallets
from gateway.ledger.store import movements
from gateway.tokens import suspend
from gateway.tokens.claims import store as claims
from gateway.tokens.issue import Issued
from gateway.tokens.redeem import Answer, Caller, Outcome
from gateway.tokens.retire import WrongState
from gateway.tokens.store import Token, tokens
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.tokens.staging import (
    brought_to,
    change,
    count,
    once_before,
    phone,
    rows_of,
    wallet,
)

ROUNDS = 100
Change = Callable[[Wired, Connection, Token], None]


def cancelled(wired: Wired, connection: Connection, token: Token) -> None:
    """An operator's cancellation."""
    wired.gateway.retirer.cancel(connection, token, "test", "", wired.clock.now())


def suspended(wired: Wired, connection: Connection, token: Token) -> None:
    """An operator's suspension."""
    suspend.suspend(connection, token, "test", "", wired.clock.now())


def cross(wired: Wired, issued: Issued, other: Change, number: int) -> list[object]:
    """Redeem and change a token at the same moment; what came of each."""
    token = wired.token(issued.serial)
    ways: tuple[Callable[[], object], ...] = (
        lambda: wired.redeem(issued.reveal(), phone(number)),
        lambda: wired.run(lambda c: other(wired, c, token)),
    )
    return list(race(2, lambda n: ways[n]()))


@pytest.mark.parametrize(
    ("other", "state", "rounds"), [(cancelled, "cancelled", ROUNDS), (suspended, "suspended", 25)]
)
def test_a_token_is_redeemed_or_changed_and_both_answers_say_which(
    wired: Wired, other: Change, state: str, rounds: int
) -> None:
    redeemed = 0
    for number in range(rounds):
        issued = wired.issue("1.00")
        outcome, changed = cross(wired, issued, other, number)
        assert isinstance(outcome, Outcome)
        if outcome.answer is Answer.REDEEMED:
            redeemed += 1
            assert isinstance(changed, WrongState)
            assert wired.token(issued.serial).status == changed.status == "redeemed"
        else:
            assert (outcome.answer, changed) == (Answer.NOT_VALID, None)
            assert wired.token(issued.serial).status == state
    assert count(wired, movements, movements.c.kind == "redeem") == redeemed
    assert wired.breaches() == []


def cross_at_the_boundary(wired: Wired, number: int) -> tuple[object, object]:
    """A redeem a tick before the expiry and a sweep on it, at the same moment."""
    issued, expires_at = wired.issue("1.00"), wired.clock.now()
    change(wired, issued.serial, expires_at=expires_at)
    token_id = wired.token(issued.serial).id
    early = expires_at - timedelta(microseconds=1)
    caller = Caller(phone(number), "africastalking", "en")
    desk, retirer = wired.gateway.desk, wired.gateway.retirer
    ways: tuple[Callable[[Connection], object], ...] = (
        lambda c: desk.redeemer.redeem(c, issued.reveal(), caller, early),
        lambda c: retirer.expire(c, token_id, expires_at),
    )
    outcome, expired = race(2, lambda n: wired.run(ways[n]))
    return outcome, expired


def test_a_sweep_and_a_redeem_at_the_boundary_move_the_value_once(wired: Wired) -> None:
    redeemed, rounds = 0, 25
    for number in range(rounds):
        outcome, expired = cross_at_the_boundary(wired, number)
        assert isinstance(outcome, Outcome)
        assert (outcome.answer is Answer.REDEEMED) is not expired
        redeemed += not expired
    assert count(wired, movements, movements.c.kind == "redeem") == redeemed
    assert count(wired, movements, movements.c.kind == "expire") == rounds - redeemed
    assert wired.breaches() == []


@pytest.mark.parametrize("state", ["suspended", "redeemed", "expired", "cancelled", "overdue"])
def test_a_claim_finds_only_an_issued_token_within_its_time(wired: Wired, state: str) -> None:
    token = wired.token(brought_to(wired, state).serial)
    now = wired.clock.now()
    assert not wired.run(lambda c: claims.claim(c, token.id, ADA, "ussd", now))
    assert wired.token(token.serial) == token


@pytest.fixture
def on_mariadb(mariadb_url: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch) -> Wired:
    """MariaDB with the look-up's lock off, as on a cluster: the claim's own guard must do.

    On SQLite a second writer waits until the redeem has ended.
    """
    monkeypatch.setattr(claims, "locked", claims.unlocked)
    return Wired(mariadb_url, clock)


def test_a_suspension_between_look_up_and_claim_wins(on_mariadb: Wired) -> None:
    issued = on_mariadb.issue()
    token = on_mariadb.token(issued.serial)
    before = rows_of(on_mariadb)
    database = on_mariadb.gateway.database

    def stop() -> None:
        on_mariadb.run(lambda c: suspended(on_mariadb, c, token))

    with once_before(database, "UPDATE tokens SET status", stop):
        assert on_mariadb.redeem(issued.reveal()) == Outcome(Answer.NOT_VALID)
    assert on_mariadb.token(issued.serial).status == "suspended"
    assert rows_of(on_mariadb) == before
    on_mariadb.close()


def test_a_claim_without_its_guard_redeems_the_suspended_token(
    on_mariadb: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued = on_mariadb.issue()
    token = on_mariadb.token(issued.serial)
    by_id_alone = update(tokens).where(tokens.c.id == bindparam("token"))
    facts = {"redeemed_at": bindparam("now", type_=Instant), "redeemed_by": bindparam("by")}
    facts |= {"redeemed_channel": bindparam("channel"), "status": literal("redeemed")}
    monkeypatch.setattr(claims, "CLAIM", by_id_alone.values(facts))

    def stop() -> None:
        on_mariadb.run(lambda c: suspended(on_mariadb, c, token))

    with once_before(on_mariadb.gateway.database, "UPDATE tokens SET status", stop):
        assert on_mariadb.redeem(issued.reveal()).answer is Answer.REDEEMED
    on_mariadb.close()


def test_a_wallet_frozen_before_the_credit_leaves_the_token_live(on_mariadb: Wired) -> None:
    issued = on_mariadb.issue()
    account = wallet(on_mariadb, ADA)
    before = rows_of(on_mariadb)
    database = on_mariadb.gateway.database

    def freeze() -> None:
        on_mariadb.run(lambda c: wallets.freeze(c, account))

    with once_before(database, "UPDATE accounts SET", freeze):
        assert on_mariadb.redeem(issued.reveal()) == Outcome(Answer.WALLET_STOPPED)
    assert on_mariadb.token(issued.serial).status == "issued"
    assert rows_of(on_mariadb) == before
    assert on_mariadb.breaches() == []
    on_mariadb.close()


def test_a_phone_that_redeemed_elsewhere_meanwhile_is_told_so(on_mariadb: Wired) -> None:
    """The limit row makes one phone's turns queue up, so the other turn is simulated as done."""
    issued = on_mariadb.issue()
    token, now = on_mariadb.token(issued.serial), on_mariadb.clock.now()

    def take() -> None:
        on_mariadb.run(lambda c: claims.claim(c, token.id, ADA, "sms", now))

    with once_before(on_mariadb.gateway.database, "UPDATE tokens SET status", take):
        assert on_mariadb.redeem(issued.reveal()).answer is Answer.ALREADY_YOURS
    on_mariadb.close()
