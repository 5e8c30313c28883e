"""SQL of a redemption: one read of what was entered, one UPDATE that claims it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from gateway.database.types import Instant
from gateway.ledger.books import WALLET
from gateway.ledger.store import Account, accounts
from gateway.tokens.store import TO_RECIPIENT, Status, tokens


@dataclass(frozen=True, slots=True)
class Entered:
    """What redeeming needs of a token, and the wallet it would go to, if there is one yet."""

    wallet: Account | None
    id: int
    serial: str
    amount: Decimal
    currency: str
    status: str
    binding: str
    recipient: str | None
    expires_at: datetime
    redeemed_at: datetime | None
    redeemed_by: str | None

    def bound_to(self, msisdn: str) -> bool:
        """Whether the token redeems only for this phone."""
        return self.binding == TO_RECIPIENT and self.recipient == msisdn


# The caller's wallet comes along, and no column that is not needed: on MariaDB each column of an
# answer costs about as much as its value.
UNLOCKED = (
    select(
        accounts.c.id,
        accounts.c.balance,
        accounts.c.held,
        accounts.c.status,
        tokens.c.id,
        tokens.c.serial,
        tokens.c.amount,
        tokens.c.currency,
        tokens.c.status,
        tokens.c.binding,
        tokens.c.recipient,
        tokens.c.expires_at,
        tokens.c.redeemed_at,
        tokens.c.redeemed_by,
    )
    .select_from(tokens)
    .outerjoin(
        accounts,
        (accounts.c.kind == WALLET)
        & (accounts.c.owner == bindparam("msisdn"))
        & (accounts.c.currency == tokens.c.currency),
    )
    .where(tokens.c.lookup.in_(bindparam("lookups", expanding=True)))
)
# Racers wait here, then judge what the winner left; and the balance told is the balance.
ENTERED = UNLOCKED.with_for_update()
# The claim (T7): the before-state and the expiry stand in the WHERE of the one UPDATE.
CLAIM = (
    update(tokens)
    .where(
        tokens.c.id == bindparam("token"),
        tokens.c.status == Status.ISSUED.value,
        tokens.c.expires_at > bindparam("now", type_=Instant),
    )
    .values(
        status=Status.REDEEMED.value,
        redeemed_at=bindparam("now", type_=Instant),
        changed_at=bindparam("now", type_=Instant),
        redeemed_by=bindparam("by"),
        redeemed_channel=bindparam("channel"),
    )
)


def entered(connection: Connection, lookups: Sequence[bytes], msisdn: str) -> list[Entered]:
    """Every token stored under one of these digests: none, one, or the alarm of two."""
    rows = connection.execute(ENTERED, {"lookups": lookups, "msisdn": msisdn})
    return [_entered(msisdn, *row) for row in rows]


def _entered(
    msisdn: str,
    wallet_id: int | None,
    balance: Decimal | None,
    held: Decimal,
    wallet_status: str,
    token_id: int,
    serial: str,
    amount: Decimal,
    currency: str,
    *facts: Any,
) -> Entered:
    wallet = None
    if wallet_id is not None:
        wallet = Account(wallet_id, WALLET, msisdn, currency, balance, held, wallet_status)
    return Entered(wallet, token_id, serial, amount, currency, *facts)


def claim(connection: Connection, token_id: int, by: str, channel: str, now: datetime) -> bool:
    """Redeem once: True for the one caller whose UPDATE found the token still claimable."""
    done = connection.execute(CLAIM, {"token": token_id, "now": now, "by": by, "channel": channel})
    return done.rowcount == 1
