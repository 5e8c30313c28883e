"""Ending a token that was not redeemed: it expires or is cancelled, and its value goes back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput, GatewayError
from gateway.ledger import floats
from gateway.ledger import store as ledger_store
from gateway.ledger.books import Books, Leg
from gateway.ledger.store import CLOSED, FLOAT, OUTSTANDING, Account
from gateway.switches.restores import returns
from gateway.tokens import notices, store, witness
from gateway.tokens.changes import Hear, unheard
from gateway.tokens.store import LIVE, Holder, Status, Token


class WrongState(BadInput):
    """The token is not in a state from which this can be done; `status` says which it is in."""

    def __init__(self, status: str) -> None:
        super().__init__(f"the token is {status}")
        self.status = status


class Held(WrongState):
    """Somebody else has suspended the token: it is not for the one who asks to let it go."""

    def __init__(self) -> None:
        super().__init__(Status.SUSPENDED)
        self.args = ("the token was suspended by our operators: ask them",)


class FunderClosed(GatewayError):
    """The account that paid for the token is closed: its value has nowhere to go back to."""


class Retirer:
    """Expires and cancels tokens; each moves the value once, never together with a redeem."""

    def __init__(self, books: Books, hear: Hear = unheard) -> None:
        self._books = books
        self._hear = hear

    def expire(self, connection: Connection, token_id: int, now: datetime) -> bool:
        """Give an overdue token's value back; False when it is no longer issued and overdue.

        Raises `FunderClosed`, `UnderRestore`.
        """
        token = store.by_id(connection, token_id)
        funder = _funder(connection, token)
        changed = store.change_status(
            connection, token_id, (Status.ISSUED,), Status.EXPIRED, now, expired_by_clock=True
        )
        if changed:
            self._return_value(connection, token, funder, "expire", now)
            notices.tell_returned(connection, notices.EXPIRED, token, funder, now)
            self._tell(connection, token, funder, Status.EXPIRED, now)
        return changed

    def cancel(
        self,
        connection: Connection,
        token: Token,
        actor: str,
        reason: str,
        now: datetime,
        by: Holder = Holder.OPERATOR,
    ) -> None:
        """Cancel a live token; the digits die.

        Raises `WrongState`, also `Held`, `BadInput`, `FunderClosed`, `UnderRestore`.
        """
        insist_let_go(store.locked(connection, token.id), by, reason)
        self._end(connection, token, LIVE, actor, reason, now)

    def take_back(self, connection: Connection, token: Token, actor: str, now: datetime) -> None:
        """Cancel at the wish of its sender, who has no say over a token that was suspended.

        Raises `WrongState`, `FunderClosed`, `UnderRestore`.
        """
        self._end(connection, token, (Status.ISSUED,), actor, "taken back by its sender", now)

    def replace(
        self, connection: Connection, token: Token, actor: str, reason: str, now: datetime
    ) -> None:
        """The same for a token that is about to be issued anew, which its sender is told instead.

        Raises `WrongState`, `FunderClosed`, `UnderRestore`.
        """
        self._end(connection, token, (Status.ISSUED,), actor, reason, now, renewed=True)

    def _end(
        self,
        connection: Connection,
        token: Token,
        before: Sequence[Status],
        actor: str,
        reason: str,
        now: datetime,
        *,
        renewed: bool = False,
    ) -> None:
        funder = _funder(connection, token)
        witness.leaves(token.serial, Status.CANCELLED)
        changed = store.change_status(
            connection, token.id, before, Status.CANCELLED, now, expired_by_clock=False
        )
        if not changed and Status.SUSPENDED in before:
            # A suspended token does not expire until it is resumed, so it can be cancelled late.
            changed = store.change_status(
                connection, token.id, (Status.SUSPENDED,), Status.CANCELLED, now
            )
        if not changed:
            raise WrongState(current(connection, token.id, now))
        self._return_value(connection, token, funder, "cancel", now)
        trail.record(connection, actor, "token.cancel", token.serial, now, reason)
        notices.tell_cancelled(connection, token, now)
        if not renewed:
            notices.tell_returned(connection, notices.RETURNED, token, funder, now)
        self._tell(connection, token, funder, Status.CANCELLED, now)

    def _tell(
        self, connection: Connection, token: Token, funder: Account, end: Status, now: datetime
    ) -> None:
        if funder.kind == FLOAT:
            self._hear(connection, token, end, now)

    def _return_value(
        self, connection: Connection, token: Token, funder: Account, kind: str, now: datetime
    ) -> None:
        key, books = f"{kind}:{token.id}", self._books
        surplus = floats.surplus(connection, funder, token.amount)
        outstanding = books.system(connection, OUTSTANDING, token.currency, now)
        books.post(
            connection,
            key,
            kind,
            token.serial,
            (Leg(outstanding, -token.amount), Leg(funder, token.amount)),
            now,
            returning=True,
        )
        if surplus:
            floats.bring_over(connection, books, funder, surplus, key, now)


def _funder(connection: Connection, token: Token) -> Account:
    """Who is paid back, if anybody may be now. Raises `FunderClosed`, `UnderRestore`."""
    returns.insist_none(connection)
    funder = ledger_store.by_id(connection, token.funder_id)
    if funder.status == CLOSED:
        raise FunderClosed(f"the account that paid for token {token.serial} is closed")
    return funder


def insist_let_go(token: Token, by: Holder, reason: str) -> None:
    """Raise `Held` or `BadInput` unless whoever asks may end the suspension of a locked token.

    A partner only its own; operators any, but a restore's not without saying why.
    """
    if token.status != Status.SUSPENDED:
        return
    if by is Holder.PARTNER and token.held_by != Holder.PARTNER:
        raise Held
    if token.held_by == Holder.RESTORE and not reason.strip():
        raise BadInput("a restore has stopped it, it may have been spent: say why with a reason")


def current(connection: Connection, token_id: int, now: datetime) -> str:
    """The state a person is told: the clock decides over an issued token, not the sweep."""
    return shown_status(store.by_id(connection, token_id), now)


class Timed(Protocol):
    """What the shown state is read from: a token's row, or what redeeming needs of it."""

    @property
    def status(self) -> str:
        """The stored state."""

    @property
    def expires_at(self) -> datetime:
        """The first instant at which it is no longer valid."""


def shown_status(token: Timed, now: datetime) -> str:
    """`issued` past its time reads `expired` before the sweep has come by."""
    if token.status == Status.ISSUED and token.expires_at <= now:
        return Status.EXPIRED.value
    return token.status
