"""SQL of looking through the tokens of a phone, page by page."""

from enum import StrEnum

from sqlalchemy import Connection, select

from gateway.tokens.store import Token, tokens


class Side(StrEnum):
    """On which side of a token a phone stands."""

    RECEIVED = "received"
    SENT = "sent"


def page(
    connection: Connection, msisdn: str, side: Side, before: int | None, rows_max: int
) -> list[Token]:
    """The tokens sent to a phone, or by one; newest first; those with ids below one, if given."""
    c = tokens.c
    whose = c.recipient if side is Side.RECEIVED else c.issuer
    query = select(*c).where(whose == msisdn)
    if before is not None:
        query = query.where(c.id < before)
    rows = connection.execute(query.order_by(c.id.desc()).limit(rows_max))
    return [Token(*row) for row in rows]
