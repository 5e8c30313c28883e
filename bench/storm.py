"""A storm of deliveries: racing copies of each request, and a carrier that repeats what waits."""

import heapq
import random
import selectors
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from bench.load import Exchange, Lane, Measured

COPIES = 16  # that race for each event
REPEAT_SECONDS = 0.4
LANES_OPEN = 96  # beforehand; a delivery that finds none idle opens one of its own
PATIENCE_SECONDS = 15.0  # for what is unanswered after the last delivery
SEED = 1


@dataclass(slots=True)
class Storm:
    """What a storm saw; every answer counts, those to repeats too."""

    measured: Measured = field(default_factory=Measured)
    repeats: int = 0

    @property
    def slowest_seconds(self) -> float:
        """The slowest answer, from the moment its request was due."""
        return max(self.measured.latencies_ms, default=0.0) / 1_000


@dataclass(slots=True)
class Delivery:
    """One of the racing copies; repeated until any answer to it has come."""

    exchange: Exchange
    is_answered: bool = False


def arrivals(count: int, per_second: float) -> list[float]:
    """The seconds at which `count` events arrive by chance, so many a second on the average.

    >>> times = arrivals(1_000, 10.0)
    >>> times == sorted(times), 80 < times[-1] < 120, arrivals(0, 10.0)
    (True, True, [])
    """
    chance, at, found = random.Random(SEED), 0.0, []
    for _ in range(count):
        at += chance.expovariate(per_second)
        found.append(at)
    return found


def let_loose(port: int, events: Sequence[Exchange], deliveries_per_second: float) -> Storm:
    """Send `COPIES` of each event at once, the events so that the rate comes out.

    What has no answer after `REPEAT_SECONDS` is sent again over another connection.
    """
    storm = Storm()
    times = arrivals(len(events), deliveries_per_second / COPIES)
    with _Carrier(port, storm) as carrier:
        for at, event in zip(times, events, strict=True):
            for _ in range(COPIES):
                carrier.deliver(at, Delivery(event))
        carrier.work()
    return storm


class _Carrier:
    """Sends what is due over idle connections and takes in the answers, in this one thread."""

    def __init__(self, port: int, storm: Storm) -> None:
        self._port, self._storm = port, storm
        self._sockets = ExitStack()
        self._selector = self._sockets.enter_context(selectors.DefaultSelector())
        self._idle: list[Lane] = []
        self._busy: dict[Lane, Delivery] = {}
        self._due: list[tuple[float, int, Delivery]] = []
        self._number = 0

    def __enter__(self) -> "_Carrier":
        for _ in range(LANES_OPEN):
            lane = Lane(self._port)
            self._idle.append(self._kept(lane))
        return self

    def __exit__(self, *_: object) -> None:
        self._sockets.close()

    def deliver(self, at: float, delivery: Delivery) -> None:
        """Send it then, in seconds since the storm began."""
        self._number += 1
        heapq.heappush(self._due, (at, self._number, delivery))

    def work(self) -> None:
        """Until everything is answered, or nobody would wait any longer."""
        measured, started = self._storm.measured, time.perf_counter()
        last = max((at for at, _, _ in self._due), default=0.0)
        first_copies = self._number
        while self._due or self._busy:
            now = time.perf_counter() - started
            if now > last + PATIENCE_SECONDS:
                measured.fail(f"{len(self._busy)} never answered", len(self._busy))
                break
            while self._due and self._due[0][0] <= now:
                at, number, delivery = heapq.heappop(self._due)
                if not delivery.is_answered:
                    self._storm.repeats += number > first_copies
                    self._send(delivery, at, started)
            self._listen(self._wait(started))
        measured.seconds = time.perf_counter() - started

    def _wait(self, started: float) -> float:
        if not self._due:
            return REPEAT_SECONDS
        return max(0.0, self._due[0][0] - (time.perf_counter() - started))

    def _send(self, delivery: Delivery, at: float, started: float) -> None:
        lane = self._idle.pop() if self._idle else self._kept(Lane(self._port, 0.0))
        self._busy[lane] = delivery
        lane.begin([delivery.exchange], due=started + at)
        self.deliver(at + REPEAT_SECONDS, delivery)

    def _listen(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            lane: Lane = key.data
            if lane not in self._busy:  # the server has closed an idle connection
                self._drop(lane)
            elif lane.read(self._storm.measured):
                self._busy.pop(lane).is_answered = True
                if lane.open:
                    self._idle.append(lane)
                else:
                    self._drop(lane)

    def _kept(self, lane: Lane) -> Lane:
        self._sockets.enter_context(lane.socket)
        self._selector.register(lane.socket, selectors.EVENT_READ, lane)
        return lane

    def _drop(self, lane: Lane) -> None:
        self._selector.unregister(lane.socket)
        if lane in self._idle:
            self._idle.remove(lane)
