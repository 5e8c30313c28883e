"""A wallet goes to another number with all it has and all it waits for; refused where it cannot."""

from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, select

from gateway.audit import store as audit_store
from gateway.audit.decisions.store import Approval
from gateway.errors import BadInput
from gateway.formats.msisdn import masked
from gateway.ledger import wallets
from gateway.ledger.store import Account, accounts
from gateway.ledger.wallets import MOVE, RESET_PIN, CannotMove
from gateway.tokens.senders.store import waiting_elsewhere
from tests.support.clock import SteppedClock
from tests.support.crashes import rows
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import bare_account, funded, wallet

NEW = "+2348030000009"


def ask(wired: Wired, kind: str, subject: str, **details: str) -> int:
    """A first operator's request."""
    now, requests = wired.clock.now(), wired.gateway.approvals
    return wired.run(lambda c: requests.ask(c, kind, subject, details, "cli:one", "lost SIM", now))


def approve(wired: Wired, number: int, actor: str = "cli:two") -> Approval:
    """A second operator's word."""
    now, approvals = wired.clock.now(), wired.gateway.approvals
    return wired.run(lambda c: approvals.approve(c, number, actor, now))


def move(wired: Wired, before: str = ADA, after: str = NEW) -> Approval:
    """Ask and approve."""
    found = found_at(wired, before)
    return approve(wired, ask(wired, MOVE, before, to=after, wallet=str(found.id)))


def found_at(wired: Wired, phone: str) -> Account:
    """A phone's wallet."""
    found = wired.run(lambda c: wallets.find(c, phone, "NGN"))
    assert found is not None
    return found


def test_the_wallet_keeps_its_account_its_money_and_its_history(wired: Wired) -> None:
    wired.redeem(wired.issue("75.00").reveal())
    before = found_at(wired, ADA)
    done = move(wired)
    assert done.outcome == f"moved to {masked(NEW)}"
    after = found_at(wired, NEW)
    assert (after.id, after.balance, after.unverified) == (before.id, Decimal("75.00"), True)
    assert wired.run(lambda c: wallets.find(c, ADA, "NGN")) is None
    lines = wired.run(lambda c: wallets.statement(c, wallets.find(c, NEW, "NGN"), 10))
    assert [line.kind for line in lines] == ["redeem"]
    for phone, action in ((ADA, "wallet.move"), (NEW, "wallet.receive")):
        trail = wired.run(partial(audit_store.about, subject=phone))
        assert [line.actor for line in trail if line.action == action] == ["cli:two"]
    told = [line.reason for line in wired.run(partial(audit_store.about, subject=ADA))]
    assert told[-2:] == [
        f"approval {done.id}: moved to {masked(NEW)}",
        f"approval {done.id}, wallet.move: moved to {masked(NEW)}",
    ]
    assert wired.breaches() == []


def test_the_old_number_begins_anew(wired: Wired) -> None:
    wired.redeem(wired.issue("75.00").reveal())
    move(wired)
    wired.redeem(wired.issue("1.00").reveal())
    assert (wired.balance(ADA), wired.balance(NEW)) == (Decimal("1.00"), Decimal("75.00"))
    assert wired.breaches() == []


def test_what_the_wallet_waits_for_comes_to_the_new_number(
    wired: Wired, clock: SteppedClock
) -> None:
    wallet(wired, ADA, "5.00")
    funded(wired, ADA, "5.00", recipient=BELLO)
    move(wired)
    clock.advance(days=31)
    assert wired.gateway.chores()["tokens_expired"]() == 1
    assert wired.balance(NEW) == Decimal("5.00")
    assert wired.breaches() == []


def test_a_token_for_the_old_number_stays_its_own(wired: Wired) -> None:
    wallet(wired, ADA, "5.00")
    token = wired.issue("3.00", to=ADA, binding="recipient").reveal()
    move(wired)
    assert wired.redeem(token, NEW).answer.value == "not_valid"
    assert wired.redeem(token, ADA).answer.value == "redeemed"
    assert wired.breaches() == []


