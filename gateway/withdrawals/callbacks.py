"""Callbacks about payouts: proven ones are applied, the others only make us ask."""

from datetime import datetime

import structlog
from sqlalchemy import Connection

from gateway.providers.base.messages import Notice, Outcome, Trust
from gateway.withdrawals import outcomes, store
from gateway.withdrawals.outcomes import Heard, Outcomes
from gateway.withdrawals.payout import queue_hint
from gateway.withdrawals.store import State, Withdrawal

log = structlog.get_logger()


class PayoutCallbacks:
    """What web/webhooks.py hands every notice about a payout to."""

    def __init__(self, learner: Outcomes) -> None:
        self._outcomes = learner

    def settle(
        self,
        connection: Connection,
        notice: Notice,
        trust: Trust,
        now: datetime,
        books_as: str = "",
    ) -> None:
        """Apply a notice whose bytes are stored; the same notice again changes nothing.

        A signed one counts. So does the answer to a question of ours that carries the proof of
        it (Daraja's: a queried dialect with an `event_id`). Any other is a hint to ask. A notice
        about no withdrawal of ours, or of another provider (`books_as`), is only logged.
        """
        found = _found(connection, notice)
        if found is None or not found.provider or books_as not in ("", found.provider):
            log.warning("payout_notice_unmatched", outcome=notice.outcome.value)
            return
        if notice.outcome == Outcome.PENDING or not _is_proven(notice, trust):
            if _is_news(found, notice):
                queue_hint(connection, found, now)
            return
        if notice.outcome == Outcome.SUCCEEDED and notice.currency not in ("", found.currency):
            log.error("payout_currency_differs", reference=found.reference)
            return
        heard = Heard(
            outcomes.CALLBACK,
            notice.outcome,
            notice.txn_id,
            notice.provider_ref,
            notice.amount,
            notice.reason,
        )
        self._outcomes.learn(connection, found, heard, now)


def _found(connection: Connection, notice: Notice) -> Withdrawal | None:
    found = store.by_reference(connection, notice.reference) if notice.reference else None
    if found is None and notice.provider_ref:
        return store.by_provider_ref(connection, notice.provider_ref)
    return found


def _is_news(found: Withdrawal, notice: Notice) -> bool:
    """Whether asking could tell us more than what is booked."""
    booked = {State.PAID.value: Outcome.SUCCEEDED, State.REJECTED.value: Outcome.FAILED}
    undecided = found.state == State.HELD or notice.outcome not in (
        Outcome.PENDING,
        booked[found.state],
    )
    return undecided and found.handed_over_at is not None


def _is_proven(notice: Notice, trust: Trust) -> bool:
    return trust is Trust.SIGNED or (trust is Trust.QUERIED and bool(notice.event_id))
