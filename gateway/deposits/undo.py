"""What two operators do to a deposit: let a wallet have money in suspense, or take it back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit.decisions.store import Approval
from gateway.deposits import store
from gateway.deposits.credit import Crediting
from gateway.deposits.states import State
from gateway.deposits.store import Deposit
from gateway.errors import BadInput, RaceLost
from gateway.formats.facts import Phone, fact
from gateway.ledger import store as ledger_store
from gateway.ledger import wallets
from gateway.ledger.books import ZERO, Books, Leg
from gateway.ledger.limits import InsufficientFunds, Stopped
from gateway.ledger.store import ACTIVE, FEES, SETTLEMENT, Account

RELEASE, REVERSE = "suspense.release", "deposit.reverse"  # kinds of approvals
RELEASED, REVERSED = "suspense_release", "deposit_reverse"  # kinds of movements


@dataclass(frozen=True, slots=True)
class Executor:
    """What is done once a second operator has approved it."""

    do: Callable[[Connection, Approval, datetime], str]

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Do it; what was done, in a few words."""
        return self.do(connection, approval, now)


class Undoing:
    """Runs only as the outcome of an approval by a second operator (M9)."""

    def __init__(self, books: Books, crediting: Crediting) -> None:
        self._books = books
        self._crediting = crediting

    def release(
        self, connection: Connection, reference: str, msisdn: str, now: datetime
    ) -> Deposit:
        """Credit a wallet with what lies in suspense; once.

        Raises `BadInput` when it does not lie there, `Stopped` and `LimitExceeded`.
        """
        deposit = self._locked(connection, reference)
        if not self._crediting.in_suspense(connection, deposit, now):
            raise BadInput("this deposit is not in suspense")
        suspense = self._crediting.suspense(connection, deposit.provider, deposit.currency, now)
        wallet = wallets.ensure(connection, msisdn, deposit.currency, now)
        self._books.limits.insist_credit(wallet, deposit.amount, now)
        legs = (Leg(suspense, -deposit.amount), Leg(wallet, deposit.amount))
        key = f"suspense.release:{deposit.reference}"
        self._books.post(connection, key, RELEASED, deposit.reference, legs, now)
        if not store.release(connection, deposit.id, suspense.id, wallet.id, now):
            raise RaceLost("it left suspense meanwhile")
        return store.locked(connection, deposit.id)

    def reverse(self, connection: Connection, reference: str, now: datetime) -> Deposit:
        """Take a completed deposit back from whom it was credited to, with its fee.

        Raises `BadInput` when it is not completed, `Stopped` and `InsufficientFunds` when the
        wallet cannot give it.
        """
        deposit = self._locked(connection, reference)
        if deposit.state != State.COMPLETED or deposit.account_id is None:
            raise BadInput(f"the deposit is {deposit.state}")
        if not store.change_state(connection, deposit.id, State.REVERSED, now):
            raise RaceLost("the deposit changed meanwhile")
        account = ledger_store.by_id(connection, deposit.account_id)
        legs = self._legs_back(connection, deposit, account, now)
        key = f"deposit.reverse:{deposit.reference}"
        self._books.post(connection, key, REVERSED, deposit.reference, legs, now)
        return store.locked(connection, deposit.id)

    def executors(self) -> Mapping[str, Executor]:
        """Who does each kind of approval."""
        return {RELEASE: Executor(self._released), REVERSE: Executor(self._reversed)}

    def _released(self, connection: Connection, approval: Approval, now: datetime) -> str:
        owner = approval.details["to"]
        done = self.release(connection, approval.subject, owner, now)
        words, phone = "{amount} {currency} released to {phone}", Phone(owner)
        return fact(words, amount=done.amount, currency=done.currency, phone=phone)

    def _reversed(self, connection: Connection, approval: Approval, now: datetime) -> str:
        done = self.reverse(connection, approval.subject, now)
        return fact("{amount} {currency} reversed", amount=done.amount, currency=done.currency)

    def _legs_back(
        self, connection: Connection, deposit: Deposit, account: Account, now: datetime
    ) -> Sequence[Leg]:
        settlement = self._books.system(
            connection, SETTLEMENT, deposit.currency, now, owner=deposit.provider
        )
        legs = [Leg(settlement, deposit.amount)]
        if not account.guarded:
            return [*legs, Leg(account, -deposit.amount)]
        net = deposit.amount - deposit.fee
        _insist(account, net)
        legs.append(Leg(account, -net))
        if deposit.fee:
            fees = self._books.system(connection, FEES, deposit.currency, now)
            legs.append(Leg(fees, -deposit.fee))
        return legs

    def _locked(self, connection: Connection, reference: str) -> Deposit:
        found = store.by_reference(connection, reference, for_update=True)
        if found is None:
            raise BadInput("no deposit has this reference")
        return found


def _insist(account: Account, amount: Decimal) -> None:
    if account.status != ACTIVE:
        raise Stopped(f"the account is {account.status}")
    if (account.balance or ZERO) < amount:
        raise InsufficientFunds("the balance is below the amount")