def test_an_empty_wallet_of_the_new_number_makes_room_and_keeps_its_history(wired: Wired) -> None:
    wired.redeem(wired.issue("2.00", to=NEW).reveal(), NEW)
    funded(wired, NEW, "2.00", recipient=BELLO)
    wired.redeem(wired.issue("75.00").reveal())
    with pytest.raises(CannotMove, match="waits for tokens"):
        move(wired)
    (spent,) = wired.run(lambda c: _sent_by(wired, c, NEW))
    wired.redeem(spent, BELLO)
    number = wired.run(lambda c: wired.gateway.approvals.listed(c, wired.clock.now()))[0].id
    approve(wired, number)
    assert wired.balance(NEW) == Decimal("75.00")
    old = wired.run(
        lambda c: c.execute(
            select(accounts.c.status).where(accounts.c.owner.like(f"{NEW}#%"))
        ).scalar_one()
    )
    assert old == "closed"
    assert wired.breaches() == []


def _sent_by(wired: Wired, connection: Connection, phone: str) -> list[str]:
    found = wallets.find(connection, phone, "NGN")
    assert found is not None
    waiting = waiting_elsewhere(connection, found.id, wired.clock.now(), 5)
    return [wired.gateway.reprinter.digits(token) for token in waiting]


@pytest.mark.parametrize(
    ("of_new", "said"),
    [
        ({"balance": Decimal("0.01")}, "with money"),
        ({"held": Decimal("0.01")}, "with money"),
        ({"status": "frozen"}, "stopped"),
    ],
)
def test_a_number_with_a_wallet_in_use_takes_no_other(
    wired: Wired, of_new: dict[str, Any], said: str
) -> None:
    wallet(wired, ADA, "5.00")
    bare_account(wired, **{"owner": NEW, **of_new})
    number = ask(wired, MOVE, ADA, to=NEW, wallet=str(found_at(wired, ADA).id))
    before = rows(wired)
    with pytest.raises(CannotMove, match=said):
        approve(wired, number)
    assert rows(wired) == before


def test_a_wallet_is_not_moved_to_where_it_is(wired: Wired) -> None:
    wallet(wired, ADA, "5.00")
    with pytest.raises(CannotMove, match="already"):
        move(wired, ADA, ADA)


def test_a_request_is_for_the_wallet_it_was_made_for(wired: Wired) -> None:
    wallet(wired, ADA, "5.00")
    number = ask(wired, MOVE, ADA, to=NEW, wallet=str(found_at(wired, ADA).id))
    wired.run(lambda c: wallets.move(c, wallets.find(c, ADA, "NGN") or _none(), BELLO, *FREE))
    wallet(wired, ADA, "1.00")
    with pytest.raises(BadInput, match="another wallet"):
        approve(wired, number)


def _none() -> Account:
    raise AssertionError("there is no wallet")


def _never(_: Connection, __: int) -> bool:
    return False


def _none_held(_: Connection, __: int) -> list[str]:
    return []


FREE = (_never, _none_held)  # nothing is expected, nothing is held


def test_two_moves_at_once_and_a_first_use_of_the_new_number_leave_one_wallet_each(
    wired: Wired,
) -> None:
    wallet(wired, ADA, "5.00")
    token = wired.issue("1.00", to=NEW).reveal()

    def act(number: int) -> object:
        if number == 0:
            return wired.redeem(token, NEW)
        return wired.run(
            lambda c: wallets.move(c, wallets.find(c, ADA, "NGN") or _none(), NEW, *FREE)
        )

    race(3, act)
    owned = wired.run(
        lambda c: c.execute(
            select(accounts.c.owner).where(accounts.c.kind == "wallet", accounts.c.owner == NEW)
        ).all()
    )
    assert len(owned) == 1
    assert wired.balance(ADA) + wired.balance(NEW) == Decimal("6.00")


def test_a_reset_pin_needs_two_and_leaves_the_wallet_unverified(wired: Wired) -> None:
    wallet(wired, ADA, "5.00")
    wired.set_pin("4711")
    number = ask(wired, RESET_PIN, ADA)
    with pytest.raises(BadInput):
        wired.run(
            lambda c: wired.gateway.approvals.approve(c, number, "cli:one", wired.clock.now())
        )
    assert approve(wired, number).outcome == "the PIN was reset"
    assert not wired.run(lambda c: wired.gateway.people.pins.has_pin(c, ADA))
    assert found_at(wired, ADA).unverified
    assert wired.dial(text="5*2").body.startswith("END Before you can set a PIN")
    today = wired.clock.now().date()
    assert wired.run(lambda c: wallets.verify(c, found_at(wired, ADA), today))
    wired.set_pin("2580")


def test_a_phone_that_never_had_a_pin_has_none_to_reset(wired: Wired) -> None:
    number = ask(wired, RESET_PIN, ADA)
    with pytest.raises(BadInput, match="never had a PIN"):
        approve(wired, number)
