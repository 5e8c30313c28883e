"""The queries behind the tokens' invariants: each finds the rows that break one."""

from decimal import Decimal

from sqlalchemy import and_, exists, func, literal, or_, select

from gateway.audit.store import audit_trail
from gateway.database.types import Money
from gateway.ledger.store import OUTSTANDING, accounts, entries, movements
from gateway.ledger.wallets import MOVED, REPLACED
from gateway.tokens.store import LIVE, Status, tokens

_ZERO = literal(Decimal("0.00"), Money)
# The movement that each final state must have, by its kind.
MOVEMENT_OF = {
    Status.REDEEMED: "redeem",
    Status.EXPIRED: "expire",
    Status.CANCELLED: "cancel",
}
_SETTLED = (
    select(
        movements.c.subject, func.count().label("times"), func.min(movements.c.kind).label("kind")
    )
    .where(movements.c.kind.in_(tuple(MOVEMENT_OF.values())))
    .group_by(movements.c.subject)
    .subquery()
)
_RIGHT = or_(
    and_(tokens.c.status.in_([s.value for s in LIVE]), _SETTLED.c.times.is_(None)),
    *(
        and_(tokens.c.status == status.value, _SETTLED.c.times == 1, _SETTLED.c.kind == kind)
        for status, kind in MOVEMENT_OF.items()
    ),
)
# A token's state and what the ledger says of it: live ones unsettled, the others settled once.
STATE_WITHOUT_MOVEMENT = (
    select(tokens.c.serial, tokens.c.status, _SETTLED.c.times, _SETTLED.c.kind)
    .outerjoin(_SETTLED, _SETTLED.c.subject == tokens.c.serial)
    .where(~func.coalesce(_RIGHT, literal(0)))
)
_LIVE_VALUE = (
    select(tokens.c.currency, func.sum(tokens.c.amount, type_=Money).label("live"))
    .where(tokens.c.status.in_([s.value for s in LIVE]))
    .group_by(tokens.c.currency)
    .subquery()
)
_OUTSTANDING_SUM = func.coalesce(func.sum(entries.c.amount, type_=Money), _ZERO, type_=Money)
_LIVE_SUM = func.coalesce(func.max(_LIVE_VALUE.c.live, type_=Money), _ZERO, type_=Money)
# What the books say is outstanding against the tokens that are live.
OUTSTANDING_OFF = (
    select(
        accounts.c.currency,
        _OUTSTANDING_SUM.label("outstanding"),
        _LIVE_SUM.label("live_tokens"),
    )
    .outerjoin(entries, entries.c.account_id == accounts.c.id)
    .outerjoin(_LIVE_VALUE, _LIVE_VALUE.c.currency == accounts.c.currency)
    .where(accounts.c.kind == OUTSTANDING)
    .group_by(accounts.c.currency)
    .having(_OUTSTANDING_SUM != _LIVE_SUM)
)
_ISSUED = (
    select(entries.c.amount, movements.c.subject)
    .join(movements, movements.c.id == entries.c.movement_id)
    .join(accounts, accounts.c.id == entries.c.account_id)
    .where(movements.c.kind == "issue", accounts.c.kind == OUTSTANDING)
    .subquery()
)
# Every token was paid for, with its own amount.
NOT_FUNDED = (
    select(tokens.c.serial, tokens.c.amount, _ISSUED.c.amount.label("funded"))
    .outerjoin(_ISSUED, _ISSUED.c.subject == tokens.c.serial)
    .where(or_(_ISSUED.c.amount.is_(None), _ISSUED.c.amount != tokens.c.amount))
)

_SETTLING = (
    select(tokens.c.serial, movements.c.kind, accounts.c.owner, entries.c.amount)
    .select_from(tokens)
    .join(movements, movements.c.subject == tokens.c.serial)
    .join(entries, entries.c.movement_id == movements.c.id)
    .join(accounts, accounts.c.id == entries.c.account_id)
    .where(movements.c.kind.in_(tuple(MOVEMENT_OF.values())))
)
# Two wrong amounts that cancel out in the total are each found here.
SETTLED_WITH_ANOTHER_AMOUNT = _SETTLING.where(
    accounts.c.kind == OUTSTANDING, entries.c.amount + tokens.c.amount != _ZERO
)
# A wallet that has another number since: whoever redeemed had it then.
_MOVED_SINCE = exists().where(
    audit_trail.c.subject == tokens.c.redeemed_by,
    audit_trail.c.action.in_((MOVED, REPLACED)),
    audit_trail.c.at >= movements.c.at,
)
# A redemption credits its redeemer; anything else gives the value back to the funder.
SETTLED_TO_ANOTHER = _SETTLING.where(
    accounts.c.kind != OUTSTANDING,
    or_(
        and_(
            movements.c.kind == "redeem",
            accounts.c.owner != tokens.c.redeemed_by,
            ~_MOVED_SINCE,
        ),
        and_(movements.c.kind != "redeem", accounts.c.id != tokens.c.funder_id),
    ),
)
