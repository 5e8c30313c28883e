"""Which deposit a notice is about, by every name that it gives."""

from dataclasses import dataclass

from sqlalchemy import Connection

from gateway.deposits import references, store
from gateway.deposits.ordered import store as ordered
from gateway.deposits.store import BY_TXN, Deposit, Keys
from gateway.ledger.store import Account
from gateway.providers.base.messages import Notice


@dataclass(frozen=True, slots=True)
class Found:
    """The deposits that a notice may be about, locked."""

    by_txn: Deposit | None  # what is booked under the carrier's id
    order: Deposit | None  # the order that it names
    wallet: Account | None = None  # the order's, where it is locked as well
    names_foreign: bool = False  # it names an order that another provider was asked for


def find(connection: Connection, provider: str, notice: Notice) -> Found:
    """What a notice is about; an order that another of its names contradicts is none."""
    keys = Keys(
        provider=provider,
        txn_id=notice.txn_id,
        provider_ref=notice.provider_ref,
        reference=notice.reference,
        ours=references.within(notice.reference),
    )
    usual = ordered.read(connection, keys)
    is_ours = usual is not None and usual.order.provider == provider
    if usual and is_ours and usual.rival in (None, usual.order.id) and _agrees(usual.order, notice):
        is_booked = bool(notice.txn_id) and usual.order.txn_id == notice.txn_id
        return Found(usual.order if is_booked else None, usual.order, usual.wallet)
    matches = store.matches(connection, keys)
    by_txn = next((match.deposit for match in matches if match.by == BY_TXN), None)
    named = [match.deposit for match in matches if match.by != BY_TXN]
    own = [one for one in named if one.provider == provider and _agrees(one, notice)]
    is_foreign = not own and any(one.provider != provider for one in named)
    return Found(by_txn, next(iter(own), None), names_foreign=is_foreign)


def _agrees(order: Deposit, notice: Notice) -> bool:
    said = notice.provider_ref
    if said and order.provider_ref and said != order.provider_ref:
        return False
    # A biller's prefix was stored with the order: another biller's is another order.
    is_whole = notice.reference in (order.reference, order.known_as)
    has_prefix = notice.reference.endswith(order.reference) and not is_whole
    return not (has_prefix and order.known_as)
