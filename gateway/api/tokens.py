"""A partner's tokens: issued from its float, read, reprinted, suspended, resumed, cancelled."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from gateway.api.issuing import Issuing, Wish
from gateway.clock import iso
from gateway.errors import Disputed, GatewayError
from gateway.formats import money
from gateway.partners import testing
from gateway.partners.access.keys import Access
from gateway.tokens import serials, store, suspend
from gateway.tokens.reprint import Reprinter
from gateway.tokens.retire import Retirer, shown_status
from gateway.tokens.store import Holder, Status, Token


class NotFound(GatewayError):
    """The partner has nothing by this name; whether others have is not said."""


class PartnerTokens:
    """What a partner does with tokens; every method works in the caller's transaction."""

    def __init__(
        self,
        issuing: Issuing,
        reprinter: Reprinter,
        retirer: Retirer,
        open_dispute: suspend.OpenDispute,
    ) -> None:
        self._issuing = issuing
        self._reprinter = reprinter
        self._retirer = retirer
        self._open_dispute = open_dispute

    def currency(self, access: Access) -> str:
        """What this key's money is in."""
        return self._issuing.currency(access.owner)

    def issue(
        self, connection: Connection, access: Access, wish: Wish, now: datetime
    ) -> Mapping[str, Any]:
        """Issue one token from the partner's float.

        Raises what `Issuing.issue` does, and `BadInput`.
        """
        order = self._issuing.order(connection, access.owner, access.actor, wish, now)
        issued = self._issuing.issue(connection, order, now)
        return {
            "serial": issued.serial,
            "status": issued.status,
            "amount": money.plain(issued.amount),
            "currency": issued.currency,
            "recipient": _phone(issued.recipient),
            "expires_at": iso(issued.expires_at),
        }

    def find(self, connection: Connection, access: Access, serial: str) -> Token:
        """A token of the partner's own. Raises `NotFound`."""
        spelled = serials.normalise(serial)
        found = None if spelled is None else store.by_serial(connection, spelled)
        if found is None or found.issuer != access.owner:
            raise NotFound("this partner has no token with this serial")
        return found

    def show(
        self, connection: Connection, access: Access, serial: str, now: datetime
    ) -> Mapping[str, Any]:
        """A token as it is now. Raises `NotFound`."""
        return view(self.find(connection, access, serial), now)

    def reprint(
        self, connection: Connection, access: Access, serial: str, reason: str, now: datetime
    ) -> Mapping[str, Any]:
        """Send the token's SMS once more, to its recipient and nobody else (T4).

        Raises `NotFound`, `WrongState`, `NoRecipient`, `ResendLimited`.
        """
        token = self.find(connection, access, serial)
        if access.is_test:
            self._reprinter.reprint(connection, token, access.actor, reason, now)
        else:
            self._reprinter.resend(connection, token, access.actor, now, reason)
        return self.show(connection, access, serial, now)

    def suspend(
        self, connection: Connection, access: Access, serial: str, reason: str, now: datetime
    ) -> Mapping[str, Any]:
        """Stop a token, until the partner lets it go on. Raises `NotFound`, `WrongState`."""
        token = self.find(connection, access, serial)
        suspend.suspend(connection, token, access.actor, reason, now, by=Holder.PARTNER)
        return self.show(connection, access, serial, now)

    def resume(
        self, connection: Connection, access: Access, serial: str, reason: str, now: datetime
    ) -> Mapping[str, Any]:
        """Let a token go on that the partner has suspended.

        Raises `NotFound`, `WrongState`, also `Held`, `Disputed`.
        """
        token = self.find(connection, access, serial)
        by, open_dispute = Holder.PARTNER, self._open_dispute
        suspend.resume(connection, token, access.actor, reason, now, open_dispute, by)
        return self.show(connection, access, serial, now)

    def cancel(
        self, connection: Connection, access: Access, serial: str, reason: str, now: datetime
    ) -> Mapping[str, Any]:
        """End a token; its value goes back to the float, once.

        Raises `NotFound`, `WrongState`, also `Held`, `Disputed`, `UnderRestore`.
        """
        token = store.locked(connection, self.find(connection, access, serial).id)
        disputed = self._open_dispute(connection, token.serial)
        if disputed is not None and token.status == Status.SUSPENDED:
            raise Disputed(disputed)
        self._retirer.cancel(connection, token, access.actor, reason, now, Holder.PARTNER)
        return self.show(connection, access, serial, now)

    def digits(self, connection: Connection, serial: str) -> str:
        """The digits of a token whose issuer is shown them. Raises `DerivationMismatch`."""
        found = store.by_serial(connection, serial)
        if found is None:
            raise NotFound("this partner has no token with this serial")
        return self._reprinter.digits(found)


def view(token: Token, now: datetime) -> Mapping[str, Any]:
    """A token as its issuer reads it."""
    return {
        "serial": token.serial,
        "status": shown_status(token, now),
        "amount": money.plain(token.amount),
        "currency": token.currency,
        "recipient": _phone(token.recipient),
        "expires_at": iso(token.expires_at),
        "issue_ref": token.issue_ref,
        "digits": token.digits,
        "bound": token.binding != store.UNBOUND,
        "issued_at": iso(token.issued_at),
        "redeemed_at": None if token.redeemed_at is None else iso(token.redeemed_at),
    }


def _phone(recipient: str | None) -> str | None:
    return None if recipient is None else testing.shown(recipient)
