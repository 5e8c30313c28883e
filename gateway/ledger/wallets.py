"""Wallets: one a (phone, currency), made on first use."""

from collections.abc import Callable, Sequence
from datetime import date, datetime

from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.formats import money
from gateway.ledger import store
from gateway.ledger.limits import Limits, NotVerified, Stopped
from gateway.ledger.owners import store as owners
from gateway.ledger.store import ACTIVE, CLOSED, FROZEN, WALLET, Account, StatementLine

# How the trail names a move: of the number that had the wallet, and of one whose empty one went.
MOVED, REPLACED = "wallet.move", "wallet.replace"
RECEIVED = "wallet.receive"
MOVE, RESET_PIN = MOVED, "pin.reset"  # the requests that a second operator approves
ExpectsMoney = Callable[[Connection, int], bool]  # whether something may still come back to it
HeldFor = Callable[[Connection, int], Sequence[str]]  # the names of what money is held for


class CannotMove(BadInput):
    """The wallet cannot be given to that number."""


def find(connection: Connection, msisdn: str, currency: str) -> Account | None:
    """The wallet of a phone, None before its first use."""
    return store.find(connection, WALLET, msisdn, currency)


def ensure(connection: Connection, msisdn: str, currency: str, now: datetime) -> Account:
    """The wallet of a phone, made if need be."""
    return find(connection, msisdn, currency) or store.create(
        connection, WALLET, msisdn, currency, now, guarded=True, active_on=now.date()
    )


def statement(
    connection: Connection, wallet: Account | None, lines_max: int
) -> Sequence[StatementLine]:
    """The wallet's latest entries, newest first; empty before its first use."""
    return store.statement(connection, wallet.id, lines_max) if wallet else ()


def freeze(connection: Connection, wallet: Account) -> bool:
    """Stop a wallet; False when it was not active."""
    return store.set_status(connection, wallet.id, ACTIVE, FROZEN)


def unfreeze(connection: Connection, wallet: Account) -> bool:
    """Let a frozen wallet work again; False when it was not frozen."""
    return store.set_status(connection, wallet.id, FROZEN, ACTIVE)


def is_open(wallet: Account) -> bool:
    """Whether the wallet may be credited and debited now."""
    return wallet.status not in (FROZEN, CLOSED)


def insist_owner(limits: Limits, wallet: Account, now: datetime) -> None:
    """Raise `Stopped` or `NotVerified` unless the owner may decide about what was theirs."""
    if wallet.status != ACTIVE:
        raise Stopped(f"the wallet is {wallet.status}")
    if limits.needs_verification(wallet, now):
        raise NotVerified("an operator must verify the owner first")


def set_tier(connection: Connection, wallet: Account, tier: str) -> bool:
    """Give a wallet the caps of a tier; False when it has them."""
    return owners.set_tier(connection, wallet.id, tier)


def require_verification(connection: Connection, wallet: Account) -> bool:
    """Stop debits and the setting of a PIN until `verify`; False when they are stopped."""
    return owners.require_verification(connection, wallet.id)


def verify(connection: Connection, wallet: Account, today: date) -> bool:
    """An operator has made sure of the owner, who is taken to have used the wallet today.

    False for a closed one.
    """
    return owners.verify(connection, wallet.id, today)


def touch(connection: Connection, msisdn: str, now: datetime, limits: Limits) -> None:
    """The owner has shown a sign of life (a proved PIN): it counts, unless it came too late.

    Who was idle until now may be somebody else: only an operator ends that.
    """
    owners.touch(connection, msisdn, limits.today(now), limits.idle_before(now))


def insist_movable(
    connection: Connection, wallet: Account, msisdn: str, held_for: HeldFor
) -> Account | None:
    """Refuse what could not be moved now; the empty wallet that would make room, if there is one.

    What is held would still be paid to the old number, which may be the thief's by now. Raises
    `CannotMove`.
    """
    if wallet.status == CLOSED:
        raise CannotMove("the wallet is closed")
    if wallet.owner == msisdn:
        raise CannotMove("the wallet is this number's already")
    if wallet.held:
        named, held = ", ".join(held_for(connection, wallet.id)), money.plain(wallet.held)
        raise CannotMove(f"{held} is held to be paid to the old number: reject {named} first")
    other = find(connection, msisdn, wallet.currency)
    if other is not None and (other.balance or other.held or other.status != ACTIVE):
        raise CannotMove("the new number has a wallet with money, or one that is stopped")
    return other


def move(
    connection: Connection,
    wallet: Account,
    msisdn: str,
    expects_money: ExpectsMoney,
    held_for: HeldFor,
) -> Account | None:
    """Give a wallet to another number: the account, its money and all it waits for stay the same.

    The new owner must be verified. An empty wallet of that number is closed, keeps its history and
    is returned. Raises `CannotMove`; the caller must then roll back.
    """
    other = insist_movable(connection, wallet, msisdn, held_for)
    if other is not None:
        if not owners.give_up(connection, other.id, f"{msisdn}#{other.id}"):
            raise CannotMove("the new number's wallet was used meanwhile")
        # After the row is locked: nothing can be sent from an empty wallet from here on.
        if expects_money(connection, other.id):
            raise CannotMove("the new number's wallet waits for tokens it has sent")
    if not owners.give_to(connection, wallet.id, wallet.owner, msisdn):
        raise CannotMove("the wallet was changed meanwhile")
    return other
