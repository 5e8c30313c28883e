"""SQL of a redemption: one read of what was entered, one UPDATE that claims it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Select, String, bindparam, case, select, update

from gateway.database import prepared
from gateway.database.types import Digest, Instant
from gateway.ledger.store import WALLET, Account, accounts
from gateway.tokens.store import TO_COUNTER, TO_RECIPIENT, Status, tokens


@dataclass(frozen=True, slots=True)
class Entered:
    """What redeeming needs of a token for one caller, and the wallet it would go to."""

    wallet_id: int | None  # None: no wallet yet
    wallet_balance: Decimal | None
    wallet_held: Decimal | None
    wallet_status: str | None
    wallet_tier: str | None
    wallet_day: date | None
    wallet_day_credits: Decimal | None
    id: int
    serial: str
    amount: Decimal
    currency: str
    status: str
    binding: str  # as the token's, or YOURS or YOURS_AT_COUNTER
    expires_at: datetime
    redeemed_by_you_at: datetime | None
    funder_id: int

    def wallet(self, msisdn: str) -> Account | None:
        """The caller's wallet, None before its first use."""
        if self.wallet_id is None or self.wallet_held is None or self.wallet_status is None:
            return None
        return Account(
            self.wallet_id,
            WALLET,
            msisdn,
            self.currency,
            self.wallet_balance,
            self.wallet_held,
            self.wallet_status,
            self.wallet_tier,
            self.wallet_day,
            day_credits=self.wallet_day_credits or Decimal("0.00"),
        )


YOURS = "yours"  # bound to the caller's own phone
YOURS_AT_COUNTER = "yours_counter"  # the caller's own cash code
_MSISDN = bindparam("msisdn", type_=String())
# On MariaDB each column of an answer costs about as much as its value: only what is needed.
_COLUMNS = (
    accounts.c.id,
    accounts.c.balance,
    accounts.c.held,
    accounts.c.status,
    accounts.c.tier,
    accounts.c.day,
    accounts.c.day_credits,
    tokens.c.id,
    tokens.c.serial,
    tokens.c.amount,
    tokens.c.currency,
    tokens.c.status,
    case(
        ((tokens.c.binding == TO_RECIPIENT) & (tokens.c.recipient == _MSISDN), YOURS),
        ((tokens.c.binding == TO_COUNTER) & (tokens.c.recipient == _MSISDN), YOURS_AT_COUNTER),
        else_=tokens.c.binding,
    ),
    tokens.c.expires_at,
    case((tokens.c.redeemed_by == _MSISDN, tokens.c.redeemed_at)),
    tokens.c.funder_id,
)


@lru_cache(maxsize=16)
def unlocked(keys: int) -> Select[Any]:
    """The read of what was entered, for a ring of this many look-up keys."""
    lookups = [bindparam(f"lookup_{number}", type_=Digest) for number in range(keys)]
    wallet = (
        (accounts.c.kind == WALLET)
        & (accounts.c.owner == _MSISDN)
        & (accounts.c.currency == tokens.c.currency)
    )
    return (
        select(*_COLUMNS)
        .select_from(tokens)
        .outerjoin(accounts, wallet)
        .where(tokens.c.lookup.in_(lookups))
    )


@lru_cache(maxsize=16)
def locked(keys: int) -> Select[Any]:
    """The same read, under a lock.

    Racers wait here, then judge what the winner left; and the balance told is the balance.
    """
    return unlocked(keys).with_for_update()


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
    binds: dict[str, object] = {"msisdn": msisdn}
    binds |= {f"lookup_{number}": lookup for number, lookup in enumerate(lookups)}
    return [Entered(*row) for row in prepared.rows(connection, locked(len(lookups)), binds)]


def claim(connection: Connection, token_id: int, by: str, channel: str, now: datetime) -> bool:
    """Redeem once: True for the one caller whose UPDATE found the token still claimable."""
    values = {"token": token_id, "now": now, "by": by, "channel": channel}
    return prepared.change(connection, CLAIM, values) == 1
