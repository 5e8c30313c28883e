"""What needs somebody now, with the way to it: nothing of what needs nobody."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from sqlalchemy import Connection

from gateway.audit.approvals import EXPIRES_AFTER
from gateway.audit.listing import store as approvals
from gateway.deposits.listing import store as deposits
from gateway.deposits.overview import store as callbacks
from gateway.disputes.listing import store as disputes
from gateway.formats import money
from gateway.outbox.overview import store as outbox
from gateway.outlets.shifts import store as shifts
from gateway.partners.terms import store as terms
from gateway.people.staff import store as staff
from gateway.reconciliation.waiting import awaited
from gateway.switches import store as switches
from gateway.tokens.guesses import standing
from gateway.tokens.guesses.standing import Stand
from gateway.tokens.keys.rotation import REPORT_VALID
from gateway.tokens.overview import store as tokens
from gateway.web.console.attention_books import books
from gateway.web.console.item import Item
from gateway.web.console.parts import ConsoleParts
from gateway.withdrawals.listing import store as withdrawals
from gateway.withdrawals.listing.store import Shown

DUE_WITHIN: Final = timedelta(days=2)  # so near a dispute's deadline is told
LATE_AFTER: Final = timedelta(minutes=5)  # what is due for longer is late
LOOKED_BACK: Final = timedelta(days=1)  # of failed SMS
KEPT: Final = timedelta(days=7)  # of callbacks, which stay what they are
COUNTED_MAX: Final = 100
NEAR_PERCENT: Final = 80  # of a shared limit
HIGHEST: Final = 1_000  # as high as the lists count
Looks = Callable[[ConsoleParts, Connection, datetime], Iterator[Item]]


def attention(parts: ConsoleParts, connection: Connection, now: datetime) -> Sequence[Item]:
    """Everything, what is urgent first; read in one consistent snapshot."""
    found = list(chain.from_iterable(look(parts, connection, now) for look in LOOKS))
    return sorted(found, key=lambda item: not item.urgent)


def _approvals(_: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    waiting = approvals.count(connection, now - EXPIRES_AFTER)
    if waiting:
        yield Item(waiting, "Requests to approve or refuse", "/console/approvals")


def _withdrawals(parts: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    counts = dict(withdrawals.counts(connection))
    waiting = settlements(parts, connection, now)
    counts[Shown.MANUAL] -= sum(waiting.values())
    says = {
        Shown.STUCK: ("Withdrawals that nobody moves on", True),
        Shown.MANUAL: ("Withdrawals that need an operator", True),
        Shown.UNKNOWN: ("Payouts whose outcome is not known yet", False),
    }
    for shown, (what, urgent) in says.items():
        if counts[shown]:
            path = f"/console/withdrawals?show={shown.value}"
            yield Item(counts[shown], what, path, urgent=urgent, most=HIGHEST)
    for run, number in waiting.items():
        path = f"/console/withdrawals?show={Shown.MANUAL.value}"
        what = "Settlement waits" if number == 1 else "Settlements wait"
        yield Item(number, f"{what} for {run}", path, most=HIGHEST)


def settlements(parts: ConsoleParts, connection: Connection, now: datetime) -> Mapping[str, int]:
    """How many cannot be paid yet by anybody, by the run that they wait for."""
    zone = parts.reconciler.zone
    instants = withdrawals.settlements(connection)
    days = {at.astimezone(zone).date(): at for at in instants}
    runs = {day: awaited(parts.reconciler, connection, at, now) for day, at in days.items()}
    found = (runs[at.astimezone(zone).date()] for at in instants)
    return Counter(run.words for run in found if run is not None)


def _disputes(_: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    overdue = disputes.count(connection, now)[1]
    nearest = disputes.nearest(connection, None, COUNTED_MAX + overdue)
    soon = sum(now < dispute.deadline <= now + DUE_WITHIN for dispute in nearest)
    if overdue:
        yield Item(overdue, "Disputes beyond their deadline", "/console/disputes", urgent=True)
    if soon:
        yield Item(soon, "Disputes to be answered within two days", "/console/disputes")


def _deposits(_: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    counts = deposits.counts(connection)
    contradicted = callbacks.contradicted(connection, now - KEPT)
    root = "/console/deposits?show="
    if contradicted:
        more = "in the last seven days"
        what = "Callbacks that contradict the books"
        yield Item(contradicted, what, f"{root}callbacks", more, urgent=True)
    if counts[deposits.Shown.PARKED]:
        what = "Orders parked until somebody has looked"
        yield Item(counts[deposits.Shown.PARKED], what, f"{root}parked", most=HIGHEST)
    if counts[deposits.Shown.SUSPENSE]:
        what = "Payments in suspense"
        yield Item(counts[deposits.Shown.SUSPENSE], what, f"{root}suspense", most=HIGHEST)


def _outbox(parts: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    heard = tokens.last_heard(connection, "worker")
    if heard is None:
        yield Item(None, "No worker runs: nothing is sent", "/console/outbox", urgent=True)
    elif heard < now - REPORT_VALID:
        said = "The worker is silent: nothing is sent"
        yield Item(None, said, "/console/outbox", urgent=True, since=heard)
    for oldest, what in (
        (outbox.oldest_due_sms(connection, now), "SMS wait longer than they should"),
        (outbox.oldest_due_task(connection, now), "Tasks wait longer than they should"),
    ):
        if oldest is not None and oldest < now - LATE_AFTER:
            yield Item(None, what, "/console/outbox", urgent=True, since=oldest)
    failed = outbox.failed(connection, now - LOOKED_BACK)
    if failed:
        path = "/console/outbox?show=failed"
        yield Item(failed, "SMS that failed for good", path, "within a day")


def _limits(_: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    stands = {"The breaker of 11-digit tokens": standing.breaker(connection, now).stand}
    for stand in standing.channels(connection, now, COUNTED_MAX):
        stands[f"The channel {stand.name}"] = stand
    for what, stand in stands.items():
        if stand.until is not None:
            says = f"{what} is closed after too many wrong entries"
            yield Item(None, says, "/console/limits", urgent=True)
        elif _percent(stand) >= NEAR_PERCENT:
            says = f"{what} has used {_percent(stand)}% of its wrong entries"
            yield Item(None, says, "/console/limits")


def _percent(stand: Stand) -> int:
    """How much is used of whichever allowance is the nearer one.

    >>> from gateway.tokens.guesses.limits import Allowance
    >>> _percent(Stand("breaker:11", 40, 41, Allowance(45, 274), None))
    88
    """
    pairs = ((stand.in_hour, stand.allowed.an_hour), (stand.in_day, stand.allowed.a_day))
    return max(used * 100 // max(1, most) for used, most in pairs)


def _switches(_: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    for switch in switches.every(connection):
        if switch.paused:
            says = f"Paused: {switch.what}"
            yield Item(None, says, "/console/switches", switch.reason, since=switch.changed_at)


def _staff(_: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    for member in staff.every(connection):
        if member.locked_until is not None and member.locked_until > now:
            more = f"{member.role}, after {member.tries} wrong PINs"
            yield Item(None, f"{member.name} is locked out", "/console/staff", more)


def _floats(parts: ConsoleParts, connection: Connection, _: datetime) -> Iterator[Item]:
    for low in terms.low(connection, parts.currency, COUNTED_MAX):
        left, agreed = money.grouped(low.balance), money.grouped(low.low_float)
        more = f"{parts.currency} {left} is left, the alarm is at {agreed}"
        path = f"/console/partners/{low.code}"
        yield Item(None, f"The float of {low.name} is low", path, more, urgent=True)


def _shifts(_: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    waiting = shifts.listed(connection, COUNTED_MAX, (shifts.State.COUNTED,))
    if waiting:
        what = "Counts of tills that a manager has to accept"
        yield Item(len(waiting), what, "/console/outlets", most=COUNTED_MAX)
    off = shifts.begun_otherwise(connection, now - KEPT, COUNTED_MAX)
    if off:
        what, more = "Shifts that began with other cash than was left", "in the last seven days"
        yield Item(len(off), what, "/console/outlets", more, most=COUNTED_MAX)


LOOKS: Final[Sequence[Looks]] = (
    books,
    _outbox,
    _limits,
    _withdrawals,
    _disputes,
    _deposits,
    _floats,
    _approvals,
    _shifts,
    _staff,
    _switches,
)
