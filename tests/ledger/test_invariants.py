"""Each invariant finds the fault it is for, to the cent, and is quiet on healthy books."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from sqlalchemy import Connection, update

from gateway.ledger import store as ledger
from gateway.ledger import wallets
from gateway.ledger.invariants.check import INVARIANTS as LEDGER_INVARIANTS
from gateway.ledger.store import HOUSE, OUTSTANDING, Account, accounts
from gateway.tokens import store, suspend
from gateway.tokens.invariants.check import INVARIANTS as TOKEN_INVARIANTS
from gateway.tokens.store import tokens
from tests.support.clock import START
from tests.support.wired import ADA, BELLO, Wired

CENT = Decimal("0.01")
Fault = Callable[[Connection, dict[str, int]], object]


def lived(wired: Wired) -> dict[str, int]:
    """Books after a day of every kind of event; the ids of its tokens by their state."""
    issued = {
        state: wired.issue("100.00")
        for state in ("issued", "suspended", "redeemed", "cancelled", "expired")
    }
    ids = {state: wired.token(token.serial).id for state, token in issued.items()}
    assert wired.redeem(issued["redeemed"].reveal(), BELLO).serial
    now, retirer = wired.clock.now(), wired.gateway.retirer

    def end(connection: Connection) -> None:
        retirer.cancel(connection, store.by_id(connection, ids["cancelled"]), "ops", "", now)
        suspend.suspend(connection, store.by_id(connection, ids["suspended"]), "ops", "", now)
        connection.execute(
            update(tokens).where(tokens.c.id == ids["expired"]).values(expires_at=START)
        )
        assert retirer.expire(connection, ids["expired"], now)

    wired.run(end)
    return ids


def system(connection: Connection, kind: str) -> Account:
    """A system account of these books."""
    found = ledger.find(connection, kind, "", "NGN")
    assert found is not None
    return found


def wallet(connection: Connection) -> Account:
    """Bello's wallet, which holds 100.00."""
    found = wallets.find(connection, BELLO, "NGN")
    assert found is not None
    return found


def book(connection: Connection, kind: str, subject: str, *legs: tuple[Account, Decimal]) -> None:
    """A movement past every rule."""
    made = ledger.add_movement(connection, f"planted:{kind}", kind, subject, START)
    if legs:
        ledger.add_entries(connection, made, [(account.id, amount) for account, amount in legs])


def set_account(connection: Connection, account: Account, **values: object) -> None:
    """Change an account's row past every rule."""
    connection.execute(update(accounts).where(accounts.c.id == account.id).values(values))


def set_token(connection: Connection, token_id: int, **values: object) -> None:
    """Change a token's row past every rule."""
    connection.execute(update(tokens).where(tokens.c.id == token_id).values(values))


def a_cent_too_much(connection: Connection, _: dict[str, int]) -> None:
    house, outstanding = system(connection, HOUSE), system(connection, OUTSTANDING)
    book(connection, "issue", "x", (house, -CENT), (outstanding, CENT + CENT))


def no_entries(connection: Connection, _: dict[str, int]) -> None:
    book(connection, "issue", "x")


def one_entry(connection: Connection, _: dict[str, int]) -> None:
    book(connection, "issue", "x", (system(connection, HOUSE), CENT))


def a_cent_on_the_balance(connection: Connection, _: dict[str, int]) -> None:
    set_account(connection, wallet(connection), balance=Decimal("100.01"))


def a_cent_held(connection: Connection, _: dict[str, int]) -> None:
    set_account(connection, wallet(connection), held=CENT)


def an_entry_without_its_balance(connection: Connection, _: dict[str, int]) -> None:
    book(connection, "x", "x", (system(connection, HOUSE), -CENT), (wallet(connection), CENT))


def a_wallet_without_entries(connection: Connection, _: dict[str, int]) -> None:
    empty = wallets.ensure(connection, ADA, "NGN", START)
    set_account(connection, empty, balance=CENT)


def two_currencies(connection: Connection, _: dict[str, int]) -> None:
    cedi = ledger.create(connection, HOUSE, "", "GHS", START, guarded=False)
    book(connection, "x", "x", (system(connection, HOUSE), -CENT), (cedi, CENT))


def no_balance(connection: Connection, _: dict[str, int]) -> None:
    set_account(connection, wallet(connection), balance=None)


def a_balance_on_the_house(connection: Connection, _: dict[str, int]) -> None:
    set_account(connection, system(connection, HOUSE), balance=Decimal("0.00"))


def held_by_the_house(connection: Connection, _: dict[str, int]) -> None:
    set_account(connection, system(connection, HOUSE), held=CENT)


def alive_again(connection: Connection, ids: dict[str, int]) -> None:
    set_token(connection, ids["redeemed"], status="issued", redeemed_at=None)


