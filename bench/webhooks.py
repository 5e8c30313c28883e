"""Plays signed deposits against both sides, then a storm of them, and counts what was credited."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice

from bench import storm
from bench.floor_schema import Connection
from bench.load import Measured, drive
from bench.report import Row, Target, middle, quantile
from bench.rounds import LANES, PHASE_SECONDS_MAX, step_row
from bench.servers import Server
from bench.storm import COPIES, Storm
from bench.topups import AMOUNT, CURRENCY, Topup, webhook

LOAD_SHARE = 0.70  # of the capacity just measured, in deliveries a second
WEBHOOK_TARGET = Target(0.60)
STORM_TARGET = Target(1.5, at_least=False, of_ours=True)
# How often each order was credited, and with how much in all.
CREDITS = {
    "floor": "SELECT t.reference, COUNT(*), SUM(e.amount) FROM topup_entry e"
    " JOIN topup t ON t.id = e.topup_id JOIN wallet w ON w.id = e.account_id GROUP BY t.reference",
    "ours": "SELECT m.subject, COUNT(*), SUM(e.amount) FROM entries e"
    " JOIN movements m ON m.id = e.movement_id JOIN accounts a ON a.id = e.account_id"
    " WHERE m.kind = 'deposit' AND a.kind = 'wallet' GROUP BY m.subject",
}
BALANCES = {
    "floor": f"SELECT SUM(balance) FROM wallet WHERE currency = '{CURRENCY}'",
    "ours": f"SELECT SUM(balance) FROM accounts WHERE kind = 'wallet' AND currency = '{CURRENCY}'",
}
Credits = Mapping[str, tuple[int, Decimal]]


@dataclass(slots=True)
class Payee:
    """A running server, the orders it has left, and what its rounds and its storm measured."""

    name: str
    server: Server
    orders: Sequence[Topup]
    rounds: list[Measured] = field(default_factory=list)
    warm_up: Measured = field(default_factory=Measured)
    storm: Storm = field(default_factory=Storm)
    played: list[Topup] = field(default_factory=list)

    def play(self, count: int) -> Measured:
        """Deliver the events of so many orders, each once."""
        return drive(
            self.server.port,
            [[webhook(order)] for order in self._next(count)],
            LANES,
            PHASE_SECONDS_MAX,
        )

    def weather(self, count: int) -> None:
        """Deliver so many events in racing copies, at `LOAD_SHARE` of what the rounds reached."""
        rate = LOAD_SHARE * middle([one.per_second for one in self.rounds])
        events = [webhook(order) for order in self._next(count)]
        self.storm = storm.let_loose(self.server.port, events, rate)

    def _next(self, count: int) -> Sequence[Topup]:
        chosen = list(islice(self.orders, len(self.played), len(self.played) + count))
        self.played += chosen
        return chosen


def play(
    sides: Sequence[Payee], rounds: int, count: int, stormy: int, tell: Callable[[str], None]
) -> None:
    """Warm up, let each side play once a round, the order turned each time; then the storms."""
    for side in sides:
        side.warm_up = side.play(count)
    for number in range(rounds):
        for side in sides if number % 2 == 0 else sides[::-1]:
            side.rounds.append(side.play(count))
        rates = ", ".join(f"{one.name} {one.rounds[-1].per_second:.0f}" for one in sides)
        tell(f"round {number + 1} of {rounds}, signed deposits a second: {rates}")
    for side in sides:
        side.weather(stormy)
        tell(
            f"{side.name}: {stormy} events in {COPIES} copies and {side.storm.repeats} repeats,"
            f" the slowest answer after {side.storm.slowest_seconds:.2f} s"
        )


def rows(ours: Payee, floor: Payee, wrong: int) -> list[Row]:
    """The two rows; `wrong` credits are errors of the storm."""
    return [
        step_row("webhook", ours.rounds, floor.rounds, WEBHOOK_TARGET),
        storm_row(ours, floor, wrong),
    ]


def storm_row(ours: Payee, floor: Payee, wrong: int) -> Row:
    """Each side's slowest answer at its own share of its own capacity."""
    latencies = ours.storm.measured.latencies_ms
    details = {"repeats": float(ours.storm.repeats), "answers": float(len(latencies))}
    if latencies:
        details |= {
            "ours_p50_ms": quantile(latencies, 0.50),
            "ours_p99_ms": quantile(latencies, 0.99),
        }
    return Row(
        "webhook_storm",
        "s slowest",
        ours.storm.slowest_seconds,
        floor.storm.slowest_seconds,
        STORM_TARGET,
        errors=wrong + sum(side.storm.measured.errors for side in (ours, floor)),
        details=details,
    )


def miscredited(side: Payee, connection: Connection) -> list[str]:
    """What the database holds against what was played: each event is credited exactly once."""
    with connection.cursor() as cursor:
        cursor.execute(CREDITS[side.name])
        credits = {str(name): (int(times), amount) for name, times, amount in cursor.fetchall()}
        cursor.execute(BALANCES[side.name])
        balance = Decimal((cursor.fetchone() or (0,))[0] or 0)
    found = [f"{side.name}: {fault}" for fault in faults(side.played, credits)]
    due = len(side.played) * Decimal(AMOUNT)
    if balance != due:
        found.append(f"{side.name}: the wallets hold {balance} where {due} was paid in")
    return found


def faults(played: Sequence[Topup], credits: Credits) -> list[str]:
    """The orders that were not credited once with their amount.

    >>> from bench.topups import Topup
    >>> one = Topup("D1", "pi_1", "+255700000001")
    >>> faults([one], {"D1": (1, Decimal("500.00"))})
    []
    >>> faults([one], {"D1": (2, Decimal("1000.00"))}), faults([one], {})
    (['D1 credited 2 times, 1000.00'], ['D1 credited 0 times, 0'])
    >>> faults([], {"D2": (1, Decimal("500.00"))})
    ['D2 credited 1 times, 500.00']
    """
    wanted = {order.reference: (1, Decimal(AMOUNT)) for order in played}
    nothing = (0, Decimal(0))
    return [
        f"{name} credited {times} times, {amount}"
        for name in sorted({*wanted, *credits})
        for times, amount in (credits.get(name, nothing),)
        if (times, amount) != wanted.get(name)
    ]


def first_errors(sides: Sequence[Payee]) -> list[str]:
    """The first wrong answer of each phase that had one."""
    return [
        f"{side.name}: {measured.errors} errors, the first: {measured.first_error}"
        for side in sides
        for measured in (side.warm_up, *side.rounds, side.storm.measured)
        if measured.errors
    ]
