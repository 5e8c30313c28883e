"""Tables and SQL of what is agreed with partners."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    PrimaryKeyConstraint,
    String,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from gateway.database import prepared
from gateway.database.types import Instant, Money, RowId, money_bounds, table
from gateway.ledger.store import FLOAT, accounts
from gateway.partners.store import partners

TEXT_MAX = 320

partner_profiles = table(
    "partner_profiles",
    Column("partner_id", RowId, ForeignKey("partners.id"), primary_key=True, autoincrement=False),
    Column("sender_id", String(11), nullable=True),
    Column("language", String(8), nullable=True),
    Column("expiry", String(5), nullable=True),  # such as 30d or 12h
    Column("token_max", Money, nullable=True),
    Column("day_max", Money, nullable=True),
    Column("low_float", Money, nullable=True),  # below it somebody should fund the float
    Column("changed_at", Instant, nullable=False),
    money_bounds("token_max"),
    money_bounds("day_max"),
    money_bounds("low_float"),
)

partner_texts = table(
    "partner_texts",
    Column("partner_id", RowId, ForeignKey("partners.id"), nullable=False, autoincrement=False),
    Column("language", String(8), nullable=False),
    Column("text", String(TEXT_MAX), nullable=False),  # with placeholders
    PrimaryKeyConstraint("partner_id", "language"),
)


@dataclass(frozen=True, slots=True)
class Terms:
    """What is agreed with a partner; None: as with everybody."""

    sender_id: str | None = None
    language: str | None = None
    expiry: str | None = None
    token_max: Decimal | None = None
    day_max: Decimal | None = None
    low_float: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Voice:
    """How a partner speaks in the SMS of its tokens; `texts` by their language."""

    sender_id: str | None = None
    language: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)


NOTHING = Terms()
_p, _t = partner_profiles.c, partner_texts.c
_TERMS = (_p.sender_id, _p.language, _p.expiry, _p.token_max, _p.day_max, _p.low_float)
_OF = (
    select(*_TERMS)
    .join(partners, partners.c.id == _p.partner_id)
    .where(partners.c.code == bindparam("code"))
)
_VOICE = (
    select(_p.sender_id, _p.language, _t.language, _t.text)
    .select_from(
        partners.outerjoin(partner_profiles, _p.partner_id == partners.c.id).outerjoin(
            partner_texts, _t.partner_id == partners.c.id
        )
    )
    .where(partners.c.code == bindparam("code"))
)


def of(connection: Connection, code: str) -> Terms:
    """What is agreed with the partner of this code."""
    row = prepared.row(connection, _OF, {"code": code})
    return NOTHING if row is None else Terms(*row)


def voice(connection: Connection, code: str) -> Voice:
    """How the partner of this code speaks."""
    rows = prepared.rows(connection, _VOICE, {"code": code})
    if not rows:
        return Voice()
    texts = {row[2]: row[3] for row in rows if row[2] is not None}
    return Voice(rows[0][0], rows[0][1], texts)


def save(connection: Connection, partner_id: int, terms: Terms, now: datetime) -> None:
    """Keep the terms in the place of those before; racing changes of one partner end in one."""
    values = {name: getattr(terms, name) for name in Terms.__slots__} | {"changed_at": now}
    known = connection.execute(
        update(partner_profiles).where(_p.partner_id == partner_id).values(**values)
    )
    if known.rowcount == 0:
        connection.execute(insert(partner_profiles).values(partner_id=partner_id, **values))


def say(connection: Connection, partner_id: int, language: str, text: str | None) -> None:
    """Keep a text in the place of the one before; None: ours again."""
    connection.execute(
        delete(partner_texts).where(_t.partner_id == partner_id, _t.language == language)
    )
    if text is not None:
        values = {"partner_id": partner_id, "language": language, "text": text}
        connection.execute(insert(partner_texts).values(**values))


def rename(connection: Connection, partner_id: int, name: str) -> None:
    """Call a partner so from now on; its code stays."""
    connection.execute(update(partners).where(partners.c.id == partner_id).values(name=name))


def keep(connection: Connection, partner_id: int) -> None:
    """Whoever changes this partner's terms waits until this transaction ends."""
    connection.execute(
        select(partners.c.id).where(partners.c.id == partner_id).with_for_update()
    ).one()


@dataclass(frozen=True, slots=True)
class Low:
    """A float that has fallen below what was agreed."""

    code: str
    name: str
    balance: Decimal
    low_float: Decimal


def low(connection: Connection, currency: str, rows_max: int) -> Sequence[Low]:
    """Partners whose float in a currency is low now."""
    rows = connection.execute(
        select(partners.c.code, partners.c.name, accounts.c.balance, _p.low_float)
        .join(partner_profiles, _p.partner_id == partners.c.id)
        .join(accounts, accounts.c.owner == partners.c.code)
        .where(
            accounts.c.kind == FLOAT,
            accounts.c.currency == currency,
            accounts.c.balance < _p.low_float,
        )
        .order_by(partners.c.code)
        .limit(rows_max)
    )
    return [Low(*row) for row in rows]
