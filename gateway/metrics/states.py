"""How things stand, read from the database: late messages, the breaker, open money, the books."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import Connection

from gateway.deposits.callbacks.store import Became
from gateway.metrics import store
from gateway.metrics.children import OTHER, is_safe
from gateway.metrics.store import Pile
from gateway.outbox.overview import store as outbox
from gateway.reconciliation.overview import store as runs
from gateway.reconciliation.run import BOOKS, UNCOVERED
from gateway.reconciliation.runs.store import BROKEN, CLEAN, FINDINGS, RUNNING
from gateway.switches import store as switches
from gateway.tokens.guesses import standing
from gateway.tokens.overview import store as tokens

HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
CHANNELS_MAX: Final = 20
ROLES: Final = ("web", "worker")
RESULTS: Final = (CLEAN, FINDINGS, BROKEN, RUNNING)
# What an operator, or the chore that settles, still has to look at.
TO_SETTLE: Final = (Became.KEPT, Became.GIVEN_UP, Became.CONFLICT, Became.MALFORMED)
Families = Iterator[GaugeMetricFamily]
Look = Callable[[Connection, datetime], Families]


def read(connection: Connection, now: datetime) -> list[GaugeMetricFamily]:
    """Every family, out of one short transaction that only reads."""
    connection = store.read_only(connection)
    return [family for look in LOOKS for family in look(connection, now)]


def _outbox(connection: Connection, now: datetime) -> Families:
    piles = store.outbox_piles(connection)
    yield from _piles("gateway_outbox", ("line", "state"), "Outbox rows not over", piles, now)


def _sms(connection: Connection, now: datetime) -> Families:
    handed = _family(
        "gateway_sms_last_hour",
        "SMS handed over within the last hour, by channel and how they stand.",
        "channel",
        "state",
    )
    for pile in store.sms_since(connection, now - HOUR):
        channel, state = pile.words
        handed.add_metric((_word(channel or "none"), state), pile.rows)
    yield handed
    failed = _family(
        "gateway_sms_failed_last_hour", "SMS that were due within the last hour and failed."
    )
    failed.add_metric((), outbox.failed(connection, now - HOUR))
    yield failed


def _limits(connection: Connection, now: datetime) -> Families:
    closed = _family("gateway_breaker_open", "1 while wrong entries have closed it.", "breaker")
    used = _family("gateway_breaker_entries", "Wrong entries counted.", "breaker", "window")
    most = _family("gateway_breaker_budget", "Wrong entries allowed.", "breaker", "window")
    live = _family("gateway_breaker_live_tokens", "Unbound live 11-digit tokens the budget is for.")
    breaker = standing.breaker(connection, now)
    channels = standing.channels(connection, now, CHANNELS_MAX)
    stands = {f"channel:{_word(stand.name)}": stand for stand in channels}
    for name, stand in {"short_tokens": breaker.stand, **stands}.items():
        closed.add_metric((name,), stand.until is not None)
        used.add_metric((name, "hour"), stand.in_hour)
        used.add_metric((name, "day"), stand.in_day)
        most.add_metric((name, "hour"), stand.allowed.an_hour)
        most.add_metric((name, "day"), stand.allowed.a_day)
    live.add_metric((), breaker.live)
    yield from (closed, used, most, live)


def _money(connection: Connection, now: datetime) -> Families:
    for name, label, says, piles in (
        (
            "gateway_deposits_open",
            "provider",
            "Deposits nobody knows the outcome of",
            store.deposits_open(connection),
        ),
        (
            "gateway_withdrawals_open",
            "payout",
            "Withdrawals whose money is held",
            store.withdrawals_open(connection),
        ),
    ):
        yield from _piles(name, (label,), says, piles, now)
    kept = _family("gateway_callbacks_last_day", "Callbacks of the last day to look at.", "became")
    words = [became.value for became in TO_SETTLE]
    for became, count in store.callbacks_since(connection, words, now - DAY).items():
        kept.add_metric((became,), count)
    yield kept


def _books(connection: Connection, now: datetime) -> Families:
    last, finished = runs.last(connection), store.last_finished(connection)
    result = _family("gateway_reconcile_last", "1 for how the latest run stands.", "result")
    for word in RESULTS:
        result.add_metric((word,), last is not None and last.state == word)
    yield result
    if finished is None:
        return
    age = _family("gateway_reconcile_age_seconds", "Since the latest finished run began.")
    age.add_metric((), _seconds(finished.started_at, now))
    found = _family(
        "gateway_reconcile_findings", "Findings of the latest finished run, by kind.", "kind"
    )
    broken = runs.found(connection, finished.id, BOOKS)
    uncovered = runs.found(connection, finished.id, UNCOVERED)
    found.add_metric(("books",), broken)
    found.add_metric(("uncovered",), uncovered)
    found.add_metric((OTHER,), finished.findings - broken - uncovered)
    yield from (age, found)


def _processes(connection: Connection, now: datetime) -> Families:
    heard = _family(
        "gateway_process_silent_seconds", "Since a process of this role was heard of.", "role"
    )
    for role in ROLES:
        at = tokens.last_heard(connection, role)
        if at is not None:
            heard.add_metric((role,), _seconds(at, now))
    yield heard


def _switches(connection: Connection, now: datetime) -> Families:
    paused = _family("gateway_paused_seconds", "For how long it has been paused.", "what")
    for switch in switches.every(connection):
        if switch.paused:
            paused.add_metric((_word(switch.what),), _seconds(switch.changed_at, now))
    yield paused


LOOKS: Final[Sequence[Look]] = (_outbox, _sms, _limits, _money, _books, _processes, _switches)


def _piles(
    name: str, labels: Sequence[str], says: str, piles: Sequence[Pile], now: datetime
) -> Families:
    """How many there are, at most `store.COUNTED_MAX`, and the age of the oldest."""
    rows = _family(f"{name}_rows", f"{says}.", *labels)
    oldest = _family(f"{name}_oldest_seconds", f"{says}: the age of the oldest.", *labels)
    for pile in piles:
        words = [_word(word) for word in pile.words]
        rows.add_metric(words, pile.rows)
        oldest.add_metric(words, 0.0 if pile.oldest is None else _seconds(pile.oldest, now))
    yield from (rows, oldest)


def _family(name: str, says: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, says, labels=labels)


def _word(word: str) -> str:
    return word if is_safe(word) else OTHER


def _seconds(since: datetime, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds())
