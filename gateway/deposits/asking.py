"""What an operator asks for about a deposit: done at once where one word is enough, else by two."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from gateway.audit.approvals import Requests, concerning
from gateway.deposits import store
from gateway.deposits.book import BOOK, Booking
from gateway.deposits.confirm import CONFIRM, Confirming
from gateway.deposits.states import State
from gateway.deposits.store import Deposit
from gateway.deposits.undo import RELEASE, REVERSE
from gateway.errors import BadInput
from gateway.formats import money
from gateway.ledger import store as ledger_store
from gateway.ledger import wallets
from gateway.ledger.store import SUSPENSE, WALLET, Account


class NoWallet(BadInput):
    """The phone that money in suspense is to be released to has no wallet yet."""


class Asking:
    """Acts for operators; each answer says whether it is done or waits for a second one."""

    def __init__(self, requests: Requests, confirming: Confirming, booking: Booking) -> None:
        self._requests = requests
        self._confirming = confirming
        self._booking = booking

    def confirm(
        self,
        connection: Connection,
        reference: str,
        txn_id: str,
        actor: str,
        reason: str,
        now: datetime,
    ) -> Deposit | int:
        """The order as completed, where somebody else's statement has the payment; else a number.

        It is that of the approval that waits. Raises `BadInput`.
        """
        order, confirming = reference.upper(), self._confirming
        if confirming.is_alone(connection, order, txn_id, actor, now):
            return confirming.alone(connection, order, txn_id, actor, reason, now)
        details = dict(confirming.request(connection, order, txn_id, now))
        details |= concerning(known(connection, order).msisdn)
        return self._requests.ask(connection, CONFIRM, order, details, actor, reason, now)

    def book(
        self,
        connection: Connection,
        provider: str,
        txn_id: str,
        actor: str,
        reason: str,
        now: datetime,
    ) -> int:
        """The approval that a booking from a statement waits for. Raises `BadInput`."""
        details = self._booking.request(connection, provider, txn_id)
        return self._requests.ask(connection, BOOK, txn_id, details, actor, reason, now)

    def release(
        self,
        connection: Connection,
        reference: str,
        msisdn: str,
        actor: str,
        reason: str,
        now: datetime,
        *,
        new_wallet: bool,
    ) -> int:
        """The approval that money in suspense waits for, to go to a phone's wallet.

        Raises `NoWallet` unless the phone may get a `new_wallet`, and `BadInput`.
        """
        currency = known(connection, reference).currency
        if not new_wallet and wallets.find(connection, msisdn, currency) is None:
            raise NoWallet("this phone has no wallet yet")
        more = {"to": msisdn}
        return self._ask(connection, RELEASE, reference, more, actor, reason, now)

    def reverse(
        self, connection: Connection, reference: str, actor: str, reason: str, now: datetime
    ) -> int:
        """The approval that taking a deposit back waits for. Raises `BadInput`."""
        return self._ask(connection, REVERSE, reference, {}, actor, reason, now)

    def _ask(
        self,
        connection: Connection,
        kind: str,
        reference: str,
        more: Mapping[str, str],
        actor: str,
        reason: str,
        now: datetime,
    ) -> int:
        found = known(connection, reference)
        if found.state != State.COMPLETED:
            raise BadInput(f"the deposit is {found.state}")
        details = {"amount": money.display(found.amount, found.currency), **more}
        details |= concerning(found.msisdn, *_credited(connection, found))
        return self._requests.ask(connection, kind, found.reference, details, actor, reason, now)


def known(connection: Connection, reference: str) -> Deposit:
    """The deposit that a person means by our reference. Raises `BadInput`."""
    found = store.by_reference(connection, reference.strip().upper())
    if found is None:
        raise BadInput("no deposit has this reference")
    return found


def account_of(connection: Connection, deposit: Deposit) -> Account | None:
    """Where the money went: a wallet, or suspense."""
    found = deposit.account_id
    return None if found is None else ledger_store.by_id(connection, found)


def lies_in_suspense(deposit: Deposit, account: Account | None) -> bool:
    """Whether this is money that waits for its owner."""
    is_held = account is not None and account.kind == SUSPENSE
    return is_held and deposit.state == State.COMPLETED


def _credited(connection: Connection, deposit: Deposit) -> Sequence[str]:
    """Whose wallet has it: it may have been given to another number since."""
    account = account_of(connection, deposit)
    return (account.owner,) if account is not None and account.kind == WALLET else ()
