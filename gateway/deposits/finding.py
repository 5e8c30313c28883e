"""Which deposit a notice is about, by every name that it gives."""

from dataclasses import dataclass

from sqlalchemy import Connection

from gateway.deposits import references, store
from gateway.deposits.store import BY_HINT, BY_TXN, Deposit, Keys, Match
from gateway.providers.base.messages import Notice


@dataclass(frozen=True, slots=True)
class Found:
    """The deposits that a notice may be about, locked."""

    by_txn: Deposit | None  # what is booked under the carrier's id
    order: Deposit | None  # the order that it names


def find(connection: Connection, provider: str, notice: Notice) -> Found:
    """What a notice is about; an order that another of its names contradicts is none."""
    keys = Keys(
        provider=provider,
        txn_id=notice.txn_id,
        provider_ref=notice.provider_ref,
        reference=notice.reference,
        ours=references.within(notice.reference),
    )
    matches = store.matches(connection, keys)
    by_txn = next((match.deposit for match in matches if match.by == BY_TXN), None)
    named = [m.deposit for m in matches if m.by not in (BY_TXN, BY_HINT) and _agrees(m, notice)]
    hinted = [match.deposit for match in matches if match.by == BY_HINT and match.deposit.is_order]
    return Found(by_txn, next(iter((*named, *hinted)), None))


def _agrees(match: Match, notice: Notice) -> bool:
    order, said = match.deposit, notice.provider_ref
    if said and order.provider_ref and said != order.provider_ref:
        return False
    # A biller's prefix was stored with the order: another biller's is another order.
    is_whole = notice.reference in (order.reference, order.known_as)
    has_prefix = notice.reference.endswith(order.reference) and not is_whole
    return not (has_prefix and order.known_as)
