"""SQL about tokens that a wallet has paid for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    exists,
    literal,
    select,
)

from gateway.database import prepared
from gateway.ledger.store import WALLET, accounts
from gateway.outbox.store import SMS, State, outbox
from gateway.tokens.store import LIVE, Status, Token, tokens

TOLD = "undelivered:"  # begins the cause of a message about another's failure; that one's follows
_PAID_BY = (
    select(accounts.c.owner, tokens.c.recipient)
    .join(accounts, accounts.c.id == tokens.c.funder_id)
    .where(tokens.c.id == bindparam("token"), accounts.c.kind == WALLET)
)


@dataclass(frozen=True, slots=True)
class Sent:
    """Who sent a token to whom."""

    sender: str
    recipient: str | None


def sent(connection: Connection, token_id: int) -> Sent | None:
    """The sender of a token; None when no wallet has paid for it."""
    row = prepared.row(connection, _PAID_BY, {"token": token_id})
    return None if row is None else Sent(*row)


def waiting_elsewhere(
    connection: Connection, funder_id: int, now: datetime, rows_max: int
) -> list[Token]:
    """The redeemable tokens that an account has paid for, soonest to expire first."""
    rows = connection.execute(
        select(*tokens.c)
        .where(
            tokens.c.funder_id == funder_id,
            tokens.c.status == Status.ISSUED.value,
            tokens.c.expires_at > now,
        )
        .order_by(tokens.c.expires_at, tokens.c.id)
        .limit(rows_max)
    )
    return [Token(*row) for row in rows]


def funds_live_tokens(connection: Connection, account_id: int) -> bool:
    """Whether value may still come back to an account from tokens it has paid for."""
    found = connection.execute(
        select(tokens.c.id)
        .where(
            tokens.c.funder_id == account_id,
            tokens.c.status.in_([status.value for status in LIVE]),
        )
        .limit(1)
    ).first()
    return found is not None


@dataclass(frozen=True, slots=True)
class Undelivered:
    """A token's message that failed for good, of a token that still waits to be redeemed."""

    cause: str  # of that message
    serial: str
    sender: str


def failed(
    columns: Sequence[Column[Any]],
    template: str,
    since: datetime,
    now: datetime,
    *which: ColumnElement[bool],
) -> Select[Any]:
    """The messages that failed since then, of tokens that wait to be redeemed, oldest first.

    `which` chooses by the account that has paid for a token, and by who was told already.
    """
    return (
        select(*columns)
        .select_from(outbox)
        .join(tokens, tokens.c.serial == outbox.c.subject)
        .join(accounts, accounts.c.id == tokens.c.funder_id)
        .where(
            outbox.c.line == SMS,
            outbox.c.state == State.FAILED.value,
            outbox.c.due_at >= since,  # of what failed: when it did
            outbox.c.template == template,
            tokens.c.status == Status.ISSUED.value,
            tokens.c.expires_at > now,
            *which,
        )
        .order_by(outbox.c.id)
    )


def undelivered(
    connection: Connection, template: str, since: datetime, now: datetime, rows_max: int
) -> Sequence[Undelivered]:
    """Messages that failed since then, whose sender has not been told, oldest first."""
    told = outbox.alias("told")
    query = failed(
        (outbox.c.cause, tokens.c.serial, accounts.c.owner),
        template,
        since,
        now,
        accounts.c.kind == WALLET,
        ~exists().where(told.c.cause == literal(TOLD).concat(outbox.c.cause)),
    )
    return [Undelivered(*row) for row in connection.execute(query.limit(rows_max))]