def ended_without_a_movement(connection: Connection, ids: dict[str, int]) -> None:
    set_token(connection, ids["issued"], status="cancelled")


def redeemed_without_a_movement(connection: Connection, ids: dict[str, int]) -> None:
    set_token(connection, ids["suspended"], status="redeemed", redeemed_at=START)


def another_end_than_booked(connection: Connection, ids: dict[str, int]) -> None:
    set_token(connection, ids["cancelled"], status="expired")


def settled_twice(connection: Connection, ids: dict[str, int]) -> None:
    serial = store.by_id(connection, ids["redeemed"]).serial
    house, outstanding = system(connection, HOUSE), system(connection, OUTSTANDING)
    book(connection, "expire", serial, (outstanding, -CENT), (house, CENT))


def settled_while_alive(connection: Connection, ids: dict[str, int]) -> None:
    serial = store.by_id(connection, ids["issued"]).serial
    house, outstanding = system(connection, HOUSE), system(connection, OUTSTANDING)
    book(connection, "expire", serial, (outstanding, -CENT), (house, CENT))


def a_cent_outstanding(connection: Connection, _: dict[str, int]) -> None:
    house, outstanding = system(connection, HOUSE), system(connection, OUTSTANDING)
    book(connection, "issue", "x", (house, -CENT), (outstanding, CENT))


def a_live_token_worth_more(connection: Connection, ids: dict[str, int]) -> None:
    set_token(connection, ids["issued"], amount=Decimal("100.01"))


def a_spent_token_worth_more(connection: Connection, ids: dict[str, int]) -> None:
    set_token(connection, ids["redeemed"], amount=Decimal("100.01"))


def a_token_nobody_paid_for(connection: Connection, ids: dict[str, int]) -> None:
    set_token(connection, ids["issued"], serial="UNPA1D00")


def redeemed_by_another(connection: Connection, ids: dict[str, int]) -> None:
    set_token(connection, ids["redeemed"], redeemed_by=ADA)


def returned_to_another(connection: Connection, ids: dict[str, int]) -> None:
    set_token(connection, ids["expired"], funder_id=wallet(connection).id)


FAULTS: tuple[tuple[str, Fault], ...] = (
    ("movements_balance", a_cent_too_much),
    ("movements_have_entries", no_entries),
    ("movements_have_entries", one_entry),
    ("balance_is_ledger_sum", a_cent_on_the_balance),
    ("holds_are_held", a_cent_held),
    ("balance_is_ledger_sum", an_entry_without_its_balance),
    ("balance_is_ledger_sum", a_wallet_without_entries),
    ("one_currency_a_movement", two_currencies),
    ("guarded_accounts_store_a_balance", no_balance),
    ("guarded_accounts_store_a_balance", a_balance_on_the_house),
    ("guarded_accounts_store_a_balance", held_by_the_house),
    ("token_state_has_its_movement", alive_again),
    ("token_state_has_its_movement", ended_without_a_movement),
    ("token_state_has_its_movement", redeemed_without_a_movement),
    ("token_state_has_its_movement", another_end_than_booked),
    ("token_state_has_its_movement", settled_twice),
    ("token_state_has_its_movement", settled_while_alive),
    ("outstanding_is_live_tokens", a_cent_outstanding),
    ("outstanding_is_live_tokens", a_live_token_worth_more),
    ("tokens_are_funded", a_live_token_worth_more),
    ("tokens_are_funded", a_spent_token_worth_more),
    ("tokens_are_funded", a_token_nobody_paid_for),
    ("tokens_settle_their_amount", a_spent_token_worth_more),
    ("value_goes_where_it_belongs", redeemed_by_another),
    ("value_goes_where_it_belongs", returned_to_another),
)


def test_books_without_anything_in_them_are_healthy(wired: Wired) -> None:
    assert wired.breaches() == []


def test_books_after_every_kind_of_event_are_healthy(wired: Wired) -> None:
    lived(wired)
    assert wired.balance(BELLO) == Decimal("100.00")
    assert wired.breaches() == []


@pytest.mark.parametrize(
    ("invariant", "fault"), FAULTS, ids=lambda part: getattr(part, "__name__", part)
)
def test_a_planted_fault_is_found_by_its_invariant(
    wired: Wired, invariant: str, fault: Fault
) -> None:
    ids = lived(wired)
    wired.run(lambda c: fault(c, ids))
    found = [breach for breach in wired.breaches() if breach.invariant == invariant]
    assert len(found) == 1
    assert found[0].row


def test_every_invariant_has_a_fault_that_it_finds() -> None:
    names = [invariant.name for invariant in (*LEDGER_INVARIANTS, *TOKEN_INVARIANTS)]
    assert sorted(names) == sorted({name for name, _ in FAULTS})
    assert len(names) == len(set(names))
