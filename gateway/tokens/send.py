"""Sending value out of a wallet as a token, and to another number if it has not been redeemed."""

import secrets
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from gateway.errors import BadInput, RaceLost
from gateway.formats import money, msisdn
from gateway.ledger import store as ledger_store
from gateway.ledger import wallets
from gateway.ledger.books import Books
from gateway.ledger.limits import NotVerified, Stopped
from gateway.ledger.store import Account
from gateway.outbox import store as outbox_store
from gateway.tokens import notices, store
from gateway.tokens.issue import DEFAULT_PERIOD, Issued, Issuer, Order, expiry
from gateway.tokens.retire import Retirer
from gateway.tokens.store import TO_COUNTER, Token

MOVES_A_DAY = 5
DAY = timedelta(days=1)


class PaidAtCounters(BadInput):
    """A cash code is its owner's own, paid where it was asked for: it is cancelled, not sent on."""


class MovedOften(BadInput):
    """Each move costs two or three SMS: a sender has so many a day."""


def new_intent() -> str:
    """What a confirmation screen mints (M4): however often it is confirmed, one token is sent."""
    return secrets.token_hex(16)


class Sends:
    """Sends tokens that wallets pay for."""

    def __init__(self, issuer: Issuer, retirer: Retirer, books: Books, zone: ZoneInfo) -> None:
        self._issuer = issuer
        self._retirer = retirer
        self._books = books
        self._zone = zone

    def send(
        self,
        connection: Connection,
        wallet: Account,
        recipient: str,
        amount: Decimal,
        fee: Decimal,
        intent: str,
        now: datetime,
    ) -> tuple[Issued, Decimal]:
        """Send `amount` to `recipient`, with its SMS and a receipt; the wallet's new balance too.

        Raises what `Limits.insist_debit` does, before anything is written. An intent that was
        carried out before is answered with its token.
        """
        order = Order(
            amount=amount,
            currency=wallet.currency,
            expires_at=expiry(DEFAULT_PERIOD, now, self._zone),
            recipient=recipient,
            issuer=wallet.owner,
            issue_ref=f"send:{intent}",
            txn_id=intent,
            sender_name=written_number(wallet.owner, recipient),
            fee=fee,
        )
        known = store.by_issue_ref(connection, order.issuer, order.issue_ref)
        issued = self._issuer.issue(connection, order, now, wallet)
        balance = ledger_store.by_id(connection, wallet.id).balance or Decimal("0.00")
        if known is None:
            details = {
                "fee": money.display(fee, wallet.currency),
                "balance": money.display(balance, wallet.currency),
            }
            notices.tell(connection, notices.SENT, issued.serial, wallet.owner, now, details)
        return issued, balance

    def readdress(
        self,
        connection: Connection,
        token: Token,
        wallet: Account,
        recipient: str,
        intent: str,
        now: datetime,
    ) -> Issued:
        """Cancel a token of this wallet and send its value to another number (T7).

        The old digits die, amount and expiry stay, nothing is paid again and no cap counts it
        twice. Raises, before anything is written, `WrongState`, also for a suspended one (as a
        disputed one is), `PaidAtCounters`, `MovedOften`, and `Stopped` or `NotVerified` when the
        wallet's owner may not decide now.
        """
        issuer, issue_ref = wallet.owner, f"send:{intent}"
        order = Order(
            amount=token.amount,
            currency=token.currency,
            expires_at=token.expires_at,
            digits=token.digits,
            recipient=recipient,
            issuer=issuer,
            issue_ref=issue_ref,
            txn_id=intent,
            binding=token.binding,
            sender_name=written_number(wallet.owner, recipient),
            renews=True,
        )
        if store.by_issue_ref(connection, issuer, issue_ref) is not None:
            return self._issuer.issue(connection, order, now, wallet)
        try:
            self._take_from(connection, token, wallet, now)
        except BadInput:
            # It may be gone because a racing repeat has sent it: then that one's answer is ours.
            if store.by_issue_ref(connection, issuer, issue_ref) is None:
                raise
            return self._issuer.issue(connection, order, now, wallet)
        try:
            # The cancellation has locked the wallet: what is true of it now stays so.
            issued = self._issuer.issue(connection, order, now, wallet)
        except (Stopped, NotVerified) as error:
            raise RaceLost("the wallet was stopped while its token was readdressed") from error
        details = {"old": token.serial}
        notices.tell(connection, notices.MOVED, issued.serial, wallet.owner, now, details)
        return issued

    def _take_from(
        self, connection: Connection, token: Token, wallet: Account, now: datetime
    ) -> None:
        """Cancel what is to be sent to another number; its value is in the wallet then."""
        if token.binding == TO_COUNTER:
            raise PaidAtCounters("a cash code cannot be sent to another number: cancel it")
        limits = self._books.limits
        wallets.insist_owner(limits, ledger_store.by_id(connection, wallet.id), now)
        told = outbox_store.count_to_since(connection, wallet.owner, notices.MOVED, now - DAY)
        if told >= MOVES_A_DAY:
            raise MovedOften(f"at most {MOVES_A_DAY} tokens a day go to another number")
        self._retirer.replace(connection, token, wallet.owner, "sent to another number", now)


def written_number(sender: str, recipient: str) -> str:
    """Who a token is from, as its recipient knows them: the whole number, to be called back.

    A masked one names nobody: the recipient could neither know the sender nor return what was
    not meant for them. Without spaces it fits the SMS beside everything else.

    >>> written_number("+2348030000001", "+2348030000002")
    '08030000001'
    >>> written_number("+2348030000001", "+254700000001")
    '+2348030000001'
    """
    countries = {msisdn.display(number).split()[0] for number in (sender, recipient)}
    if len(countries) > 1:
        return sender
    return "".join(c for c in msisdn.national(sender) if c.isdigit())
