"""Sending a token to another number while it is redeemed, taken back or sent elsewhere again."""

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, update

from gateway.ledger import wallets
from gateway.ledger.limits import NotVerified, Stopped
from gateway.ledger.store import movements
from gateway.tokens import store
from gateway.tokens.issue import Issued
from gateway.tokens.redeem import Answer, Outcome
from gateway.tokens.retire import WrongState
from gateway.tokens.send import new_intent
from gateway.tokens.store import Status, Token, tokens
from tests.support.clock import SteppedClock
from tests.support.crashes import rows
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import count, once_before, phone, wallet

ROUNDS = 25
ZERO = Decimal("0.00")


def sent(wired: Wired, amount: str = "1.00", to: str = BELLO) -> Issued:
    """A token out of Ada's wallet."""
    now = wired.clock.now()

    def work(connection: Connection) -> Issued:
        payer = wallets.find(connection, ADA, "NGN")
        assert payer is not None
        return wired.gateway.tokens.sends.send(
            connection, payer, to, Decimal(amount), ZERO, new_intent(), now
        )[0]

    return wired.run(work)


def redirect(wired: Wired, token: Token, to: str, intent: str | None = None) -> Issued:
    """Send the token to another number, from what was read of it before."""
    now, named = wired.clock.now(), intent or new_intent()

    def work(connection: Connection) -> Issued:
        payer = wallets.find(connection, ADA, "NGN")
        assert payer is not None
        return wired.gateway.tokens.sends.readdress(connection, token, payer, to, named, now)

    return wired.gateway.database.run(work, keyed=True)


def take_back(wired: Wired, token: Token) -> None:
    """Cancel it as its sender."""
    now = wired.clock.now()
    wired.run(lambda c: wired.gateway.retirer.take_back(c, token, ADA, now))


@pytest.fixture(autouse=True)
def many_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """These races move more tokens than a sender may in a day."""
    monkeypatch.setattr("gateway.tokens.send.MOVES_A_DAY", 1_000)


def at_once(*ways: Callable[[], object]) -> list[object]:
    """Do several things at one moment; what came of each."""
    return list(race(len(ways), lambda number: ways[number]()))


def live(wired: Wired) -> int:
    """How many tokens can be redeemed."""
    return count(wired, tokens, tokens.c.status == Status.ISSUED.value)


def unguarded(
    connection: Connection,
    token_id: int,
    _: Sequence[Status],
    after: Status,
    now: datetime,
    **__: object,
) -> bool:
    """What a change of state must not be: one that does not look at the state before."""
    values = {"status": after.value, "changed_at": now, "redeemed_at": None}
    connection.execute(update(tokens).where(tokens.c.id == token_id).values(values))
    return True


def test_without_the_state_in_the_statement_a_redeemed_token_is_sent_again(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    wallet(wired, ADA, "1.00")
    issued = sent(wired)
    token = wired.token(issued.serial)
    assert wired.redeem(issued.reveal(), BELLO).answer is Answer.REDEEMED
    monkeypatch.setattr(store, "change_status", unguarded)
    again = redirect(wired, token, phone(1))
    monkeypatch.undo()
    assert wired.redeem(again.reveal(), phone(1)).answer is Answer.REDEEMED
    assert {breach.invariant for breach in wired.breaches()} >= {"token_state_has_its_movement"}


def test_the_old_is_redeemed_or_the_new_exists_and_both_answers_say_which(wired: Wired) -> None:
    wallet(wired, ADA, "25.00")
    redeemed = 0
    for number in range(ROUNDS):
        issued = sent(wired)
        token = wired.token(issued.serial)
        outcome, moved = at_once(
            partial(wired.redeem, issued.reveal(), BELLO),
            partial(redirect, wired, token, phone(number)),
        )
        assert isinstance(outcome, Outcome)
        if outcome.answer is Answer.REDEEMED:
            redeemed += 1
            assert isinstance(moved, WrongState)
        else:
            assert isinstance(moved, Issued)
            assert wired.token(issued.serial).status == "cancelled"
            assert wired.token(moved.serial).status == "issued"
        assert live(wired) == number + 1 - redeemed
    assert wired.balance() == ZERO
    assert wired.breaches() == []


def test_of_two_new_numbers_and_a_taking_back_one_gets_the_value(wired: Wired) -> None:
    wallet(wired, ADA, "10.00")
    for number in range(10):
        before, token = live(wired), wired.token(sent(wired).serial)
        done = at_once(
            partial(redirect, wired, token, phone(1)),
            partial(redirect, wired, token, phone(2)),
            partial(take_back, wired, token),
        )
        assert sum(isinstance(one, WrongState) for one in done) == 2
        assert live(wired) - before == sum(isinstance(one, Issued) for one in done)
        assert count(wired, movements, movements.c.kind == "cancel") == number + 1
    assert wired.breaches() == []


def test_an_intent_that_comes_twice_makes_one_new_token(wired: Wired) -> None:
    wallet(wired, ADA, "1.00")
    token, intent = wired.token(sent(wired).serial), new_intent()
    first = redirect(wired, token, phone(1), intent)
    before = rows(wired)
    again = redirect(wired, token, phone(1), intent)
    assert (again.serial, again.reveal()) == (first.serial, first.reveal())
    assert rows(wired) == before


@pytest.mark.parametrize(
    ("changes", "refusal"), [({"status": "frozen"}, Stopped), ({"unverified": True}, NotVerified)]
)
def test_what_is_refused_changes_no_row(
    wired: Wired, changes: dict[str, Any], refusal: type[Exception]
) -> None:
    wallet(wired, ADA, "1.00")
    token = wired.token(sent(wired).serial)
    wallet(wired, ADA, **changes)
    before = rows(wired)
    with pytest.raises(refusal):
        redirect(wired, token, phone(1))
    assert rows(wired) == before


def test_a_wallet_that_is_stopped_meanwhile_keeps_its_token_where_it_is(
    mariadb_url: str, clock: SteppedClock
) -> None:
    """On SQLite the freeze would wait for the other to end."""
    wired = Wired(mariadb_url, clock)
    account = wallet(wired, ADA, "1.00")
    token = wired.token(sent(wired).serial)

    def stop() -> None:
        wired.run(lambda c: wallets.freeze(c, account))

    with (
        once_before(wired.gateway.database, "UPDATE tokens SET status", stop),
        pytest.raises(Stopped),
    ):
        redirect(wired, token, phone(1))
    assert wired.token(token.serial).status == "issued"
    assert live(wired) == 1
    assert wired.breaches() == []
    wired.close()


def test_money_that_came_back_is_not_spent_before_it_goes_out_again(wired: Wired) -> None:
    """The value passes through the wallet: a racing debit must not find it there."""
    wallet(wired, ADA, "2.00")
    token = wired.token(sent(wired, "2.00").serial)
    moved, spent = at_once(
        partial(redirect, wired, token, phone(1)), partial(sent, wired, "2.00", phone(2))
    )
    assert isinstance(moved, Issued)
    assert isinstance(spent, Exception)
    assert live(wired) == 1
    assert wired.balance() == ZERO
    assert wired.breaches() == []
