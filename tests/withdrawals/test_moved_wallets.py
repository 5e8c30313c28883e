"""A wallet that holds money on its way to one number is not given to another one meanwhile."""

from decimal import Decimal

import pytest
from sqlalchemy import Connection, update

from gateway.errors import GatewayError
from gateway.ledger import store as ledger_store
from gateway.ledger import wallets
from gateway.ledger.owners import store as owners
from gateway.ledger.store import Account, accounts
from gateway.ledger.wallets import CannotMove
from gateway.tokens.retire import WrongState
from gateway.tokens.send import PaidAtCounters, new_intent
from gateway.tokens.senders.store import funds_live_tokens
from gateway.tokens.store import TO_COUNTER, Token
from gateway.withdrawals.operate import Deed
from gateway.withdrawals.store import Withdrawal, held_from
from tests.disputes.staging import Office
from tests.support.crashes import rows
from tests.support.races import race
from tests.support.wired import ADA, BELLO
from tests.tokens.staging import funded, phone
from tests.withdrawals.staging import Desk

NEW = "+2348030000009"


def move(desk: Desk, wallet: Account, after: str = NEW) -> object:
    """Give a wallet, as it was read, to another number."""
    moved = (wallet, after, funds_live_tokens, held_from)
    return desk.wired.run(lambda c: wallets.move(c, *moved))


def test_what_is_held_is_named_and_once_it_is_rejected_the_wallet_moves(desk: Desk) -> None:
    desk.fund()
    made = desk.request()
    with pytest.raises(CannotMove, match=f"60.00 is held .* old number: reject {made.reference}"):
        move(desk, desk.account())
    operators, now = desk.parts.operators, desk.wired.clock.now()
    deed = Deed("cli:ada", "the phone was stolen")
    assert desk.wired.run(lambda c: operators.reject(c, made.reference, deed, now))
    move(desk, desk.account())
    assert desk.wired.balance(NEW) == Decimal("100.00")
    assert desk.wired.breaches() == []


def test_without_the_guard_a_wallet_read_before_the_hold_is_moved_under_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = desk.fund()
    made = desk.request()
    with pytest.raises(CannotMove, match="meanwhile"):
        move(desk, before)

    def unguarded(connection: Connection, wallet: int, _: str, after: str) -> bool:
        change = update(accounts).where(accounts.c.id == wallet).values(owner=after)
        return connection.execute(change).rowcount == 1

    monkeypatch.setattr(owners, "give_to", unguarded)
    move(desk, before)
    assert desk.account(NEW).held == Decimal("60.00")
    assert desk.now(made).destination == ADA  # whoever has the old phone is paid


def test_a_move_racing_a_withdrawal_leaves_nothing_held_for_the_old_number(desk: Desk) -> None:
    seen = set()
    for number in range(12):
        wallet = desk.fund("10.00", phone(number))
        after = phone(100 + number)

        def act(n: int, wallet: Account = wallet, after: str = after) -> object:
            if n:
                return move(desk, wallet, after)
            return desk.request("10.00", wallet.owner, wallet.owner, account=wallet)

        asked, _ = race(2, act)
        held = isinstance(asked, Withdrawal)
        assert held or isinstance(asked, GatewayError), asked
        owner = wallet.owner if held else after
        assert desk.account(owner).held == Decimal("10.00" if held else "0.00")
        seen.add(held)
    assert seen <= {True, False}
    assert desk.wired.breaches() == []


def cash(desk: Desk) -> Token:
    """A cash code out of Ada's wallet."""
    wallet, now = desk.fund("10.00"), desk.wired.clock.now()
    asked = (wallet, Decimal("10.00"), Decimal("0.00"), new_intent(), now)
    return desk.wired.token(desk.wired.run(lambda c: desk.parts.cash.request(c, *asked)).serial)


def readdress(desk: Desk, token: Token, to: str = BELLO) -> object:
    """Send it to another number, as whoever has the wallet now."""
    wired, sends, now = desk.wired, desk.wired.gateway.tokens.sends, desk.wired.clock.now()

    def work(connection: Connection) -> object:
        wallet = ledger_store.by_id(connection, token.funder_id)
        return sends.readdress(connection, token, wallet, to, new_intent(), now)

    return wired.run(work)


def test_a_cash_code_is_cancelled_but_never_sent_to_another_number(desk: Desk) -> None:
    token, now = cash(desk), desk.wired.clock.now()
    assert token.binding == TO_COUNTER
    before = rows(desk.wired)
    with pytest.raises(PaidAtCounters, match="cancel it"):
        readdress(desk, token)
    assert rows(desk.wired) == before
    desk.wired.run(lambda c: desk.wired.gateway.retirer.take_back(c, token, ADA, now))
    assert desk.wired.balance(ADA) == Decimal("10.00")
    assert desk.wired.breaches() == []


def test_the_menu_of_a_moved_wallet_only_cancels_the_cash_code_of_its_old_number(
    desk: Desk,
) -> None:
    token, wired = cash(desk), desk.wired
    move(desk, desk.account())
    assert wired.run(lambda c: wallets.verify(c, desk.account(NEW), wired.clock.now().date()))
    call = wired.dial(NEW)
    call.send("3")
    shown = call.send("1")
    assert token.serial in shown, shown
    assert "2 Cancel it" in shown
    assert "another number" not in shown
    assert "another number" not in call.send("3")


def test_a_disputed_token_is_not_sent_to_another_number_but_cancelled(desk: Desk) -> None:
    desk.fund("10.00")
    token = desk.wired.token(funded(desk.wired, ADA, "10.00", recipient=BELLO).serial)
    office = Office(desk.wired, desk)
    office.open(token.serial)
    with pytest.raises(WrongState, match="suspended"):
        readdress(desk, token, NEW)
    now, retirer = desk.wired.clock.now(), desk.wired.gateway.retirer
    desk.wired.run(lambda c: retirer.cancel(c, token, "cli:ada", "as she asks", now))
    assert desk.wired.balance(ADA) == Decimal("10.00")
    assert desk.wired.breaches() == []
