"""SQL of the tokens of one issuer."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from gateway.tokens.store import Status, Token, tokens


def page(
    connection: Connection,
    issuer: str,
    rows_max: int,
    now: datetime,
    *,
    before: int | None = None,
    status: Status | None = None,
    recipient: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Sequence[Token]:
    """An issuer's tokens, newest first, those with ids below `before`; the clock decides a state.

    `since` and `until` bound when they were issued, the latter from outside.
    """
    c = tokens.c
    query = select(*c).where(c.issuer == issuer)
    if before is not None:
        query = query.where(c.id < before)
    if recipient is not None:
        query = query.where(c.recipient == recipient)
    if since is not None:
        query = query.where(c.issued_at >= since)
    if until is not None:
        query = query.where(c.issued_at < until)
    past = (c.status == Status.ISSUED.value) & (c.expires_at <= now)
    if status is Status.EXPIRED:
        query = query.where((c.status == status.value) | past)
    elif status is not None:
        query = query.where(c.status == status.value, ~past)
    rows = connection.execute(query.order_by(c.id.desc()).limit(rows_max))
    return [Token(*row) for row in rows]


def serials_of(connection: Connection, issuer: str, refs: Sequence[str]) -> Mapping[str, str]:
    """The tokens that an issuer has asked for under some of these references; a few hundred."""
    c = tokens.c
    rows = connection.execute(
        select(c.issue_ref, c.serial).where(c.issuer == issuer, c.issue_ref.in_(refs))
    )
    return {str(ref): str(serial) for ref, serial in rows}
